"""From configuration files to what the checks look at: which kernel and architecture, which base, evaluated."""

from __future__ import annotations

from functools import cached_property

from auditlint.context.base import Context
from auditlint.context.rules import at_start
from auditlint.core.data import rows
from auditlint.core.kernel_version import line_of_release
from auditlint.core.source import Location, Source
from auditlint.core.target import BY_DEFAULT, DEFAULT_KERNEL, DEFAULT_MACHINE, NO_KERNEL
from auditlint.kconfig.config_file import read_config
from auditlint.kconfig.model import Assignments, ConfigFile
from auditlint.kconfig.origin import same_arch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Literal, TypeVar

    from auditlint.core.settings import Settings
    from auditlint.core.target import Target
    from auditlint.kconfig.evaluate import Evaluator
    from auditlint.kconfig.model import Assignment, Dropped, Evaluation
    from auditlint.kconfig.tree import Tree

    Result = TypeVar("Result")


class ConfigContext(Context):
    """One kernel configuration (or fragments merged in order) with what Kconfig makes of it.

    `kernel` and `arch` are what it is judged for; `origin` says for each where that came from, and is `assumed` when
    neither options nor file said so.
    """

    kind: Literal["config"] = "config"

    def __init__(
        self,
        files: Sequence[ConfigFile],
        evaluation: Evaluation,
        settings: Settings,
        origin: Mapping[str, str],
        evaluate: Callable[[Sequence[ConfigFile]], Evaluation],
        fragment: bool = False,
        strict: Evaluation | None = None,
    ) -> None:
        super().__init__()
        self.files = tuple(files)
        self.evaluation = evaluation
        self.settings = settings
        self.origin = origin
        self.evaluate = evaluate
        """Evaluates other files for the same kernel, architecture and definitions."""
        self.fragment = fragment
        self.strict = strict
        """Of a fragment: the evaluation without AUDIT being assumed from elsewhere."""
        self._results: dict[Any, Any] = {}

    def get(self, analysis: Callable[[ConfigContext], Result]) -> Result:
        """What an analysis says of this configuration, computed once: who asks again gets the same object."""
        if analysis not in self._results:
            self._results[analysis] = analysis(self)
        result: Result = self._results[analysis]
        return result

    @property
    def kernel(self) -> str:
        return self.evaluation.kernel

    @property
    def arch(self) -> str:
        return self.evaluation.arch

    @property
    def policy(self) -> str | None:
        return self.settings.policy

    def kernel_at_least(self, line: str) -> bool:
        from auditlint.core.target import version

        return version(self.kernel) >= version(line)

    @property
    def resolved(self) -> bool:
        """Is it the output of the configuration program of that kernel, so that its own values are the truth?"""
        first = self.files[0]
        return len(self.files) == 1 and first.resolved and line_of_release(first.version or "") in (None, self.kernel)

    @property
    def where(self) -> str:
        """`Linux 6.1 on arm64`; `note` names once for the file what is assumed."""
        return f"Linux {self.kernel} on {self.arch}"

    @property
    def note(self) -> str:
        """One line about what is assumed, with the option that sets it, and about options that contradict the file;
        empty when there is neither."""
        from auditlint.context.config import disagreements

        words = {"kernel": ("the kernel", "--kernel"), "arch": ("the architecture", "--arch")}
        unknown = [words[key] for key in words if self.assumed(key)]
        notes = list(self.evaluation.notes)
        if unknown:
            names, options = " and ".join(name for name, _ in unknown), " and ".join(option for _, option in unknown)
            notes.insert(0, f"the file does not show {names}; judged for {self.where}, choose with {options}")
        asked = {key: value for key, value in (("kernel", self.kernel), ("arch", self.arch)) if self.asked(key)}
        notes += disagreements(self.files, asked.get("kernel"), asked.get("arch"))
        return "; ".join(notes)

    def assumed(self, key: str) -> bool:
        return self.origin.get(key) == "assumed"

    def asked(self, key: str) -> bool:
        return self.origin.get(key) == "option"

    def request(self, symbol: str) -> Assignment | None:
        """The last line about a symbol."""
        return self._requests.get(symbol)

    @cached_property
    def known(self) -> frozenset[str]:
        """Every symbol that the tables know of, in any kernel."""
        return frozenset(symbol for symbol, _ in rows("kconfig/recorded.tsv"))

    @cached_property
    def _requests(self) -> dict[str, Assignment]:
        found: dict[str, Assignment] = {}
        for file in self.files:
            for assignment in file.assignments.of(self.evaluation.symbols):
                found[assignment.symbol] = assignment
        return found

    def explicit(self, symbol: str) -> str | None:
        """The value of the last line about any symbol, recorded or not; None when there is none."""
        for file in reversed(self.files):
            last = file.assignments.last(symbol)
            if last is not None:
                return last.value
        return None

    def value(self, symbol: str) -> str:
        """The final value, `n` for a symbol that does not exist."""
        result = self.evaluation.symbols.get(symbol)
        return (result.value or "n") if result is not None else "n"

    def on(self, symbol: str) -> bool:
        return self.value(symbol) in ("y", "m")

    @cached_property
    def syscalls_possible(self) -> bool:
        """Would AUDITSYSCALL be on if a line asked for it?"""
        changed = with_setting(self, "AUDITSYSCALL", "y").symbols.get("AUDITSYSCALL")
        return changed is not None and changed.value == "y"

    def why(self, symbol: str) -> str:
        """The reason for a value and the reason of that reason; the whole chain is printed by `kconfig`."""
        result = self.evaluation.symbols.get(symbol)
        return "; ".join(result.why[:2]) if result is not None else f"Linux {self.kernel} has no {symbol}"

    def dropped(self, *reasons: str) -> Iterator[Dropped]:
        """Requests in the user's own lines that have no effect for one of these reasons. None in a resolved file:
        it shows what its kernel made of it, and a difference is a contradiction."""
        if self.resolved:
            return
        for drop in self.evaluation.dropped:
            if drop.reason in reasons and any(drop.assignment.source is file.source for file in self.files):
                yield drop

    def at(self, symbol: str, message: str = "") -> Location:
        """The line about a symbol, or the file as a whole."""
        request = self.request(symbol)
        if request is None:
            return at_start(self.files[-1].source, message)
        return Location(request.source, request.span, message)

    @cached_property
    def triggers(self) -> frozenset[str]:
        """`dropped:REASON`, `ignored` (a line looks like a setting and is none), `fragment`, `contradiction` (a
        resolved file differs from the tables), `on:AUDIT`, `off:AUDIT`, `on:SECURITY`, `policy:NAME`."""
        found = {"*"}
        found.update("dropped:" + drop.reason for drop in self.evaluation.dropped)
        if any(file.ignored for file in self.files):
            found.add("ignored")
        found.add("on:AUDIT" if self.on("AUDIT") else "off:AUDIT")
        if self.on("SECURITY"):
            found.add("on:SECURITY")
        if self.fragment:
            found.add("fragment")
        if self.evaluation.contradictions:
            found.add("contradiction")
        if self.policy:
            found.add("policy:" + self.policy)
        return frozenset(found)


def config_context(
    sources: Sequence[Source],
    settings: Settings,
    *,
    kernel: str | None = None,
    arch: str | None = None,
    machine: str | None = None,
    fragment: bool | None = None,
    evaluator: Evaluator | None = None,
    tree: Tree | None = None,
    tree_said: bool = False,
    told: tuple[str | None, str | None] = (None, None),
    target: Target | None = None,
) -> ConfigContext:
    """Read the files, merge them in order and evaluate them.

    `kernel`, `arch` and `machine` are what the user said and win; then the settings, then what the files say; then the
    newest kernel on x86_64, marked as assumed. `fragment` overrides what the form of the files says; an `evaluator`
    shares loaded definitions between calls. A `tree` that the files lie in says the kernel before they do, and is what
    they are evaluated with unless another kernel is meant; one that the user has said (`tree_said`) is used then, too.
    `told` is the kernel line and the ARCH that a list of these files says; that is more than they know themselves.
    `target` counts where nothing else says what they are for, unless it is the default itself.
    Raises UnreadableInput for a file that cannot be read, UserError for a kernel or architecture that is not known.
    """
    from auditlint.kconfig.evaluate import Evaluator

    kernel = kernel or settings.kernel
    kernel = None if kernel == NO_KERNEL else kernel
    arch = arch or settings.arch or arch_of_machine(machine or settings.machine)
    files = [read_config(source, kernel=kernel) for source in sources]
    origin: dict[str, str] = {}
    last_first = list(reversed(files))  # of layers the last one knows best
    if kernel is not None:
        origin["kernel"] = "option"
    elif tree is not None:
        kernel, origin["kernel"] = tree.line, "kernel tree"
    elif told[0] is not None:
        kernel, origin["kernel"] = told[0], "list of files"
    else:
        kernel = next((line for file in last_first if file.version and (line := line_of_release(file.version))), None)
        origin["kernel"] = next((file.origin["version"] for file in last_first if file.version), "assumed")
    if arch is not None:
        origin["arch"] = "option"
    elif told[1] is not None:
        arch, origin["arch"] = told[1], "list of files"
    else:
        arch = next((file.arch for file in last_first if file.arch), None)
        origin["arch"] = next((file.origin["arch"] for file in last_first if file.arch), "assumed")
    if target is not None and kernel is None and target.source.kernel != BY_DEFAULT and target.kernel != NO_KERNEL:
        kernel, origin["kernel"] = target.kernel, "target"
    if target is not None and arch is None and target.source.machine != BY_DEFAULT:
        arch = arch_of_machine(target.machine)
        origin["arch"] = "target" if arch is not None else "assumed"
    kernel = kernel or DEFAULT_KERNEL
    arch = arch or arch_of_machine(DEFAULT_MACHINE) or "x86"
    if fragment is None:
        fragment = all(file.partial for file in files)
    used = tree if tree is not None and (tree_said or tree.line == kernel) else None
    evaluator = evaluator or Evaluator()

    def evaluate(given: Sequence[ConfigFile]) -> Evaluation:
        return evaluator.evaluate(given, kernel, arch, tree=used)

    if not fragment:
        return ConfigContext(files, evaluate(files), settings, origin, evaluate)
    strict = None
    if not any(file.assignments.last("AUDIT") for file in files):
        strict = evaluate([_assumed(kernel, arch, audit=False), *files])
    return ConfigContext(files, evaluate([_assumed(kernel, arch), *files]), settings, origin, evaluate, True, strict)


def disagreements(files: Sequence[ConfigFile], kernel: str | None, arch: str | None) -> list[str]:
    """What files say of themselves against what was asked for, None where nothing was. A defconfig is input for any
    kernel, whatever its header says."""
    found: list[str] = []
    for file in files:
        said = []
        line = line_of_release(file.version or "")
        written = file.origin.get("version") == "header comment" and not file.source.path.endswith("defconfig")
        if kernel is not None and written and line != line_of_release(kernel):
            said.append(f"Linux {line}")
        written = file.arch is not None and file.origin.get("arch") != "file path"
        if arch is not None and file.arch is not None and written and not same_arch(file.arch, arch):
            said.append(file.arch)
        if said:
            asked = " on ".join(each for each in (kernel and f"Linux {kernel}", arch) if each)
            where = f"{file.source.path}: " if len(files) > 1 else ""
            found.append(f"{where}judged for {asked} as asked, although the file says {' on '.join(said)}")
    return found


def with_setting(context: ConfigContext, symbol: str, value: str) -> Evaluation:
    """What the configuration would become with one more line at its end; a fragment over what it may count on."""
    source = Source("(what if)", f"CONFIG_{symbol}={value}\n".encode())
    line = ConfigFile(source, "assumed", False, Assignments(source, [symbol], [1]), (), context.kernel, context.arch)
    below = [_assumed(context.kernel, context.arch)] if context.fragment else []
    return context.evaluate([*below, *context.files, line])


def arch_of_machine(machine: str | None) -> str | None:
    """The kernel's ARCH for a machine name of `uname -m`; None for a name that is not known."""
    if machine is None:
        return None
    return next((arch for word, arch, _ in rows("arch-names.tsv") if word == machine), None)


def _assumed(kernel: str, arch: str, audit: bool = True) -> ConfigFile:
    """What a fragment may count on: everything that its own settings could need, so that only what the fragment itself
    rules out is reported."""
    text = "".join(f"CONFIG_{symbol}={value}\n" for symbol, value, *_ in rows("fragment-base.tsv"))
    if not audit:
        text = text.replace("CONFIG_AUDIT=y\n", "")
    from auditlint.kconfig.explainer import ASSUMED

    source = Source(ASSUMED, text.encode())
    names = [line.partition("=")[0][7:] for line in text.splitlines()]
    assignments = Assignments(source, names, list(range(1, len(names) + 1)))
    return ConfigFile(source, "assumed", False, assignments, (), kernel, arch)
