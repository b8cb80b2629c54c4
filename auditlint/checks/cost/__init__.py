"""Checks AL5: what rules cost."""
