"""Entry point: `auditlint` and `python -m auditlint`."""

import sys


def main() -> int:
    """Run the command line of this process."""
    try:
        import gc

        from auditlint import cli

        gc.disable()  # a short run over values without cycles: collecting costs a third of the time and frees nothing
        return cli.main(sys.argv[1:])
    except KeyboardInterrupt:  # while the program still starts
        return 130


if __name__ == "__main__":
    sys.exit(main())
