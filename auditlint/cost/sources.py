"""Where the numbers come from: the laboratory, and what was published before it."""

from __future__ import annotations

from auditlint.core.data import load_toml, rows
from auditlint.cost.prices import measured_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.cost.prices import Prices

LABORATORY = (
    "laboratory: Debian cloud kernels 5.10.223, 6.1.192 and 6.12.117, x86_64, one CPU, QEMU 7.2 TCG with an "
    "instruction counter, mitigations off; guest instructions per operation, minimum of 9 batches"
)
LIMITS = (
    "limits: instructions are not nanoseconds (not known: cache misses are invisible here); not measured: SELinux, "
    "sockets, io_uring with merged code, several CPUs, other file systems than tmpfs"
)


_TABLES = (
    ("actors", "actors", ("actor", "uid", "auid", "what")),
    (
        "operations",
        "system calls of the operations, in order (start: what the task visited before)",
        ("operation", "syscall", "a0", "a1", "a2", "a3", "exit", "exit for a user", "exe", "objects", "records"),
    ),
    (
        "bases",
        "operations as measured (off: audit=0; on: no rule; first: a rule is loaded, its walk subtracted; marks: file "
        "notification marks; user: on, for uid 1000; noise: how far equal scenarios differ)",
        ("operation", "kernel", "off", "on", "first", "marks", "user", "noise"),
    ),
    (
        "lines",
        "kernel lines (from: oldest kernel served; events: by what share events of one kind differ)",
        ("line", "from", "version", "spread", "events"),
    ),
    (
        "syscalls",
        "what is assumed of the system calls of a workload",
        ("syscall", "objects", "objects when it fails", "exit", "marks", "other objects"),
    ),
)
"""The tables behind a price that have no formula of their own: file, title, columns."""


def of(prices: Prices) -> list[str]:
    """The sources of one pricing, in short."""
    return [LABORATORY, f"prices of Linux {prices.version}", *prices.remarks, LIMITS]


def published() -> dict[str, Any]:
    """The published figures: `series` and `point`, as in `rulesets/cost/published.toml`."""
    return load_toml("cost/published.toml")


def quote(name: str) -> str:
    """A published figure in one line, with its source and its limits."""
    found = published()
    each = next(each for each in (*found["series"], *found["point"]) if each["id"] == name)
    note = f" ({each['note']})" if "note" in each else ""
    return f"published: {each['what']}{note}; {each['source']}"


def text() -> list[str]:
    """Everything for people: laboratory, limits, published figures with their notes, the prices with their formulas."""
    lines = [LABORATORY, LIMITS, "", "published figures (never mixed with the laboratory):"]
    found = published()
    for each in found["series"]:
        lines += _heading(each)
        rows_of = "  ".join(f"{x}: {y}" for x, y in each["points"])
        lines.append(f"    {each['x']}: {each['y']}   {rows_of}")
        if "published_loss_percent" in each:
            lines.append("    published loss in percent: " + "  ".join(str(x) for x in each["published_loss_percent"]))
        lines += [f"    note: {each['note']}"] if "note" in each else []
    for each in found["point"]:
        lines += _heading(each)
        for key, value in each.items():
            if key not in ("id", "source", "what", "kernel"):
                lines.append(f"    {key}: {_value(value)}")
    kernels = ", ".join(measured.line for measured in measured_lines())
    lines += [
        "",
        f"prices in instructions ({kernels}), what they are for, and how they follow from the scenarios:",
    ]
    for name, *amounts, formula, meaning in rows("cost/prices.tsv"):
        lines.append(f"  {name}: {', '.join(amounts)}   {meaning}   [{formula}]")
    lines.append(f"  records ({kernels}), with a daemon that reads, without daemon, and dropped by the rate limit:")
    for record, state, *amounts, formula in rows("cost/events.tsv"):
        lines.append(f"  {record}, {state}: {', '.join(amounts)}   [{formula}]")
    for name, title, heads in _TABLES:
        lines += ["", f"{title}: {', '.join(heads)}"]
        lines += ["  " + "; ".join(cell or "-" for cell in row) for row in rows(f"cost/{name}.tsv")]
    return lines


def data() -> dict[str, Any]:
    """The same as data."""
    kernels = [measured.line for measured in measured_lines()]
    names = ("name", *kernels, "from", "meaning")
    records = ("record", "state", *kernels, "from")
    return {
        "version": 1,
        "unit": "instructions",
        "laboratory": LABORATORY,
        "limits": LIMITS,
        "published": published(),
        "prices": [_typed(names, row) for row in rows("cost/prices.tsv")],
        "records": [_typed(records, row) for row in rows("cost/events.tsv")],
        **{
            name: [dict(zip(heads, row, strict=False)) for row in rows(f"cost/{name}.tsv")]
            for name, _, heads in _TABLES
        },
    }


def _typed(names: tuple[str, ...], cells: list[str]) -> dict[str, str | float]:
    return {name: float(cell) if name[0].isdigit() else cell for name, cell in zip(names, cells, strict=True)}


def _heading(each: dict[str, Any]) -> list[str]:
    kernel = f"; {each['kernel']}" if "kernel" in each else ""
    return [f"  {each['id']}: {each['what']}", f"    source: {each['source']}{kernel}"]


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_value(item)}" for key, item in value.items())
    if isinstance(value, list):
        return " -> ".join(str(item) for item in value)
    return str(value)
