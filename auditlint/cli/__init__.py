"""The command line: options, progress, and one module for each command."""
