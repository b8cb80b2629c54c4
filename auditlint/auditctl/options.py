"""Walks over the options of one line from left to right, as setopt() of auditctl does, and makes requests of them.

The first mistake ends the walk and gives the kind. Names of C functions are those of audit-userspace src/auditctl.c
and lib/libaudit.c.
"""

from __future__ import annotations

from auditlint.auditctl import calls, conditions, controls
from auditlint.auditctl import list_options as places
from auditlint.auditctl.fields import as_text
from auditlint.auditctl.model import ALL_SYSCALLS, Request, Rule
from auditlint.auditctl.state import REPLY, SAYS_NOTHING, SILENT
from auditlint.core.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from auditlint.auditctl.lexer import Token
    from auditlint.auditctl.state import State

HANDLERS: dict[str, Callable[[State, Token], None]] = {
    "list": places.take_list,
    "watch": places.take_watch,
    "field": conditions.take_field,
    "compare": conditions.take_compare,
    "calls": calls.take_calls,
    "key": conditions.take_key,
    "perm": conditions.take_perm,
    "set": controls.take_setting,
    "message": controls.take_message,
    "equivalent": controls.take_equivalent,
    "signal": controls.take_signal,
    "nested": controls.take_nested,
    "last": controls.take_last,
    "stop": controls.take_stop,
    "wrong": controls.take_wrong,
    "end": controls.take_end,
}
TOLD = frozenset(("arch-mismatch", "relative-path", "wildcard", "key-illegal-character"))
"""Warnings that auditctl itself prints."""


def run(state: State, parts: list[tuple[str, Token]]) -> None:
    """All parts of a line, then the end of setopt(), then the request for the rule."""
    loose = 0
    first: Token | None = None
    last = parts[0][1]
    for name, token in parts:
        if name == "word":
            loose += 1
            first = first or token
            continue
        last = token
        state.names.append(token[1])
        HANDLERS[name](state, token)
        if state.finished:
            lost(state, last)
            return
        if state.result < 0:
            break
    if state.problem is None:
        if state.result == SILENT:
            words_behind(state, last)
        elif first is not None and loose == len(state.words):
            state.refuse(SAYS_NOTHING, "the line has no option", first[2], first[3], as_text(first[1]))
        elif first is not None:
            stray(state, first[1], first[2], first[3])
    if state.key and not state.listed and (state.problem is None or state.silent):
        conditions.append_key(state)
    if state.problem is None:
        send_rule(state, last)
    elif state.silent and any(warning.kind in TOLD for warning in state.warnings):
        # the user sees the warning, though nothing about the mistake
        state.problem = replace(state.problem, kind="other")
    state.dropped = state.dropped and state.problem is None


def words_behind(state: State, last: Token) -> None:
    """Words behind an option that ends the reading of the line."""
    at = last[7]
    if at == 0:
        # getopt has not moved past the first word, and auditctl takes that for a line without options
        text, start, end = state.words[0]
        state.refuse(SAYS_NOTHING, f"letters follow {last[1]} without a blank", start, end, as_text(text))
    elif at < len(state.words) - state.consumed:
        stray(state, *state.words[at])


def stray(state: State, text: str, start: int, end: int) -> None:
    word = as_text(text)
    state.refuse("stray-parameter", f"{word} belongs to no option", start, end, word)


def lost(state: State, last: Token) -> None:
    """Warn when something that the line asks for is not sent."""
    if state.dropped:
        state.warn("deprecated-possible", "the action possible is deprecated: the line is ignored", last[2], last[3])
        return
    if state.add is not None or state.delete is not None:
        state.warn("rule-not-sent", f"{last[1]} ends the line: its rule is not sent", last[2], last[3])
    if last[7] < len(state.words):
        _, start, _ = state.words[last[7]]
        state.warn("words-ignored", f"the words after {last[1]} are ignored", start, state.words[-1][2])


def send_rule(state: State, last: Token) -> None:
    """handle_request(): the rule, when the line has one."""
    if state.result == SILENT:
        if state.dropped or state.add is not None or state.delete is not None:
            lost(state, last)
        return
    if state.result == REPLY:
        if state.calls_added:
            token = state.calls_seen[-1][0]
            state.refuse("list-missing", "the rule has no list (-a, -A or -d)", token[2], token[3])
        return
    found = state.add if state.add is not None else state.delete
    assert found is not None and state.action is not None
    if found != "task" and not state.calls_added:
        state.mask = ALL_SYSCALLS
    adds = state.add is not None and not (state.prepend and "prepend-deletes" in state.switches)
    rule = Rule(found, state.action, state.mask, tuple(state.fields), adds and state.prepend)
    span = (state.base + state.words[0][1], state.base + state.words[-1][2])
    if span == state.span:
        span = state.span  # one object for both: there can be many such lines
    state.requests.append(Request("add" if adds else "delete", span, rule))
