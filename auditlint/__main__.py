"""Entry point: `auditlint` and `python -m auditlint`."""

import os
import sys


def main() -> int:
    """Run the command line of this process, and end it."""
    try:
        import gc

        from auditlint.cli import main as cli

        gc.disable()  # a short run over values without cycles: collecting costs a third of the time and frees nothing
        status = cli.main(sys.argv[1:])
    except KeyboardInterrupt:  # while the program still starts
        return 130
    if sys.gettrace() is not None:
        return status  # whoever traces this process writes results at its end
    # Everything is written. The system takes the memory back at once; Python would give up each object by itself, which
    # takes 8 ms of the 100 for 500 rules.
    try:
        sys.stderr.flush()
    finally:
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
