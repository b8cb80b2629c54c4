"""Checks AL2: the meaning of one rule."""
