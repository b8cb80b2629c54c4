"""Checks AL0: how files are loaded."""
