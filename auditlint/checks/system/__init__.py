"""Checks AL8 of a whole system: configuration, command line, rules and image together."""
