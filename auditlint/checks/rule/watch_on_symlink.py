"""AL216: a rule on a symbolic link."""

from __future__ import annotations

from auditlint.analysis.rule_fields import changed, escaped, source_of, with_value
from auditlint.checks.api import Entry, Fix, Hit, Hits, RulesContext, at_number, fields_named, line_bytes, offset
from auditlint.core.path_lookup import resolve


def check(context: RulesContext) -> Hits:
    links = context.facts.symlinks
    if not links and not context.facts.directories_complete:
        yield from _likely(context)
        return
    for _, entry, number, field in fields_named(context, "path", "dir", "exe"):
        text = str(field.value)
        if text.endswith("/"):
            continue  # followed
        if links.get(resolve(text, context.facts, follow=False)) is None:
            continue
        target = resolve(text, context.facts, follow=True)
        fix = _fix(context, entry, number, target)
        if field.name == "exe":
            never = field.op == "="
            what = f"no program runs under the name of the link: {'never' if never else 'always'} true"
            yield Hit(at_number(entry, number), f"{text} is a symbolic link to {target}; {what}", (), fix)
        else:
            what = "the rule watches the link, not its target"
            yield Hit(at_number(entry, number), f"{text} is a symbolic link to {target}; {what}", (), fix)


def _likely(context: RulesContext) -> Hits:
    """Without facts about links: those that most hosts have, as notes that say so."""
    from auditlint.auditctl.tables import likely_links

    likely = likely_links()
    for _, entry, number, field in fields_named(context, "path", "dir", "exe"):
        text = str(field.value)
        target = likely.get(text)
        if target is None or text in context.facts.directories:
            continue
        what = "sees nothing that happens to its target"
        if field.name == "exe":
            what = f"is {'never' if field.op == '=' else 'always'} true"
        message = f"{what}, assuming {text} is a link to {target}, as on most hosts; --target or --root tells"
        yield Hit(at_number(entry, number), message, (), None, "advice")


def _fix(context: RulesContext, entry: Entry, number: int, target: str) -> Fix | None:
    """The target in place of the link, in -F or in -w."""
    title = f"Use {target}"
    if source_of(entry, number) is not None:
        return with_value(context, entry, number, "unsafe", title, target)
    watch = next((option for option in entry.line.options if option.name == "-w"), None)
    if watch is None or watch.arg_span is None:
        return None
    text = line_bytes(entry)
    start, end = (offset(entry, place) for place in watch.arg_span)
    path = escaped(target).encode("utf-8", "surrogateescape")
    return changed(context, entry, "unsafe", title, text[:start] + path + text[end:])
