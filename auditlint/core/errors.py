"""Errors that end a run with exit status 2 and one clear line on standard error."""


class UserError(Exception):
    """Wrong use or unreadable input. The text is the whole message: one line, no traceback."""
