"""Checks AL3: rules together."""
