"""Everything but rules: settings, messages, deletion of all rules, mistakes of the options themselves."""

from __future__ import annotations

from auditlint.auditctl.conditions import check_key
from auditlint.auditctl.fields import DIGITS, MOST_KEY, as_text
from auditlint.auditctl.numbers import strtoul
from auditlint.auditctl.render import shown
from auditlint.auditctl.state import SAYS_NOTHING, SILENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from auditlint.auditctl.lexer import Token
    from auditlint.auditctl.model import ProblemKind
    from auditlint.auditctl.state import State

SEGMENTATION_FAULT = -11
SETTINGS = {
    "-e": "enabled",
    "-f": "failure",
    "-r": "rate_limit",
    "-b": "backlog_limit",
    "--backlog_wait_time": "backlog_wait_time",
}
CONTROLS: dict[str, dict[str, Any]] = {
    "-t": {"type": "TRIM"},
    "--loginuid-immutable": {"type": "SET_FEATURE", "vers": 0, "mask": 2, "features": 2, "lock": 2},
    "--reset-lost": {"type": "SET", "lost": 0},
    "--reset_backlog_wait_time_actual": {"type": "SET", "backlog_wait_time_actual": 0},
}


def take_setting(state: State, token: Token) -> None:
    """-b, -e, -f, -r, --backlog_wait_time."""
    name, text = token[1], token[6]
    assert text is not None
    if name == "-e" or name == "-f":
        fine = text in ("0", "1", "2")
        value = int(text) if fine else 0
        needs = "0, 1 or 2"
    else:
        needs = "a number"
        value, out_of_range = strtoul(text, state.reader.pairs.long_bits)
        fine = text[:1] in DIGITS and text != "" and not out_of_range
    if fine:
        state.send(token, "control", {"type": "SET", SETTINGS[name]: value})
    else:
        word = as_text(text)
        state.refuse("bad-control-value", f"{name} accepts {needs}, not {word}", token[4], token[5], word)


def take_message(state: State, token: Token) -> None:
    """-m (opt_message)."""
    text = token[6]
    assert text is not None
    native = state.reader.pairs.native
    top = "\x7f" if native is None or native.signed_char else "\xff"
    if len(state.words) > 2:
        state.refuse("bad-message", "-m must be alone on its line, with one word", token[2], token[3])
    elif not all(" " <= byte <= top for byte in text):
        state.refuse("bad-message", "-m accepts no control characters", token[4], token[5], as_text(text))
    else:
        data = ("text=" if "message-prefixed" in state.switches else "") + text
        state.send(token, "control", {"type": "USER", "data": shown(as_text(data))})
        state.finished = True


def take_equivalent(state: State, token: Token) -> None:
    """-q (opt_mount, equiv_parse, audit_make_equivalent)."""
    text = token[6]
    assert text is not None
    mount, _, subtree = text.partition(",")
    if state.calls_added:
        state.refuse("bad-equivalent", "-q accepts no -S", token[2], token[3])
    elif not subtree or "," in subtree:
        state.refuse("bad-equivalent", "-q expects MOUNTPOINT,SUBTREE", token[4], token[5], as_text(text))
    else:
        native = state.reader.pairs.native
        order: Literal["big", "little"] = "big" if native is not None and native.big_endian else "little"
        sizes = b"".join(len(part).to_bytes(4, order) for part in (mount, subtree))
        data = sizes.decode("latin-1") + mount + subtree
        data += "\0" * (-len(data) % 4)
        state.send(token, "control", {"type": "MAKE_EQUIV", "data": shown(as_text(data))})
        state.finished = True


def take_signal(state: State, token: Token) -> None:
    """--signal (send_signal)."""
    text = token[6]
    assert text is not None
    number = state.reader.signals.get(text.lower())
    if number is None:
        word = as_text(text)
        status = 1 if "signal-exits" in state.switches else None
        state.refuse("bad-signal", f"{word} is not a signal that auditd knows", token[4], token[5], word, status)
    else:
        state.send(token, "signal", {"signal": number})
        state.result = SILENT


def take_nested(state: State, token: Token) -> None:
    """-R: the whole command line in main(), else an error."""
    text = token[6]
    assert text is not None
    if state.in_file or len(state.words) != 2:
        state.refuse("nested-rule-file", "a rule file cannot load another rule file", token[2], token[3], as_text(text))
    elif "file-needed" in state.switches:
        state.refuse("file-missing", f"{as_text(text)} does not exist", token[4], token[5], as_text(text), 1)
    else:
        state.result = SILENT


def take_last(state: State, token: Token) -> None:
    """Options that end the line and let the words behind them go."""
    state.send(token, "control", CONTROLS[token[1]])
    state.finished = True


def take_stop(state: State, token: Token) -> None:
    """Options that end the line and fail it when words follow."""
    name = token[1]
    state.result = SILENT
    if name == "-i":
        state.send(token, "ignore")
    elif name == "-c":
        state.send(token, "continue")
    elif name == "-s":
        take_status(state, token)
    elif name == "-l":
        take_listing(state, token)
    elif name == "-D":
        take_delete_all(state, token)
    elif name in CONTROLS:
        state.send(token, "control", CONTROLS[name])
    elif name != "-v" and "help-passes" not in state.switches:
        kind: ProblemKind = SAYS_NOTHING if state.in_file else "usage"
        state.refuse(kind, f"{name} prints the usage and fails", token[2], token[3], name)


def next_word(state: State, token: Token) -> str | None:
    return state.words[token[7]][0] if token[7] < len(state.words) else None


def take_status(state: State, token: Token) -> None:
    """-s, -s -i (opt_status)."""
    if len(state.words) > 2:
        state.refuse("bad-option-count", "-s has too many options", token[2], state.words[-1][2])
        return
    if token[7] == 1 and len(state.words) == 2:
        if state.words[1][0] != "-i":
            state.refuse("bad-option-count", "only -i may follow -s", *state.words[1][1:])
            return
        state.consumed = 1
    state.send(token, "status")


def take_listing(state: State, token: Token) -> None:
    """-l, -l -i, -l -k KEY (opt_list)."""
    count = len(state.words)
    behind = next_word(state, token)
    key = None
    if count > 3:
        state.refuse("bad-option-count", "-l has too many options", token[2], state.words[-1][2])
        return
    if count == 2 and behind is None:
        crash(state, token)
        return
    if (count == 2 and behind != "-i") or (count == 3 and behind != "-k"):
        if count == 2 and "list-goes-on" in state.switches:
            state.send(token, "list")
        state.refuse("bad-option-count", "only -i or -k KEY may follow -l", token[2], state.words[-1][2])
        return
    if count == 3:
        key = given_key(state)
        if key is None:
            return
    state.consumed = count - 1
    state.send(token, "list", key=key)
    state.listed = True


def take_delete_all(state: State, token: Token) -> None:
    """-D, -D -k KEY (opt_delete_all)."""
    count = len(state.words)
    key = None
    if count > 3 or count == 2:
        state.refuse("bad-option-count", "-D must be alone on its line, or with -k KEY", token[2], state.words[-1][2])
        return
    if count == 3:
        behind = next_word(state, token)
        if behind is None:
            crash(state, token)
            return
        if behind != "-k":
            state.refuse("bad-option-count", "only -k may follow -D", token[2], state.words[-1][2])
            return
        key = given_key(state)
        if key is None:
            return
        state.consumed = 2
    state.send(token, "delete-all", key=key)
    state.key = ""


def given_key(state: State) -> str | None:
    """The key of -D -k and -l -k: the third word, wherever -k stands."""
    text, start, end = state.words[2]
    if "key-limit-everywhere" in state.switches and not check_key(state, text, start, end):
        return None
    return as_text(text[:MOST_KEY])


def crash(state: State, token: Token) -> None:
    """auditctl looks at a word behind the last one and dies."""
    message = f"auditctl crashes on {token[1]} in this place"
    state.refuse(SAYS_NOTHING, message, token[2], token[3], token[1], SEGMENTATION_FAULT)


def take_wrong(state: State, token: Token) -> None:
    """An unknown or ambiguous option, or one whose argument is missing or not wanted."""
    name = as_text(token[1])
    silent: ProblemKind = SAYS_NOTHING if state.in_file else "usage"
    kind: ProblemKind = "invalid-option" if "option-message" in state.switches else silent
    known = token[1] in state.reader.options
    message = f"{name} has no argument" if known else f"unknown option {name}"
    state.refuse(kind, message, token[2], token[3], name)


def take_end(state: State, token: Token) -> None:
    """`--`: nothing to do."""
