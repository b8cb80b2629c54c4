"""`check` from an input to its findings; writes nothing."""

from __future__ import annotations

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass, field, replace
from auditlint.lint.registry import all_checks, matches
from auditlint.lint.runner import run_checks, sort_findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeAlias

    from auditlint.analysis.profile_results import ProfileResult
    from auditlint.context.cmdline import CmdlineContext
    from auditlint.context.config import ConfigContext
    from auditlint.context.rules import RulesContext
    from auditlint.context.system import SystemContext
    from auditlint.core.findings import Finding
    from auditlint.core.run_options import RunOptions
    from auditlint.io.inputs import Input
    from auditlint.kconfig.tree import Tree
    from auditlint.lint.results import JudgedInput
    from auditlint.lint.runner import CheckedContext, Selection
    from auditlint.load.program import Program

    InputContext: TypeAlias = RulesContext | ConfigContext | CmdlineContext


@dataclass(frozen=True, slots=True)
class LintResult:
    """One input with its findings (suppressed ones left out), and a line about how its rules load or about what had to
    be assumed of a configuration, empty when there is nothing to say."""

    input: Input
    findings: tuple[Finding, ...]
    suppressed: int
    rules: int
    note: str
    kernel: str = ""
    machine: str = ""
    arch: str | None = None
    """What it was judged for; `arch` of configurations only."""
    profile: ProfileResult | None = None
    left: tuple[Finding, ...] = ()
    """Of what was to be fixed, what still stands: its fix does not go with the others."""

    @property
    def judged(self) -> JudgedInput:
        """The same for reports."""
        from auditlint.lint.results import JudgedInput

        return JudgedInput(self.input.path, self.input.kind, self.kernel, self.machine, self.arch, self.note)


@dataclass(frozen=True, slots=True)
class _Judgement:
    """What one kind of input comes to, before suppressions."""

    findings: list[Finding]
    note: str
    kernel: str
    machine: str
    arch: str | None = None
    rules: int = 0
    profile: ProfileResult | None = None


@dataclass(frozen=True, slots=True)
class Linter:
    """How inputs are judged; the same for all of them, so that one run shares what is loaded."""

    common: RunOptions
    selection: Selection
    with_rules: bool = False
    """Rule files are judged in the same run."""
    shared: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """What one configuration loads and the next one needs again."""
    without_audit: bool = False
    """The kernel is known to have no CONFIG_AUDIT."""
    tree: str | None = None
    """The kernel tree that configurations are evaluated with, whatever tree they lie in."""
    no_tree: bool = False
    """Not even with the one that they lie in."""
    for_path: bool = False
    """What the settings say of the path of the input is part of `common` already; `path_remarks` are about that."""
    path_remarks: tuple[str, ...] = ()

    def context(self, entry: Input) -> InputContext:
        """What the checks of an input look at."""
        if entry.kind == "cmdline":
            return self.cmdline(entry)
        if entry.kind in ("config", "fragment"):
            return self.config(entry)
        return self.rules(entry)

    def rules(self, entry: Input) -> RulesContext:
        """What the checks of rules look at."""
        from auditlint.context.rules import RulesContext

        linter = self._of_paths(entry)
        return RulesContext(linter.program(entry), linter.common.settings)

    def cmdline(self, entry: Input) -> CmdlineContext:
        """What the checks of command lines look at."""
        from auditlint.context.cmdline import cmdline_context

        linter = self._of_paths(entry)
        context = cmdline_context(entry.sources, linter.common, linter.with_rules)
        context.without_audit = linter.without_audit
        return context

    def config(self, entry: Input) -> ConfigContext:
        """What the checks of configurations look at."""
        return self._of_paths(entry)._config(entry)

    def check(self, entry: Input, context: InputContext | None = None) -> LintResult:
        """All findings of one input, sorted by place. `context` is that of the input, when there is one already."""
        linter = self._of_paths(entry)
        if linter is not self:
            return linter.check(entry, context)
        context = context or self.context(entry)
        if context.kind == "rules":
            judgement = self._judge_rules(entry, context)
        elif context.kind == "cmdline":
            judgement = self._judge_cmdline(context)
        else:
            judgement = self._judge_config(context)
        notes = (judgement.note, entry.note, *self.path_remarks)
        kept = self.kept(_without_fix(finding, entry) for finding in judgement.findings)
        findings, suppressed = self._suppress(entry, kept)
        return LintResult(
            entry,
            tuple(sort_findings(findings, (source.path for source in entry.sources))),
            suppressed,
            judgement.rules,
            "; ".join(filter(None, notes)),  # without the path: the report puts equal ones together
            judgement.kernel,
            judgement.machine,
            judgement.arch,
            judgement.profile,
        )

    def _judge_rules(self, entry: Input, context: RulesContext) -> _Judgement:
        from auditlint.analysis.load_summary import closing_note, load_summary

        load = context.get(load_summary)
        note = closing_note(context.program, load) or ""
        profile = None
        if context.settings.profile is not None:
            from auditlint.analysis import profile_coverage

            note = "; ".join(filter(None, (note, profile_coverage.note(context))))
            profile = replace(profile_coverage.outcome(context), path=entry.path)
        findings = self._keep_meant(self._run(context), context)
        target = context.target
        return _Judgement(findings, note, target.kernel, target.machine, None, load.rules, profile)

    def _judge_cmdline(self, context: CmdlineContext) -> _Judgement:
        target = self.common.target
        return _Judgement(self._run(context), "", target.kernel, target.machine)

    def _judge_config(self, context: ConfigContext) -> _Judgement:
        from auditlint.context.builtin_cmdline import builtin_cmdline
        from auditlint.core.target_names import machine_and_arch

        findings = self._run(context)
        builtin = context.get(builtin_cmdline)
        if builtin is not None:
            findings += self._run(builtin)
        machine = self.common.machine or machine_and_arch(None, context.arch)[0] or context.arch
        return _Judgement(findings, context.note, context.kernel, machine, context.arch)

    def _keep_meant(self, findings: list[Finding], context: RulesContext) -> list[Finding]:
        """With the removal of a rule that never decides unsafe, where another finding says that the rule does not mean
        what it says, asked for or not: what was meant would be lost with it."""
        doubted = {check.code for check in all_checks() if check.doubted}
        removals = [
            finding
            for finding in findings
            if finding.code in doubted and finding.fix is not None and finding.fix.level == "safe"
        ]
        if not removals:
            return findings
        from auditlint.core.findings import Fix
        from auditlint.lint.runner import Selection

        doubts = run_checks(context, Selection(tuple(check.code for check in all_checks() if check.casts_doubt)))
        wrong = {_line_of(doubt) for doubt in doubts if doubt.severity != "advice"}
        return [
            replace(finding, fix=Fix("unsafe", finding.fix.title, finding.fix.edits))
            if finding.fix is not None and finding in removals and _line_of(finding) in wrong
            else finding
            for finding in findings
        ]

    def kept(self, findings: Iterable[Finding]) -> list[Finding]:
        """Without those that the settings ignore in their files."""
        return [finding for finding in findings if not self._ignored_here(finding)]

    def together(self, context: SystemContext) -> list[Finding]:
        """What several inputs of one system say against each other."""
        return self.kept(self._run(context))

    def _suppress(self, entry: Input, findings: list[Finding]) -> tuple[list[Finding], int]:
        """What the comments of the input leave, with what is wrong about them, and how many were taken away."""
        if not any(b"auditlint:" in source.data for source in entry.sources):
            return findings, 0
        from auditlint.context.suppressions import SuppressionsContext
        from auditlint.lint import suppressions as suppress

        comments = [each for source in dict.fromkeys(entry.sources) for each in suppress.read_suppressions(source)]
        done = suppress.apply(findings, comments)
        wrong = [each for each in comments if each.error is not None]
        about = self._run(SuppressionsContext(done.unused, wrong))
        return [*done.kept, *about], len(done.taken)

    def program(self, entry: Input) -> Program:
        """The rules of an input as they load."""
        from auditlint.auditctl.augenrules import DEFAULT_AWK
        from auditlint.load.program import load_input

        return load_input(entry, self.common.target, self.common.facts, self.common.awk or DEFAULT_AWK)

    def _of_paths(self, entry: Input) -> Linter:
        """The linter for an input whose path the settings give a target of its own."""
        settings = self.common.settings
        if self.for_path or not any(said.says_target for said in settings.per_path):
            return self
        from auditlint.core.target_choice import for_path

        common = self.common
        for said in settings.per_path:
            paths = (entry.path, *(source.path for source in entry.sources))
            if said.says_target and any(self._fits(path, said.pattern) for path in paths):
                try:
                    common = for_path(common, said)
                except UserError as error:
                    place = f"{settings.file}: per-path.{said.pattern}"
                    raise UserError(f"{place}: {str(error).removeprefix('--')}") from None
        remarks = common.remarks[len(self.common.remarks) :]
        return replace(self, common=common, for_path=True, path_remarks=remarks)

    def _fits(self, path: str, pattern: str) -> bool:
        """Does a path fit a pattern of the settings: as given, relative to their folder, or by its name alone?"""
        from fnmatch import fnmatchcase

        settings = self.common.settings
        folder = settings.file.rpartition("/")[0] or "/" if settings.file else ""
        names = (path, path.rpartition("/")[2], _relative(path, settings.current, folder))
        return any(fnmatchcase(name, pattern) for name in names)

    def _config(self, entry: Input) -> ConfigContext:
        from auditlint.core.compression import UnreadableInput
        from auditlint.kconfig.evaluate import Evaluator

        if "evaluator" not in self.shared:
            self.shared["evaluator"] = Evaluator()
        tree = self._tree(entry)
        try:
            return self._evaluate(entry, tree)
        except UnreadableInput as error:
            raise UserError(f"{entry.path}: {error}") from None
        except UserError as error:
            if tree is None:
                raise UserError(f"{entry.path}: {error}") from None
            if self.tree is not None:
                raise
        self.shared[tree.path] = None  # its Kconfig files cannot be read: the embedded definitions have to do
        return self._config(entry)

    def _evaluate(self, entry: Input, tree: Tree | None) -> ConfigContext:
        from auditlint.context.config import config_context

        common = self.common
        return config_context(
            entry.sources,
            common.settings,
            kernel=common.kernel,
            arch=common.arch,
            machine=common.machine,
            fragment=entry.kind == "fragment",
            evaluator=self.shared["evaluator"],
            tree=tree,
            tree_said=self.tree is not None,
            told=entry.told,
            target=common.target,
        )

    def _tree(self, entry: Input) -> Tree | None:
        """The kernel tree that was said or that a file lies in, loaded once for all of its files."""
        if self.no_tree:
            return None
        from auditlint.kconfig.tree import Tree, enclosing

        if self.tree is not None:
            said: Tree = self.shared.get(("said", self.tree)) or Tree(self.tree)
            self.shared["said", self.tree] = said
            return said
        path = entry.sources[-1].path
        folder = path.rpartition("/")[0]
        if ("in", folder) not in self.shared:
            self.shared["in", folder] = enclosing(path)
        root = self.shared["in", folder]
        if root is not None and root not in self.shared:
            try:
                self.shared[root] = Tree(root)
            except UserError:
                self.shared[root] = None
        tree: Tree | None = self.shared.get(root)
        return tree

    def _run(self, context: CheckedContext) -> list[Finding]:
        return run_checks(context, self.selection, self.common.settings.severity)

    def _ignored_here(self, finding: Finding) -> bool:
        path = finding.at.source.path
        return any(
            bool(said.ignore) and self._fits(path, said.pattern) and matches(finding, said.ignore)
            for said in self.common.settings.per_path
        )


def _line_of(finding: Finding) -> tuple[str, int]:
    source = finding.at.source
    return source.path, finding.at.line


def _relative(path: str, current: str, folder: str) -> str:
    """A path as seen from the folder of the settings; the same where folders are not known."""
    from posixpath import isabs, join, relpath

    if not isabs(folder) or not isabs(join(current, path)):
        return path
    return relpath(join(current, path), folder)


def _without_fix(finding: Finding, entry: Input) -> Finding:
    """The finding without a fix whose edits are not for the bytes of the file: those of an unpacked configuration."""
    if finding.fix is None or all(edit.source in entry.sources for edit in finding.fix.edits):
        return finding
    return replace(finding, fix=None)


def counts(findings: tuple[Finding, ...]) -> Mapping[str, int]:
    """How often each check spoke, the most frequent first."""
    found: dict[str, int] = {}
    for finding in findings:
        name = f"{finding.code} {finding.name}"
        found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
