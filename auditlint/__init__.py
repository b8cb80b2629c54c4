"""Static advisor and linter for Linux audit rules, kernel configurations and kernel command lines."""

__version__ = "0.1.0"
