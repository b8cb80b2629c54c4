"""Kernel command lines: where they stand in files, and what their audit parameters do."""
