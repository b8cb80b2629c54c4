"""Checks AL8 of kernel command lines."""
