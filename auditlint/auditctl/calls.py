"""The system calls and io_uring operations of a rule: -S."""

from __future__ import annotations

from auditlint.auditctl.fields import as_text
from auditlint.auditctl.state import RULE, SAYS_NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.lexer import Token
    from auditlint.auditctl.model import ProblemKind
    from auditlint.auditctl.state import State

FIRST_BITS = (1 << 512) - 1
"""The bits that the mismatch test of older releases looks at."""


def take_calls(state: State, token: Token) -> None:
    """-S (opt_syscall, parse_io_uring, _audit_parse_syscall)."""
    text = token[6]
    start, end = token[4], token[5]
    assert text is not None
    if state.add == "io_uring" or state.delete == "io_uring":
        state.calls_seen.append((token, None))
        mask, unknown = state.reader.operations(text)
        if unknown is not None:
            word = as_text(unknown)
            state.refuse("unknown-io_uring-op", f"unknown io_uring operation {word}", start, end, word)
            return
        state.mask |= mask
        state.calls_added = True
        state.result = RULE
        return
    taken = (name for name in ("task", "user", "filesystem") if name in (state.add, state.delete))
    wrong = next(taken, "exclude" if state.exclude else "")
    if wrong:
        state.refuse("syscall-on-wrong-list", f"the {wrong} list accepts no -S", token[2], end, wrong)
        return
    guessed = state.machine is None
    if state.machine is None:
        state.machine = state.reader.pairs.native
        if state.machine is None:
            message = f"auditctl does not know the machine {state.reader.target.machine}"
            state.refuse("other", message, token[2], end, state.reader.target.machine)
            return
    state.calls_seen.append((token, state.machine))
    mask, unknown = state.reader.calls(state.machine, text)
    if unknown is not None:
        silent = "library-silent" in state.switches and "," in text
        word = as_text(unknown)
        at, to = (start, end) if unknown == text else element(state, token, text, unknown)
        kind: ProblemKind = SAYS_NOTHING if silent else "unknown-syscall"
        # the bits of the names before it are set; -F key, read at the end, takes that for a system call
        state.calls_added = state.calls_added or (silent and mask != 0)
        state.refuse(kind, f"{state.machine.name} has no system call {word}", at, to, word)
        return
    state.mask |= mask
    state.calls_added = True
    if guessed and state.add is not None:
        check_mismatch(state, token, text)


def element(state: State, token: Token, text: str, word: str) -> tuple[int, int]:
    """Where the first element `word` of a comma list stands in the piece."""
    at = 0
    for part in text.split(","):
        if part == word:
            break
        at += len(part) + 1
    return state.inside(token, at), state.inside(token, at + len(word))


def check_mismatch(state: State, token: Token, text: str) -> None:
    """check_rule_mismatch(): whether the 32-bit table would give the same mask."""
    assert state.machine is not None
    narrow = state.reader.narrow_mask(state.machine, text)
    bits = -1 if "mismatch-all-bits" in state.switches else FIRST_BITS
    if narrow & bits != state.mask & bits:
        message = "these system calls have other numbers in the 32-bit ABI; add -F arch"
        state.warn("arch-mismatch", message, token[2], token[3], as_text(text))
