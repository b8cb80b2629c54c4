"""Entry point: `auditlint` and `python -m auditlint`."""

import sys


def main() -> int:
    """Run the command line; `--version` is answered before anything heavy is imported."""
    if sys.argv[1:] == ["--version"]:
        from auditlint import __version__

        sys.stdout.write(f"auditlint {__version__}\n")
        return 0
    from auditlint.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
