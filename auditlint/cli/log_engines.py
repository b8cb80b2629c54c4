"""Who reads the pieces of a log: this process, several on this machine, or the workers of a dask cluster.

Each engine gives the summaries in the order of the pieces, so that their sum is the same whoever made them.
"""

from __future__ import annotations

import os

from auditlint.core.errors import UserError
from auditlint.logs.recipe import Worker, piece_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from auditlint.io.log_files import Piece
    from auditlint.logs.pieces import PieceSummary
    from auditlint.logs.recipe import Recipe


AUTO_BYTES = 96 << 20
"""With `--jobs auto` smaller logs are read by one process: starting others takes longer than it saves (measured)."""
DASK_RETRIES = 3


def jobs_of(text: str, size: int) -> int:
    """Number of processes: a number, or `auto`. Raises UserError for anything else."""
    if text == "auto":
        return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, 1 + size // AUTO_BYTES)
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise UserError(f"--jobs {text}: is not a number from 1 to 1024, nor auto")
    return int(text)


def engine_of(text: str | None) -> str | None:
    """The address of a dask scheduler, "" for a cluster on this machine, None for no engine."""
    if text is None or text == "local":
        return None
    name, _, address = text.partition(":")
    if name != "dask":
        raise UserError(f"--engine {text}: is not local, dask or dask:SCHEDULER")
    return address


def here(recipe: Recipe, pieces: Sequence[Piece], each: Callable[[int], None]) -> Iterator[PieceSummary]:
    """One after the other in this process."""
    worker = Worker(recipe)
    for piece in pieces:
        yield worker.summary(piece, each)


def by_processes(
    recipe: Recipe, pieces: Sequence[Piece], jobs: int, each: Callable[[int], None]
) -> Iterator[PieceSummary]:
    """By several processes on this machine."""
    import multiprocessing
    import signal

    worker = Worker(recipe)
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    if method is None:
        yield from here(recipe, pieces, each)
        return
    context = multiprocessing.get_context(method)
    ignore = signal.SIG_IGN
    with context.Pool(min(jobs, len(pieces)), _start, (worker, signal.SIGINT, ignore)) as pool:
        for piece, summary in zip(pieces, pool.imap(_work, pieces), strict=True):
            each(piece.size)
            yield summary


_started: list[Worker] = []
"""The worker of a child process, inherited at its fork."""


def _start(worker: Worker, interrupt: int, ignore: Any) -> None:
    import signal

    signal.signal(interrupt, ignore)  # the parent ends its children
    _started[:] = [worker]


def _work(piece: Piece) -> PieceSummary:
    return _started[0].summary(piece)


def by_dask(
    recipe: Recipe, pieces: Sequence[Piece], address: str, jobs: int, each: Callable[[int], None]
) -> Iterator[PieceSummary]:
    """By the workers of a dask cluster, which read the pieces themselves. Work of a lost worker is done again.

    Raises UserError when dask is not installed, the scheduler does not answer, or a piece cannot be read.
    """
    import pickle
    from importlib import import_module

    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UserError("--engine dask: is not installed; install linux-auditlint[dask]") from None
    try:
        packed = pickle.dumps(recipe)
    except (TypeError, pickle.PicklingError):
        raise UserError("--engine dask: facts from --root cannot be sent to workers; use --facts") from None
    cluster: Any = None
    client: Any
    try:
        if not address:
            cluster = distributed.LocalCluster(
                n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=":0"
            )
        client = distributed.Client(cluster if cluster is not None else address, timeout=30)
    except (OSError, ValueError) as error:
        raise UserError(f"--engine dask:{address}: {error}") from None
    try:
        futures = client.map(piece_summary, [packed] * len(pieces), list(pieces), retries=DASK_RETRIES, pure=False)
        for number, piece in enumerate(pieces):
            summary = futures[number].result()
            futures[number].release()
            each(piece.size)
            yield summary
    except UserError:
        raise
    except Exception as error:  # what a worker raised, or KilledWorker after the retries
        raise UserError(f"--engine dask: {type(error).__name__}: {error}") from None
    finally:
        client.close()
        if cluster is not None:
            cluster.close()
