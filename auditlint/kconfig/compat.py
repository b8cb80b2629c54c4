"""What Kconfiglib 14.1.0 cannot read in kernel trees, rewritten as a file is opened. Lines keep their numbers.

* `modules` as a property of MODULES (since Linux 5.13) is the older `option modules`.
* `transitional` (since 6.18): a symbol without prompt that still takes a request from an older file. A prompt gives
  it the same value.
* `depends on X if Y` (since 6.19) means `X || Y = n` (menu_add_dep(), scripts/kconfig/menu.c, 7.1).
* A semicolon behind a prompt (2.6.32), and lines that begin with a character of no meaning, such as a lone `.`: the
  C parser warns of them and passes over them.
"""

from __future__ import annotations

import re

_PROPERTY = re.compile(r"^([ \t]+)(modules|transitional)[ \t]*(?:#.*)?$", re.M)
_DEPENDS = re.compile(r"^([ \t]+depends[ \t]+on[ \t])([^\n]*)$", re.M)
_IF = re.compile(r"(?<=[ \t)])if(?=[ \t(])")
_SEMICOLON = re.compile(r'("[^"\n]*")[ \t]*;[ \t]*$', re.M)
_STRAY = re.compile(r"(?<!\\\n)^[ \t]*[^\w\s$#\"'-].*$", re.M | re.A)
_NAME = re.compile(r'"[^"]*"|\'[^\']*\'|(?<![\w$])\w+(?![\w(])')
_COMPARISON = re.compile(r"\s*(?:!=|<=|>=|=|<|>)")
_BEFORE = re.compile(r"(?:!=|<=|>=|=|<|>)\s*$")


def rewrite(text: str) -> str:
    """A Kconfig file as Kconfiglib can read it."""
    if "modules" in text or "transitional" in text:
        text = _PROPERTY.sub(_property, text)
    if " if " in text and "depends" in text:
        text = _DEPENDS.sub(_conditional, text)
    if ";" in text:
        text = _SEMICOLON.sub(r"\1", text)
    return _STRAY.sub("", text)


def _property(match: re.Match[str]) -> str:
    return match[1] + ("option modules" if match[2] == "modules" else 'prompt "transitional"')


def _conditional(match: re.Match[str]) -> str:
    # All of this is linear: a tree may have lines made to be slow.
    condition, _, remark = match[2].partition("#")
    found = _IF.search(condition)
    if found is None or condition.endswith("\\"):
        return match[0]
    needed, given = condition[: found.start()].strip(), condition[found.end() :].strip()
    return f"{match[1]}({needed}) || !({_is_on(given)})" + (f" #{remark}" if remark else "")


def _is_on(expression: str) -> str:
    """The expression with every plain symbol X as `X != n`, so that m counts as on and the result is y or n."""

    def on(match: re.Match[str]) -> str:
        name = match[0]
        if (
            name[0] in "\"'"
            or _COMPARISON.match(expression, match.end())
            or _BEFORE.search(expression, 0, match.start())
        ):
            return name
        return f"{name} != n"

    return _NAME.sub(on, expression)
