"""Checks AL4: what rules leave out."""
