"""From configuration files to what the checks look at: which kernel and architecture, which base, evaluated."""

from __future__ import annotations

from auditlint.data import rows
from auditlint.kconfig.model import Assignments, ConfigFile
from auditlint.kconfig.origin import kernel_line, same_arch
from auditlint.kconfig.read import read_config
from auditlint.source import Source
from auditlint.target import DEFAULT_KERNEL, DEFAULT_MACHINE, NO_KERNEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.kconfig.evaluate import Evaluator
    from auditlint.kconfig.model import Evaluation
    from auditlint.kconfig.tree import Tree
    from auditlint.settings import Settings
    from auditlint.subjects import ConfigSubject


def config_subject(
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
) -> ConfigSubject:
    """Read the files, merge them in order and evaluate them.

    `kernel`, `arch` and `machine` are what the user said and win; then the settings, then what the files say; then the
    newest kernel on x86_64, marked as assumed. `fragment` overrides what the form of the files says; an `evaluator`
    shares loaded definitions between calls. A `tree` that the files lie in says the kernel before they do, and is what
    they are evaluated with unless another kernel is meant; one that the user has said (`tree_said`) is used then, too.
    `told` is the kernel line and the ARCH that a list of these files says; that is more than they know themselves.
    Raises UnreadableInput for a file that cannot be read, UserError for a kernel or architecture that is not known.
    """
    from auditlint.kconfig.evaluate import Evaluator
    from auditlint.subjects import ConfigSubject

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
        kernel = next((line for file in last_first if file.version and (line := kernel_line(file.version))), None)
        origin["kernel"] = next((file.origin["version"] for file in last_first if file.version), "assumed")
    if arch is not None:
        origin["arch"] = "option"
    elif told[1] is not None:
        arch, origin["arch"] = told[1], "list of files"
    else:
        arch = next((file.arch for file in last_first if file.arch), None)
        origin["arch"] = next((file.origin["arch"] for file in last_first if file.arch), "assumed")
    kernel = kernel or DEFAULT_KERNEL
    arch = arch or arch_of_machine(DEFAULT_MACHINE) or "x86"
    if fragment is None:
        fragment = all(file.partial for file in files)
    used = tree if tree is not None and (tree_said or tree.line == kernel) else None
    evaluator = evaluator or Evaluator()

    def evaluate(given: Sequence[ConfigFile]) -> Evaluation:
        return evaluator.evaluate(given, kernel, arch, tree=used)

    if not fragment:
        return ConfigSubject(files, evaluate(files), settings, origin, evaluate)
    strict = None
    if not any(file.assignments.last("AUDIT") for file in files):
        strict = evaluate([_assumed(kernel, arch, audit=False), *files])
    return ConfigSubject(files, evaluate([_assumed(kernel, arch), *files]), settings, origin, evaluate, True, strict)


def disagreements(files: Sequence[ConfigFile], kernel: str | None, arch: str | None) -> list[str]:
    """What files say of themselves against what was asked for, None where nothing was. A defconfig is input for any
    kernel, whatever its header says."""
    found: list[str] = []
    for file in files:
        said = []
        line = kernel_line(file.version or "")
        written = file.origin.get("version") == "header comment" and not file.source.path.endswith("defconfig")
        if kernel is not None and written and line != kernel_line(kernel):
            said.append(f"Linux {line}")
        written = file.arch is not None and file.origin.get("arch") != "file path"
        if arch is not None and file.arch is not None and written and not same_arch(file.arch, arch):
            said.append(file.arch)
        if said:
            asked = " on ".join(each for each in (kernel and f"Linux {kernel}", arch) if each)
            where = f"{file.source.path}: " if len(files) > 1 else ""
            found.append(f"{where}judged for {asked} as asked, although the file says {' on '.join(said)}")
    return found


def with_setting(subject: ConfigSubject, symbol: str, value: str) -> Evaluation:
    """What the configuration would become with one more line at its end; a fragment over what it may count on."""
    source = Source("(what if)", f"CONFIG_{symbol}={value}\n".encode())
    line = ConfigFile(source, "assumed", False, Assignments(source, [symbol], [1]), (), subject.kernel, subject.arch)
    below = [_assumed(subject.kernel, subject.arch)] if subject.fragment else []
    return subject.evaluate([*below, *subject.files, line])


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
    from auditlint.kconfig.why import ASSUMED

    source = Source(ASSUMED, text.encode())
    names = [line.partition("=")[0][7:] for line in text.splitlines()]
    assignments = Assignments(source, names, list(range(1, len(names) + 1)))
    return ConfigFile(source, "assumed", False, assignments, (), kernel, arch)
