"""What a rule wants of the outcome of a call."""

from __future__ import annotations

from auditlint.analysis.rule_calls import abis_of_rule, small_results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.model import Field, Rule
    from auditlint.core.target import Target

FIRST_ERROR = (1 << 32) - 4095
"""-4095, the first number that stands for an error."""
NOT_FOUND = ((1 << 32) - 2, (1 << 32) - 13)
"""-ENOENT and -EACCES: what a look-up that finds nothing returns."""


def only_success(rule: Rule) -> bool:
    """Whether a condition on exit or success leaves out calls whose look-up failed."""
    return any(_leaves_out(field) for field in rule.fields)


def met_by_success(rule: Rule) -> bool:
    """Whether a call that succeeds and returns 0 meets the conditions on exit and success."""
    return all(holds(field, 1 if field.name == "success" else 0) for field in _conditions(rule))


def has_outcome(rule: Rule) -> bool:
    """Whether there is a condition on exit or success at all."""
    return bool(_conditions(rule))


def holds(field: Field, number: int) -> bool:
    """Whether the condition is true for a return value, or of `success` for a state (1 success, 2 failure)."""
    from auditlint.kernel.sets import Numbers

    value = field.value if isinstance(field.value, int) else 0
    if field.name == "success":
        value = 1 if value else 2
    return bool(Numbers(((number, number),)).given(field.op, value))


def _conditions(rule: Rule) -> list[Field]:
    return [field for field in rule.fields if field.name in ("exit", "success")]


def _leaves_out(field: Field) -> bool:
    if field.name == "success":
        return not holds(field, 2)
    return field.name == "exit" and not any(holds(field, error) for error in NOT_FOUND)


def failed_success(rule: Rule, target: Target) -> tuple[int, ...]:
    """The numbers of a condition on success and of one on exit that only failures meet, when no success of the calls of
    the rule looks like an error; empty when there are none."""
    success = [at for at, each in enumerate(rule.fields) if each.name == "success" and not holds(each, 2)]
    errors = [at for at, each in enumerate(rule.fields) if each.name == "exit" and _only_errors(each)]
    machines = abis_of_rule(rule, target)
    if not success or not errors or not machines or rule.list != "exit":
        return ()
    from auditlint.kernel.satisfy import VALUE_TELLS_SUCCESS
    from auditlint.kernel.syscall_classes import tables

    perms = [field.value for field in rule.fields if field.name == "perm" and isinstance(field.value, int)]
    for machine in machines:
        mask = rule.mask
        for perm in perms:
            abi = tables(target).abi(machine.elf)
            mask &= abi.members(perm) | abi.doubtful(perm)
        if machine.elf & 0xFFFF not in VALUE_TELLS_SUCCESS or mask & ~small_results(machine.name):
            return ()
    return success[0], errors[0]


def _only_errors(field: Field) -> bool:
    return isinstance(field.value, int) and field.op in ("=", ">", ">=") and field.value >= FIRST_ERROR
