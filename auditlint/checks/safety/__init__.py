"""Checks AL6: safety and operation."""
