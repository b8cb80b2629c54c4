"""One module for each command, with `run(argv) -> int`. Only they have anything read, written or printed."""
