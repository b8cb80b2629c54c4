"""The price of testing one field, by what it compares and how the test ends."""

from __future__ import annotations

from auditlint.auditctl.field_table import field_facts
from auditlint.auditctl.model import PERM_A, PERM_R, PERM_W, PERM_X
from auditlint.auditctl.tables import comparison_pairs
from auditlint.kernel.event import UNSET
from auditlint.kernel.syscall_classes import match_perm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.auditctl.model import Field
    from auditlint.kernel.eval_context import EvalContext, ResolvedPath
    from auditlint.kernel.event import Tristate

_PER_NAME = {
    "filetype": "filetype_name",
    "obj_uid": "obj_name",
    "obj_gid": "obj_name",
    "devmajor": "dev_name",
    "devminor": "dev_name",
    "inode": "inode_name",
}
_CLASSES = (PERM_W, PERM_R, PERM_A)
"""The order in which audit_match_perm() asks for the classes (kernel/auditsc.c)."""


class FieldPrices:
    """The prices of field tests for one situation; `touched` tells that the task has visited a watched tree,
    `inside` that a name of the call lies in one."""

    __slots__ = ("evaluation", "inside", "touched", "values")

    def __init__(self, values: Mapping[str, float], evaluation: EvalContext, touched: bool, inside: bool) -> None:
        self.values = values
        self.evaluation = evaluation
        self.touched = touched
        self.inside = inside

    def price(self, field: Field, answer: Tristate, at: ResolvedPath | None) -> float:
        """Instructions of one test; an answer that is not known counts as true: the tests go on behind it.

        A label costs what the cheapest measured test costs: the least it can be.
        """
        values = self.values
        name = field.name
        if name == "key":
            return 0.0
        if name == "dir":
            if answer:
                return values["dir_true"]
            if self.inside:
                return values["dir"] + values["dir_inside"]
            return values["dir"] + (values["tree_dir"] if self.touched else 0.0)
        base = self._false(field, at)
        return base if answer is False else base + values["true"]

    def _false(self, field: Field, at: ResolvedPath | None) -> float:
        facts = field_facts()[field.name]
        return FORMULAS[facts.test](self, field, self.values.get(facts.price, 0.0), at)

    def _plain(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        return price

    def _id(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        if field.name == "auid" and field.value == UNSET and field.op in ("=", "!="):
            return self.values["auid_set"]
        of_user = field_facts()[field.name].kind == "uid"
        return price + (self.values["order"] if of_user and field.op[0] in "<>" else 0.0)

    def _group(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        return price - (0.0 if self._searches(field) else self.values["group_search"])

    def _path(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        return price if at is None or at.exists else self.values["path_missing"]

    def _pair(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        pair = comparison_pairs().get(field.value if isinstance(field.value, int) else 0)
        if pair is not None and pair[1].startswith("obj_"):
            return self.values["compare_obj"] + self.values["compare_obj_name"] * self._names(None)
        return price

    def _inode(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        if at is not None:
            return self.values["path" if at.exists else "path_missing"]
        return price + self.values["inode_name"] * self._names(None)

    def _per_name(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        """A price for the test and one for each path object; filetype looks at all of them, also in the hash."""
        return price + self.values[_PER_NAME[field.name]] * self._names(None if field.name == "filetype" else at)

    def _names(self, at: ResolvedPath | None) -> int:
        """How many path objects a test looks at: the one at hand in the inode hash, else all."""
        if at is not None:
            return 1
        return len(self.evaluation.objects or ())

    def _searches(self, field: Field) -> bool:
        """Whether the supplementary groups are searched: = and != whose primary group does not decide."""
        return field.op in ("=", "!=") and getattr(self.evaluation.ids, field.name) != field.value

    def _perm(self, field: Field, price: float, at: ResolvedPath | None) -> float:
        values = self.values
        evaluation = self.evaluation
        number, abi = evaluation.event.nr, evaluation.abi
        wanted = field.value if isinstance(field.value, int) else 0
        if number is None or abi is None or not 0 <= number < 2048:
            return values["perm"]
        if 1 << number & (abi.open | abi.openat | abi.openat2 | abi.exec | abi.socketcall):
            return values["perm_open"]
        price = values["perm"]
        for letter in _CLASSES:
            if wanted & letter:
                price += values["perm_class"]
                if match_perm(abi, number, letter, evaluation.event.args, evaluation.event.flags):
                    return price
        return price + (values["perm_x"] if wanted & PERM_X else 0.0)


FORMULAS = {
    "id": FieldPrices._id,
    "group": FieldPrices._group,
    "path": FieldPrices._path,
    "perm": FieldPrices._perm,
    "pair": FieldPrices._pair,
    "inode": FieldPrices._inode,
    **dict.fromkeys(("file-type", "owner", "device"), FieldPrices._per_name),
    **dict.fromkeys(("subject-label", "object-label", "program", "abi", "argument", "family"), FieldPrices._plain),
    **dict.fromkeys(("process", "parent", "personality", "session", "login-set"), FieldPrices._plain),
    **dict.fromkeys(("exit", "success", "key", "dir", "record-type", "filesystem"), FieldPrices._plain),
}
"""The price of a test that ends with false, by the column `test` of `rulesets/fields.tsv`."""
