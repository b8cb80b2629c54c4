"""Checks AL8 of kernel configurations."""
