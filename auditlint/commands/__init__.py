"""One module for each command, with `run(argv) -> int`. Only here is anything read, written or printed."""
