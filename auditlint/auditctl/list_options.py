"""Where a rule goes: -a, -A, -d, -w, -W."""

from __future__ import annotations

from auditlint.auditctl.accounts import is_directory
from auditlint.auditctl.fields import as_text
from auditlint.auditctl.model import ALL_SYSCALLS, PERM_A, PERM_R, PERM_W, PERM_X
from auditlint.auditctl.state import NO_LIST, RULE, SILENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from auditlint.auditctl.lexer import Token
    from auditlint.auditctl.model import Action, FilterList
    from auditlint.auditctl.state import State

_ACTIONS: Mapping[str, Action | Literal["possible"]] = {"always": "always", "never": "never", "possible": "possible"}
PATH_MAX, NAME_MAX = 4096, 255
PERM_ALL = PERM_R | PERM_W | PERM_X | PERM_A


def take_list(state: State, token: Token) -> None:
    """-a, -A, -d (opt_append, opt_prepend, opt_delete, audit_rule_setup)."""
    name, text = token[1], token[6]
    start, end = token[4], token[5]
    assert text is not None
    if name != "-d" and "task" in text and state.calls_added:
        state.refuse("syscall-on-wrong-list", "the task list accepts no -S", start, end, as_text(text))
        return
    state.lists += 1
    if state.lists > 1:
        state.refuse("multiple-rules", "a line can hold only one of -a, -A and -d", token[2], end, name)
        return
    if not read_list(state, text, name):
        shown_text = as_text(text)
        state.refuse("bad-list-or-action", f"{shown_text} is not LIST,ACTION", start, end, shown_text)
    elif not state.dropped:
        state.prepend = name == "-A" and state.add != NO_LIST
        state.result = RULE
    elif name == "-A" and "prepend-possible-goes-on" in state.switches:
        state.result = SILENT
    else:
        state.finished = True


def read_list(state: State, text: str, name: str) -> bool:
    """Sets list and action from LIST,ACTION or ACTION,LIST; False when the words are no such pair."""
    first, comma, second = text.partition(",")
    if not comma or "," in second:
        return False
    found = state.delete if name == "-d" else state.add
    named = list_named(state, first)
    action = _ACTIONS.get(first)
    if "action-first" in state.switches:
        named = None if action else named
    if named:
        found = named
    elif action == "possible" and "action-first" not in state.switches:
        state.dropped = True
        return True
    elif action is None:
        return False
    elif action != "possible":
        state.action = action
    state.exclude = state.exclude or named == "exclude"
    if found is None:
        found = list_named(state, second)
        state.exclude = state.exclude or found == "exclude"
        if found is None and "list-unknown-passes" in state.switches:
            found = NO_LIST
    elif second == "possible":
        state.dropped = True
        return True
    elif second in ("always", "never"):
        state.action = "always" if second == "always" else "never"
    else:
        return False
    if name == "-d":
        state.delete = found
    else:
        state.add = found
    return found is not None and state.action is not None


def list_named(state: State, word: str) -> FilterList | None:
    return state.reader.lists.get(word.lower() if "list-any-case" in state.switches else word)


def take_watch(state: State, token: Token) -> None:
    """-w, -W (opt_watch, opt_remove_watch, audit_setup_watch_name, audit_add_watch_dir)."""
    name, text = token[1], token[6]
    start, end = token[4], token[5]
    assert text is not None
    if name == "-w" and (state.add is not None or state.delete is not None):
        state.refuse("watch-with-syscall", "-w must be the first rule option of its line", token[2], end, name)
        return
    if name == "-w":
        state.add = "exit"
    else:
        state.delete = "exit"
    state.action = "always"
    state.calls_added = True
    written = as_text(text)
    bad = _bad_path(text)
    if bad:
        state.refuse("bad-path", bad, start, end, written)
        return
    if ".." in text:
        state.warn("relative-path", "auditctl warns about .. in a path", start, end, written)
    if "*" in text or "?" in text:
        state.warn("wildcard", "auditctl expands no wildcards: the name is used literally", start, end, written)
    if state.fields or (state.mask and "watch-checks-rule" in state.switches):
        state.refuse("other", f"{name} must come before all fields and system calls", token[2], end, name)
        return
    path = written if len(text) <= 2 else written.rstrip("/") or "/"
    kind = "dir" if is_directory(state.reader.facts, path) else "path"
    state.mask = ALL_SYSCALLS
    state.fields = [state.reader.field(kind, "=", path), state.reader.field("perm", "=", PERM_ALL)]
    state.origins = [token, token]
    state.perm_added = True
    if state.add is not None and "watch-notice" in state.switches:
        state.warn("watch-deprecated", "watches written with -w are slower", token[2], end)
    state.result = RULE


def _bad_path(path: str) -> str:
    """check_path(): why a path of -w is refused, or an empty text."""
    if len(path) >= PATH_MAX:
        return f"the path of a watch has at most {PATH_MAX - 1} bytes"
    if not path.startswith("/"):
        return "the path of a watch must begin with /"
    if len(path.rstrip("/").rpartition("/")[2]) > NAME_MAX:
        return f"the last part of the path of a watch has at most {NAME_MAX} bytes"
    return ""
