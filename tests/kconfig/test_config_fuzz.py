"""Any configuration text: no exception, spans in range, fixes that stay in their line."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.context.builtin_cmdline import builtin_cmdline
from auditlint.context.config import config_context
from auditlint.core.settings import Settings
from auditlint.core.source import Source
from auditlint.kconfig.evaluate import Evaluator
from auditlint.lint.runner import run_checks

NAMES = [
    "NET", "INET", "AUDIT", "AUDITSYSCALL", "AUDIT_WATCH", "AUDIT_SYSCALL", "SECURITY", "SECURITY_SELINUX",
    "SECURITY_APPARMOR", "SECURITY_IPE", "SECURITY_NETWORK", "LSM", "CMDLINE", "CMDLINE_BOOL", "CMDLINE_OVERRIDE",
    "IO_URING", "EXPERT", "AEABI", "OABI_COMPAT", "X86_X32_ABI", "SECURTIY_PATH", "INTEGRITY_AUDIT", "MODULES",
]  # fmt: skip
VALUES = [
    "y",
    "n",
    "m",
    "",
    '"audit=0"',
    '"audit=1 audit_backlog_limit=1"',
    '"selinux"',
    "yes",
    "1",
    '"',
    '"\\',
    "\xff",
]
FORMS = [
    "CONFIG_{}={}",
    "# CONFIG_{} is not set",
    " CONFIG_{}={}",
    "CONFIG_{} = {}",
    "{}={}",
    "CONIFG_{}={}",
    "#CONFIG_{} is not set",
]
lines = st.builds(lambda form, name, value: form.format(name, value), *map(st.sampled_from, (FORMS, NAMES, VALUES)))
EVALUATOR = Evaluator()


@given(
    st.lists(lines, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["4.4", "5.10", "6.12"]),
    st.sampled_from(["x86_64", "arm", "mips"]),
    st.booleans(),
    st.sampled_from([None, "audit", "no-audit"]),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_lines(text: Any, end: Any, kernel: Any, arch: Any, fragment: Any, policy: Any) -> None:
    source = Source("config", end.join(text).encode("latin-1"))
    context = config_context(
        [source], Settings(policy=policy), kernel=kernel, arch=arch, fragment=fragment, evaluator=EVALUATOR
    )
    findings = run_checks(context)
    if (builtin := context.get(builtin_cmdline)) is not None:
        findings += run_checks(builtin)
    for finding in findings:
        assert finding.message
        for place in (finding.at, *finding.related):
            assert place.source is source
            assert 0 <= place.span[0] <= place.span[1] <= len(source.data)
        if finding.fix is not None:
            for edit in finding.fix.edits:
                assert b"\n" not in source.data[edit.start : edit.end] + edit.text
                assert source.line_of(edit.start) == source.line_of(finding.at.span[0])
