"""What a process needs to read a piece of a log by itself: a question that can be sent to it, and the piece."""

from __future__ import annotations

from functools import lru_cache, partial

from auditlint.auditctl.augenrules import DEFAULT_AWK
from auditlint.core.frozen import dataclass
from auditlint.core.source import Source
from auditlint.io.log_files import read_piece
from auditlint.kernel.storage import Storage, store
from auditlint.load.program import load_file, load_input
from auditlint.logs.forms import transformed
from auditlint.logs.pieces import summarize
from auditlint.logs.replayer import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from auditlint.core.facts import Facts
    from auditlint.core.target import Target
    from auditlint.io.inputs import Input
    from auditlint.io.log_files import Piece
    from auditlint.load.program import Program
    from auditlint.logs.pieces import PieceSummary


@dataclass(frozen=True, slots=True)
class Recipe:
    """A question as texts: `rules` recorded the log, `others` might have, and each of `added` is one more rule, with
    the number of the loaded rule in front of which it stands."""

    target: Target
    facts: Facts
    awk: str = DEFAULT_AWK
    rules: Input | None = None
    others: tuple[Input, ...] = ()
    added: tuple[tuple[str, int], ...] = ()
    since: float | None = None
    until: float | None = None
    host: str | None = None
    key: str | None = None
    paths: bool = False


def load(recipe: Recipe, given: Input) -> Program:
    """A rule set of the recipe, loaded."""
    return load_input(given, recipe.target, recipe.facts, recipe.awk)


def with_rule(program: Program, rule: str, index: int) -> Program:
    """The rules with one more in front of the loaded rule `index`."""
    source = program.merged
    loaded = program.loaded
    at = loaded[index].entry.line.span[0] if index < len(loaded) else len(source.data)
    line = rule.encode("utf-8", "surrogateescape") + b"\n"
    if at and source.data[at - 1 : at] != b"\n":
        line = b"\n" + line
    return load_file(Source(source.path, source.data[:at] + line + source.data[at:]), program.target, program.facts)


def question(recipe: Recipe) -> Question:
    """The question that the recipe stands for."""

    def stored(program: Program) -> Storage:
        return store(program.loaded, recipe.target, recipe.facts)

    rules = None if recipe.rules is None else load(recipe, recipe.rules)
    others = [load(recipe, given) for given in recipe.others]
    if rules is not None:
        others += [with_rule(rules, rule, index) for rule, index in recipe.added]
    return Question(
        target=recipe.target,
        facts=recipe.facts,
        rules=None if rules is None else stored(rules),
        others=tuple(map(stored, others)),
        tried=len(recipe.added),
        since=recipe.since,
        until=recipe.until,
        host=recipe.host,
        key=recipe.key,
        paths=recipe.paths,
    )


class Worker:
    """Summaries of pieces for one recipe; decisions are kept from piece to piece."""

    def __init__(self, recipe: Recipe, asked: Question | None = None) -> None:
        self._recipe = recipe
        self._question = question(recipe) if asked is None else asked
        self._memory: dict[Any, Any] = {}

    def summary(self, piece: Piece, each: Callable[[int], None] | None = None) -> PieceSummary:
        """The summary of one piece. Raises UserError when it cannot be read."""
        chunks = partial(_chunks, piece, self._recipe)
        return summarize(self._question, chunks, piece.source, each=each, memory=self._memory)


def _chunks(piece: Piece, recipe: Recipe, skip: Callable[[str, int], None]) -> Any:
    return transformed(read_piece(piece, skip), recipe.target, recipe.facts, skip)


@lru_cache(maxsize=1)
def _worker(recipe_bytes: bytes) -> Worker:
    import pickle

    return Worker(pickle.loads(recipe_bytes))


def piece_summary(recipe_bytes: bytes, piece: Piece) -> PieceSummary:
    """The same for another process: the recipe comes pickled, and is unpacked once."""
    return _worker(recipe_bytes).summary(piece)
