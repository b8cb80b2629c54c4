"""Security labels: what subj_* and obj_* compare under each security module."""

from __future__ import annotations

from auditlint.auditctl.field_table import field_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.model import Field
    from auditlint.kernel.event import Tristate

_SELINUX_PARTS = {"user": 0, "role": 1, "type": 2}
_OTHERS = ("none", "apparmor", "smack")
"""The modules other than SELinux; they know few fields."""


def has_rule(field: Field, lsm: str | None) -> Tristate:
    """Whether the security module gives the field a meaning; if not, `f->lsm_rule` is NULL.

    AppArmor knows `subj_role` alone, Smack `subj_user` and `obj_user` (security/apparmor/audit.c,
    security/smack/smack_lsm.c, 6.1). Under SELinux a name that the policy does not know has none either:
    not known here. None also when the module is not known.
    """
    return lsm in field_facts()[field.name].modules if lsm in _OTHERS else None


def match(field: Field, label: str | None, lsm: str | None) -> Tristate:
    """Whether a label satisfies a field that has a rule, security_audit_rule_match().

    SELinux compares user, role and type (levels are not modelled: not known), AppArmor the label of the
    profile, Smack the label. With AppArmor a label that is not given counts as `unconfined`, that of a
    task without profile.
    """
    if lsm == "apparmor":
        return ((label or "unconfined") == field.value) is (field.op == "=")
    if label is None:
        return None
    if lsm is None:
        # A label that fits under no module does not fit.
        apart = field.op == "=" and all(match(field, label, each) is False for each in ("apparmor", "smack", "selinux"))
        return False if apart else None
    if lsm == "smack":
        return (label == field.value) is (field.op == "=")
    part = _SELINUX_PARTS.get(field.name.partition("_")[2])
    parts = label.split(":")
    if part is None or part >= len(parts) or field.op not in ("=", "!="):
        return None
    if parts[part] == field.value:
        return field.op == "="
    # A name that the policy does not know leaves a rule that never matches, also with !=.
    return False if field.op == "=" else None
