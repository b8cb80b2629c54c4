"""Reports: pure functions from a result to text, a piece at a time; every form is a module with `parts`."""
