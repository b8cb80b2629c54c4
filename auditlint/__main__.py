"""Entry point: `auditlint` and `python -m auditlint`."""

import sys


def main() -> int:
    """Run the command line of this process."""
    import gc

    from auditlint import cli

    gc.disable()  # a short run over values without cycles: collecting costs a third of the time and frees nothing
    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
