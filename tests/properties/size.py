"""How much the properties try: a little in every run, all of it when AUDITLINT_PROPERTIES says how many times that."""

import os

TIMES = int(os.environ.get("AUDITLINT_PROPERTIES", "1"))


def size(quick: int) -> int:
    """Cases to try where an ordinary run tries `quick`."""
    return quick * TIMES
