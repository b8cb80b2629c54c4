"""Checks AL9: style."""
