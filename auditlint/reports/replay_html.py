"""The answer of `replay` as one HTML page without scripts: events over time by rule, tables, proposals."""

from __future__ import annotations

from auditlint.core.escaping import printable
from auditlint.reports.replay import size, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_WIDTH, _HEIGHT = 960, 240
_COLOURS = ("#3366cc", "#dc3912", "#ff9900", "#109618", "#990099", "#0099c6", "#dd4477", "#66aa00", "#b82e2e", "#888")
_STYLE = (
    "body{font:14px/1.5 sans-serif;margin:2em auto;max-width:1000px;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.15em .8em .15em 0;text-align:left;vertical-align:top}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}code{white-space:pre-wrap}"
    ".k{display:inline-block;width:.8em;height:.8em;margin-right:.4em}"
)


def escape(text: object) -> str:
    """Text that is safe in HTML."""
    plain = printable(str(text))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def page(answer: dict[str, Any], tables: Sequence[str]) -> Iterator[str]:
    """The page in pieces."""
    log = answer["log"]
    title = escape(", ".join(log["files"][:3]) or "audit log")
    yield f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
    yield f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    yield (
        f"<p>{log['events']:,} events, {log['records']:,} records, {size(log['bytes'])} in {span(log['seconds'])}; "
        f"{log['gaps']['missing']:,} of {log['gaps']['of']:,} serial numbers are missing.</p>\n"
    )
    series = answer["series"]
    if series["columns"]:
        yield from _chart(series)
    rows = [row for row in answer["rules"] if row["events"]]
    if rows:
        yield "<h2>Rules</h2>\n<table><tr><th>events</th><th>bytes</th><th>share</th><th>rule</th></tr>\n"
        for row in rows:
            yield (
                f'<tr><td class="n">{row["events"]:,}</td><td class="n">{row["bytes"]:,}</td>'
                f'<td class="n">{row["share"]:.1%}</td><td>{escape(row["file"])}:{row["line"]} '
                f"<code>{escape(row['text'])}</code></td></tr>\n"
            )
        yield "</table>\n"
    for name in tables:
        if name in answer["tables"]:
            yield f"<h2>{escape(name)}</h2>\n<table>\n"
            for row in answer["tables"][name]["rows"]:
                yield f'<tr><td class="n">{row["events"]:,}</td><td>{escape(row["value"])}</td></tr>\n'
            yield "</table>\n"
    if answer["proposals"]:
        yield "<h2>What would quiet it</h2>\n<ol>\n"
        for proposal in answer["proposals"]:
            place = proposal["place"]["before"]
            yield (
                f"<li><code>{escape(proposal['rule'])}</code><br>before {escape(place['file'])}:{place['line']}; takes "
                f"{proposal['events']:,} events, {size(proposal['bytes'])}</li>\n"
            )
        yield "</ol>\n"
    yield "<p>A log holds only what was recorded.</p>\n</body></html>\n"


def _chart(series: dict[str, Any]) -> Iterator[str]:
    """A stacked area: one band a rule, the smaller ones together."""
    names = series["names"]
    columns = series["columns"]
    highest = max((sum(column["events"]) for column in columns), default=0) or 1
    step = _WIDTH / max(1, len(columns) - 1)
    yield f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="events over time by rule">\n'
    below = [0.0] * len(columns)
    for number in range(len(names)):
        above = [base + column["events"][number] for base, column in zip(below, columns, strict=True)]
        upper = [f"{at * step:.1f},{_HEIGHT * (1 - value / highest):.1f}" for at, value in enumerate(above)]
        lower = [f"{at * step:.1f},{_HEIGHT * (1 - value / highest):.1f}" for at, value in enumerate(below)]
        colour = _COLOURS[number % len(_COLOURS)]
        yield f'<polygon fill="{colour}" points="{" ".join([*upper, *reversed(lower)])}"></polygon>\n'
        below = above
    yield "</svg>\n<p>"
    for number, name in enumerate(names):
        yield f'<span class="k" style="background:{_COLOURS[number % len(_COLOURS)]}"></span>{escape(name)} '
    yield f"; at most {highest:,} events in {span(series['seconds'])}</p>\n"
