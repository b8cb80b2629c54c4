"""Comparing rule sets: a proof that two record the same, or the smallest event that tells them apart (docs/diff.md)."""
