"""The linter: the registry of checks, their runner, fixes, suppressions and baselines."""
