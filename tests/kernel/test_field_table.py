"""Every layer handles every field of `rulesets/fields.tsv`, and a field that one layer forgets is an error there."""

import pytest

from auditlint.auditctl import field_table, tables
from auditlint.auditctl.field_table import field_facts
from auditlint.auditctl.fields import KINDS
from auditlint.core.data import rows
from auditlint.cost import fields as cost_fields
from auditlint.kernel import acceptance, constraints
from auditlint.kernel import fields as kernel_fields
from auditlint.kernel.event import ID_NAMES

LAYERS: dict[str, set[str]] = {
    "acceptance": set(acceptance.CHECKS),
    "one event": set(kernel_fields.TESTS),
    "constraints": set(constraints.COLLECTORS),
    "cost": set(cost_fields.FORMULAS),
}
HIDDEN = "loginuid_set"


def forgotten(tests: set[str]) -> list[str]:
    """The layers that lack one of these words, with the word."""
    return [f"{layer}: {test}" for layer, words in LAYERS.items() for test in sorted(tests - words)]


def test_every_layer_has_every_test() -> None:
    assert forgotten({facts.test for facts in field_facts().values()}) == []


def test_no_layer_has_a_test_that_no_field_has() -> None:
    used = {facts.test for facts in field_facts().values()}
    assert [f"{layer}: {test}" for layer, words in LAYERS.items() for test in sorted(words - used)] == []


@pytest.mark.parametrize("layer", LAYERS)
def test_a_forgotten_test_is_noticed(layer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LAYERS, layer, LAYERS[layer] - {"family"})
    assert forgotten({facts.test for facts in field_facts().values()}) == [f"{layer}: family"]


def test_auditctl_reads_every_kind() -> None:
    assert {facts.kind for facts in field_facts().values()} <= KINDS


def test_the_kernel_takes_every_field_on_some_list() -> None:
    taken = {row[0] for row in rows("acceptance.tsv")}
    assert taken == field_facts().keys() - {HIDDEN}


def test_every_price_is_measured() -> None:
    prices = {row[0] for row in rows("cost/prices.tsv")} | {"-"}
    assert {facts.name: facts.price for facts in field_facts().values() if facts.price not in prices} == {}


def test_cells_have_known_words() -> None:
    for facts in field_facts().values():
        assert facts.fork in (field_table.DEFINED, field_table.UNDEFINED, field_table.UNTESTED), facts.name
        assert bool(facts.modules) is (facts.name in field_table.LABELS), facts.name
        assert facts.modules <= {"selinux", "apparmor", "smack"}, facts.name
    with pytest.raises(KeyError):
        field_facts()["unknown"]


def test_ids_of_a_task_and_pairs_are_fields() -> None:
    assert set(ID_NAMES) == field_table.TASK_IDS
    owners = field_table.fields_tested_as("owner")
    for left, right in tables.comparisons():
        assert {left, right} <= field_table.TASK_IDS | owners
