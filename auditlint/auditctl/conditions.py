"""The fields of a rule: -F, -C, -p, -k."""

from __future__ import annotations

from auditlint.auditctl.fields import MOST_KEY, as_text
from auditlint.auditctl.model import PERM_A, PERM_R, PERM_W, PERM_X
from auditlint.auditctl.state import RULE, SAYS_NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.fields import ParsedField
    from auditlint.auditctl.lexer import Token
    from auditlint.auditctl.model import Field, ProblemKind
    from auditlint.auditctl.state import State

MOST_FIELDS = 63
PERM_BITS = {"r": PERM_R, "w": PERM_W, "x": PERM_X, "a": PERM_A}


def take_field(state: State, token: Token) -> None:
    """-F (opt_field)."""
    text = token[6]
    assert text is not None
    if state.add is None and state.delete is None:
        # auditctl lets -F arch= through when the word -t comes next
        behind = state.words[token[7]][0] if token[7] < len(state.words) else ""
        if behind != "-t" or "arch=" not in text:
            state.refuse(
                "list-missing", "-a LIST,ACTION must come before the fields", token[2], token[3], as_text(text)
            )
            return
    if text.startswith("key="):
        add_key(state, token, text[4:])
    else:
        add_field(state, token, text, state.filter_list)


def add_field(state: State, token: Token, text: str, filter_list: str | None, joined: bool = False) -> None:
    """audit_rule_fieldpair_data(); `joined` for the text made of all keys, which stands nowhere in the line."""
    if len(state.fields) >= MOST_FIELDS:
        state.refuse("too-many-fields", f"a rule holds at most {MOST_FIELDS} fields", token[2], token[3])
        return
    reading = state.reader.pair(text, filter_list)
    info = reading.info
    kind = info.kind if info is not None and not reading.early else ""
    if kind == "arch" and state.calls_added:
        state.refuse("arch-after-syscall", "arch must come before -S", token[2], token[3], "arch")
    elif kind == "key" and not (state.calls_added or state.perm_added or state.exe_added or state.fs_added):
        message = "a key needs a watch, -S, path, dir, perm, exe or fstype before it"
        state.refuse("key-without-watch-or-syscall", message, token[2], token[3], "key")
    elif reading.kind:
        refuse_reading(state, token, reading, joined)
    else:
        field = reading.field
        if kind == "perm":
            field = perm_field(state, token, text[reading.value_start :], reading.value_start)
            if field is None:
                return
            state.perm_added = True
        elif kind == "arch":
            assert field is not None and isinstance(field.value, int)
            state.machine = state.reader.pairs.elf_machines[field.value]
        elif kind == "path":
            state.perm_added = True
        elif kind == "exe":
            state.exe_added = True
        elif kind == "fstype":
            state.fs_added = True
        assert field is not None
        state.fields.append(field)
        state.origins.append(token)


def refuse_reading(state: State, token: Token, reading: ParsedField, joined: bool = False) -> None:
    start, end = token[4], token[5]
    if reading.part != "text" and not joined:
        name_end = state.inside(token, reading.name_end)
        value_start = state.inside(token, reading.value_start)
        if reading.part == "name":
            end = name_end
        elif reading.part == "operator":
            start, end = name_end, value_start
        else:
            start = value_start
    assert reading.kind is not None
    state.refuse(reading.kind, reading.message, start, end, reading.context)


def perm_field(state: State, token: Token, letters: str, offset: int) -> Field | None:
    """The value of perm, letter by letter; the mask may take the calls of each (audit_add_perm_syscalls)."""
    start = state.inside(token, offset)
    if len(letters) > 4:
        state.refuse("string-too-long", "perm accepts at most 4 letters", start, token[5], as_text(letters))
        return None
    value = 0
    for letter in letters.lower():
        if letter not in PERM_BITS:
            state.refuse("bad-perm", "perm accepts only the letters r, w, x and a", start, token[5], as_text(letters))
            return None
        value |= PERM_BITS[letter]
        if "perm-adds-calls" not in state.switches:
            continue
        if state.machine is None:
            state.warn("perm-without-arch", "perm without arch is checked at every system call", token[2], token[3])
            continue
        mask, missing = state.reader.perm_mask(state.machine, letter)
        if missing:
            message = f"perm={letter} needs the system call {missing}, which {state.machine.name} does not have"
            state.refuse("unknown-syscall", message, start, token[5], missing)
            return None
        state.mask |= mask
        state.calls_added = True
    return state.reader.field("perm", "=", value)


def take_compare(state: State, token: Token) -> None:
    """-C (opt_compare, audit_rule_interfield_comp_data)."""
    text = token[6]
    assert text is not None
    if len(state.fields) >= MOST_FIELDS:
        state.refuse("too-many-fields", f"a rule holds at most {MOST_FIELDS} fields", token[2], token[3])
        return
    reading = state.reader.comparison(text, state.filter_list)
    if reading.field is None:
        refuse_reading(state, token, reading)
    else:
        state.fields.append(reading.field)
        state.origins.append(token)


def take_perm(state: State, token: Token) -> None:
    """-p (opt_perms, audit_setup_perms, audit_update_watch_perms)."""
    text = token[6]
    start, end = token[4], token[5]
    assert text is not None
    tells = "perm-message" in state.switches
    if tells and state.add is None and state.delete is None:
        state.refuse("perm-without-watch", "-p needs a watch or a list before it", token[2], end, as_text(text))
        return
    value = 0
    if len(text) > 4:
        kind: ProblemKind = "bad-perm" if tells else SAYS_NOTHING
        state.refuse(kind, "-p accepts at most 4 letters", start, end, as_text(text))
        return
    for letter in text.lower():
        if letter not in PERM_BITS:
            state.refuse("bad-perm", "-p accepts only the letters r, w, x and a", start, end, as_text(text))
            return
        value |= PERM_BITS[letter]
    if not state.fields:
        kind = "other" if tells and "library-silent" not in state.switches else SAYS_NOTHING
        state.refuse(kind, "-p needs a field before it", token[2], end)
        return
    field = state.reader.field("perm", "=", value)
    places = [index for index, old in enumerate(state.fields) if old.name == "perm"]
    for index in places:
        state.fields[index] = field
        state.origins[index] = token
    if not places:
        if len(state.fields) >= MOST_FIELDS:
            kind = SAYS_NOTHING if "library-silent" in state.switches else "too-many-fields"
            state.refuse(kind, f"a rule holds at most {MOST_FIELDS} fields", token[2], end)
            return
        state.fields.append(field)
        state.origins.append(token)
    state.perm_added = True
    state.result = RULE


def take_key(state: State, token: Token) -> None:
    """-k (opt_key)."""
    text = token[6]
    assert text is not None
    ready = state.calls_added or state.perm_added or state.exe_added or state.fs_added
    if not ready or (state.add is None and state.delete is None):
        message = "-k needs a watch, -S, path, dir, perm, exe or fstype before it"
        state.refuse("key-without-watch-or-syscall", message, token[2], token[3], as_text(text))
    else:
        add_key(state, token, text)


def add_key(state: State, token: Token, text: str) -> None:
    """process_key_option(): keys are joined by the byte 0x01."""
    state.key_token = token
    if check_key(state, text, token[4], token[5]):
        state.key += "\x01" + text if state.key else text


def check_key(state: State, text: str, start: int, end: int) -> bool:
    if len(text) + len(state.key) + bool(state.key) > MOST_KEY:
        state.refuse(
            "key-too-long", f"the keys of a rule have at most {MOST_KEY} bytes together", start, end, as_text(text)
        )
        return False
    if "ids-keys" in state.switches and text.startswith("ids-") and not _ids_key(text):
        state.refuse(
            "other", "a key that begins with ids- must have the form ids-KIND-SEVERITY", start, end, as_text(text)
        )
        return False
    if "\x01" in text:
        message = "a key must not contain the byte 0x01, which separates keys"
        if "key-separator-fails" in state.switches:
            state.refuse("key-illegal-character", message, start, end, as_text(text))
            return False
        state.warn("key-illegal-character", message, start, end, as_text(text))
    return True


def append_key(state: State) -> None:
    """The joined key becomes the last field; it is read as a text of -F, operators inside it and all."""
    assert state.key_token is not None
    silent, state.problem = state.problem, None
    add_field(state, state.key_token, "key=" + state.key, state.filter_list or "user", joined=True)
    if silent is not None and state.problem is None:
        state.problem = silent


def _ids_key(text: str) -> bool:
    """check_ids_key() of releases before 3.0."""
    kind, dash, severity = text[4:].partition("-")
    rated = severity.startswith(("inf", "low", "med", "hi"))
    return kind in ("sys", "file", "exec", "mkexe") and bool(dash) and rated
