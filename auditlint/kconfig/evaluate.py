"""What Kconfig makes of configuration files: values, dropped requests and the reasons.

An `Evaluator` keeps the definitions it has loaded; many files in one run share them.
"""

from __future__ import annotations

from auditlint.core.data import rows
from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass, replace
from auditlint.core.kernel_version import line_of_release
from auditlint.kconfig import drop_reasons as drops
from auditlint.kconfig import explainer as why
from auditlint.kconfig import slices
from auditlint.kconfig.engine import KconfigProblem, Model, load
from auditlint.kconfig.model import (
    BASES,
    Assignment,
    ConfigFile,
    ContradictingRequests,
    Dropped,
    Evaluation,
    SymbolValue,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from auditlint.kconfig.tree import Tree

    Base: TypeAlias = "str | ConfigFile | None"

_UNSET = {"alldefconfig": "default", "allnoconfig": "n", "allyesconfig": "y", "allmodconfig": "m"}


@dataclass(frozen=True, slots=True)
class Requests:
    """The assignments that concern known symbols. `effective` are those that count, in order, with the value the
    reader sets; `last` is the last assignment of each symbol in the files themselves, valid or not; `valid` the last
    valid one of each, base included."""

    effective: tuple[tuple[str, str, Assignment], ...]
    last: Mapping[str, Assignment]
    valid: Mapping[str, Assignment]


@dataclass(frozen=True, slots=True)
class Definitions:
    """A loaded model with what it was loaded for.

    `names` are the symbols it defines, `settable` these and the ones that files left out would define. `source` is
    `slice` or `tree`; `complete`: every symbol of the tree is in it, so that a name it lacks does not exist.
    """

    model: Model
    names: frozenset[str]
    settable: frozenset[str]
    source: str
    arch: str
    line: str
    notes: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Session:
    """One configuration in one model: what `why` and `change` look at."""

    definitions: Definitions
    requests: Requests
    unset: str
    files: tuple[ConfigFile, ...]
    kernel: str

    def apply(self, edits: Mapping[str, str] | None = None) -> Model:
        """Put the requests into the model, with some symbols set otherwise."""
        effective = [(name, value) for name, value, _ in self.requests.effective]
        if edits:
            effective = [pair for pair in effective if pair[0] not in edits] + list(edits.items())
        self.definitions.model.configure(effective, self.unset)
        return self.definitions.model


class Evaluator:
    """Evaluates configurations and keeps what it loads. `allow_shell` lets a tree's macros run the commands they
    name; `full_tree` reads every Kconfig file of a tree instead of those that matter."""

    def __init__(self, *, allow_shell: bool = False, full_tree: bool = False) -> None:
        self._allow_shell = allow_shell
        self._full_tree = full_tree
        self._slices: dict[str, slices.Slice] = {}
        self._loaded: dict[tuple[str, str, str], Definitions] = {}
        self._groups: Mapping[str, str] = slices.groups()

    def evaluate(
        self, files: Sequence[ConfigFile], kernel: str, arch: str, *, base: Base = None, tree: Tree | None = None
    ) -> Evaluation:
        """The files merged in order as merge_config.sh does, for a kernel and an ARCH.

        `base` is one of `BASES` (default: alldefconfig) or a file that lies under the others. Raises UserError for a
        kernel or an architecture that is not known, and for a tree that cannot be read.
        """
        return self.result(self.session(files, kernel, arch, base=base, tree=tree))

    def session(
        self, files: Sequence[ConfigFile], kernel: str, arch: str, *, base: Base = None, tree: Tree | None = None
    ) -> Session:
        """The same, not yet evaluated."""
        if isinstance(base, str) and base not in BASES:
            raise UserError(f"unknown base {base!r}: one of {', '.join(BASES)}, or a file")
        under = base if isinstance(base, ConfigFile) else None
        everything = (under, *files) if under is not None else tuple(files)
        definitions = self._definitions(kernel, _narrow(arch, everything), tree)
        requests = self._requests(definitions, under, files)
        unset = _UNSET[base] if isinstance(base, str) else "default"
        return Session(definitions, requests, unset, tuple(files), line_of_release(kernel) or kernel)

    def result(self, session: Session, also: Iterable[str] = ()) -> Evaluation:
        """Evaluate a session, with symbols that are reported besides the recorded ones where they are defined.
        Raises UserError when the definitions of a tree cannot be followed."""
        reported = [name for name, group in self._groups.items() if group != "known"]
        try:
            return self._result(session, [*dict.fromkeys([*reported, *also])])
        except RecursionError:
            raise UserError("the Kconfig files are nested too deeply") from None

    def _result(self, session: Session, reported: Sequence[str]) -> Evaluation:
        definitions, requests = session.definitions, session.requests
        model = session.apply()
        explainer = why.Explainer(
            model, requests.valid, definitions.line, definitions.arch, definitions.source == "tree"
        )
        stated = self._stated(session, reported)
        symbols: dict[str, SymbolValue] = {}
        contradictions = []
        for name in reported:
            if name not in definitions.names:
                continue
            value, reasons = model.value(name), explainer.chain(name)
            if name in stated and stated[name] != value:
                assignment = requests.last.get(name)
                expected, value = value, stated[name]
                prose = explainer.prose(name)
                if line_of_release(session.kernel) == definitions.line:
                    contradictions.append(ContradictingRequests(name, assignment, value, expected, prose))
                reasons = (
                    _resolved(assignment),
                    f"Kconfig of {definitions.line} would give {expected}: {prose}",
                )
            symbols[name] = SymbolValue(value, requests.valid.get(name, requests.last.get(name)), reasons)
        dropped, unknown = [], []
        for name, assignment in requests.last.items():
            if name not in definitions.names:
                if name in definitions.settable:
                    continue
                unknown.append(name)
                dropped.append(Dropped(assignment, None, explainer.absent(name), "unknown"))
                continue
            if not definitions.complete and name not in self._groups:
                continue
            final = symbols[name].value if name in symbols else model.value(name)
            if final != assignment.value and not (final is None and assignment.value in ("n", '""')):
                reason, blame = drops.reason(model, name, assignment.value)
                dropped.append(Dropped(assignment, final, explainer.drop(name, assignment), reason, blame))
        dropped.sort(key=lambda found: (found.assignment.source.path, found.assignment.line))
        return Evaluation(
            session.kernel,
            definitions.arch,
            definitions.source,
            symbols,
            tuple(dropped),
            tuple(unknown),
            definitions.line,
            tuple(contradictions),
            definitions.notes,
        )

    def _stated(self, session: Session, reported: Iterable[str]) -> Mapping[str, str | None]:
        """What a resolved file says of every reported symbol; empty for a file that is none.

        A resolved file names every symbol that is visible or set; what it leaves out is n or has no value. Old
        defconfigs look resolved, but they are there to be fed to the configuration program.
        """
        if len(session.files) != 1 or not session.files[0].resolved or session.unset != "default":
            return {}
        file = session.files[0]
        if file.source.path.endswith("defconfig"):
            return {}
        if file.version is None or line_of_release(file.version) != line_of_release(session.kernel):
            return {}
        model = session.definitions.model
        said: dict[str, str | None] = {}
        for name in reported:
            if name not in session.definitions.names:
                continue
            assignment = session.requests.valid.get(name)
            plain = model.type(name) in ("bool", "tristate")
            said[name] = ("n" if plain else None) if assignment is None else assignment.value
            if assignment is not None and plain:
                said[name] = assignment.value[:1]
        return said

    def _requests(self, definitions: Definitions, base: ConfigFile | None, files: Sequence[ConfigFile]) -> Requests:
        effective: list[tuple[str, str, Assignment]] = []
        last: dict[str, Assignment] = {}
        for number, file in enumerate([base, *files] if base is not None else files):
            found = file.assignments.of(self._scope(definitions, file))
            if number:  # merge_config.sh deletes what the earlier files say of a symbol that this one names
                named = {assignment.symbol for assignment in found}
                effective = [entry for entry in effective if entry[0] not in named]
            for assignment in found:
                name = assignment.symbol
                if name in definitions.settable:
                    value = definitions.model.fits(name, assignment.value)
                    if value is not None:
                        effective.append((name, value, assignment))
                if file is not base:
                    last[name] = assignment
        return Requests(tuple(effective), last, {name: assignment for name, _, assignment in effective})

    def _scope(self, definitions: Definitions, file: ConfigFile) -> frozenset[str]:
        """The names in the file whose assignments matter: what the model defines, and what it can be said to lack."""
        names = frozenset(file.assignments.names)
        if definitions.complete:
            return names
        return (
            names & definitions.settable
            | names & self._groups.keys()
            | frozenset(name for name in names if "AUDIT" in name)
        )

    def _definitions(self, kernel: str, arch: str, tree: Tree | None) -> Definitions:
        if tree is not None:
            return self._from_tree(tree, kernel, arch)
        line = slices.line_for(kernel)
        key = ("", line, arch)
        if key not in self._loaded:
            self._loaded[key] = self._from_slice(line, arch)
        found = self._loaded[key]
        wanted = line_of_release(kernel)
        if wanted != line:
            note = f"no table for Linux {wanted}: the definitions of {line} are used, the nearest that is not newer"
            found = replace(found, notes=(note,))
        return found

    def _from_slice(self, line: str, arch: str) -> Definitions:
        if line not in self._slices:
            self._slices[line] = slices.Slice(line)
        embedded = self._slices[line]
        if arch not in embedded.arches:
            known = ", ".join(embedded.arches)
            raise UserError(f"Linux {line} has no architecture {arch!r}; known are {known}")
        try:
            model = load(slices.OneFile(embedded.text(arch)), "Kconfig", {}, _no_shell)
        except KconfigProblem as problem:
            raise UserError(f"slice of Linux {line}: {problem}") from None
        names = frozenset(model)
        return Definitions(model, names, names, "slice", arch, line, (), False)

    def _from_tree(self, tree: Tree, kernel: str, arch: str) -> Definitions:
        from auditlint.kconfig import macros
        from auditlint.kconfig.tree import RelevantFiles, Whole, kinds, run_shell, variables

        key = (tree.root, tree.line, arch)
        if key not in self._loaded:
            name, folder, subarch = kinds(arch)
            if folder not in tree.architectures():
                raise UserError(f"{tree.path}: has no architecture {arch!r} (arch/{folder})")
            top = tree.top(folder)
            files = Whole(tree) if self._full_tree else RelevantFiles(tree, top)
            shell = run_shell(tree) if self._allow_shell else macros.answer
            try:
                model = load(files, top, variables(name, folder, subarch, tree.release), shell)
            except KconfigProblem as problem:
                raise UserError(f"{tree.path}: {problem}") from None
            names = frozenset(model)
            known = names - model.stubs()
            self._loaded[key] = Definitions(model, known, names, "tree", arch, tree.line, (), self._full_tree)
        found = self._loaded[key]
        note = f"the Kconfig files of {tree.path} (Linux {tree.release}) are used"
        if line_of_release(kernel) != tree.line:
            note += f", although Linux {kernel} was asked for"
        return replace(found, notes=(note,))


def evaluate(
    files: Sequence[ConfigFile], kernel: str, arch: str, *, base: Base = None, tree: Tree | None = None
) -> Evaluation:
    """`Evaluator.evaluate` for a single call."""
    return Evaluator().evaluate(files, kernel, arch, base=base, tree=tree)


def _no_shell(command: str) -> str:
    raise KconfigProblem("a slice runs no commands")


def _narrow(arch: str, files: Sequence[ConfigFile]) -> str:
    """The kernel's ARCH for a machine name, and the SUBARCH of um where a file tells it."""
    names = {word: name for word, name, _ in rows("arch-names.tsv")}
    arch = names.get(arch, arch)
    if arch == "um" and any("i386" in file.source.path.rpartition("/")[2] for file in files):
        return "um-i386"
    return arch


def _resolved(assignment: Assignment | None) -> str:
    where = (
        "not in the resolved file" if assignment is None else f"written in the resolved file (line {assignment.line})"
    )
    return f"{where}, which outranks the tables"
