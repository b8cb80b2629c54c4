"""The rules.d merge against recorded runs of augenrules, and by rule."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from auditlint.auditctl.augenrules import HEADER, merge, plan, version_key
from auditlint.core.source import Location, Source

HEAD = HEADER.decode() + "\n"


def merged(*texts: str, auditctl: str = "4.2", awk: str = "gawk") -> str:
    sources = [Source(f"{number}.rules", text.encode()) for number, text in enumerate(texts)]
    return merge(sources, auditctl, awk).text.data.decode()


def regular(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, "regular")


def test_recorded_merges(shared: Path) -> None:
    for line in (shared / "corpus/augenrules.jsonl").read_text().splitlines():
        case = json.loads(line)
        top = {name: what for name, what in case["rules.d"].items() if "/" not in name}
        kinds = {name: "regular" if isinstance(what, str) else "directory" for name, what in top.items()}
        assert all(isinstance(what, str) or what.get("dir") for what in top.values()), case["id"]
        for key, expected in case["versions"].items():
            release, awk = key.split("+")
            release = {"4.x": "4.2"}.get(release, release)
            order = plan(kinds, release).order
            written = merge([Source(name, top[name].encode()) for name in order], release, awk)
            assert written.text.data.decode() == expected["merged"], (case["id"], key)


def test_control_lines_move_and_the_last_one_wins() -> None:
    assert (
        merged("-e 1\n-b 1\n-w /a\n-D\n", "-f 2\n-b 2\n-e 2\n-w /b\n") == HEAD + "-D\n-b 2\n-f 2\n-w /a\n-w /b\n-e 2\n"
    )


def test_without_control_lines_blank_lines_stand_in_their_place() -> None:
    assert merged("-w /a\n") == HEAD + "\n\n\n-w /a\n\n"
    assert merged() == HEAD + "\n\n\n\n"


def test_a_line_with_words_behind_the_control_option_moves_whole() -> None:
    assert merged("-w /a\n-b 200 -f 2\n") == HEAD + "\n-b 200 -f 2\n\n-w /a\n\n"


def test_delete_all_with_a_key_stays() -> None:
    assert merged("-w /a\n-D -k x\n") == HEAD + "\n\n\n-w /a\n-D -k x\n\n"


@pytest.mark.parametrize(
    ("line", "awk", "kept"),
    [
        ("  # c", "gawk", False),
        ("  # c", "mawk", True),
        ("ss# c", "mawk", False),  # mawk reads \s as the letter
        ("ss# c", "gawk", True),
        ("\v#", "gawk", False),
        ("\N{EM SPACE}# c", "gawk", True),
    ],
)
def test_what_counts_as_blank_in_front_of_a_comment(line: str, awk: str, kept: bool) -> None:
    assert (line in merged(line + "\n", awk=awk)) is kept


def test_carriage_return_is_cut_since_3_1_2() -> None:
    assert merged("-w /a\r\n\r\n", auditctl="3.1.2") == HEAD + "\n\n\n-w /a\n\n"
    assert merged("-w /a\r\n\r\n", auditctl="3.1.1") == HEAD + "\n\n\n-w /a\r\n\r\n\n"
    assert merged("-w /a\r\r\n", auditctl="4.2") == HEAD + "\n\n\n-w /a\r\n\n"


def test_every_line_knows_where_it_comes_from() -> None:
    first, second = Source("1.rules", b"# c\n-w /a -k a"), Source("2.rules", b"-e 1\r\n-e 2\n-w /b\r\n")
    result = merge([first, second], "4.2")
    assert [line.text for line in result.lines] == [HEADER, b"", b"", b"", b"-w /a -k a-e 1", b"-w /b", b"-e 2"]
    assert [line.parts for line in result.lines] == [
        (),
        (),
        (),
        (),
        (Location(first, (4, 14)), Location(second, (0, 4))),
        (Location(second, (11, 16)),),
        (Location(second, (6, 10)),),
    ]


def test_text_of_the_parts_is_the_text_of_the_line() -> None:
    sources = [
        Source(str(n), data) for n, data in enumerate((b"a\r\nb\n-e 0", b"", b"\r", b"-D\r\n-e 1\n\n-D", b" \n"))
    ]
    for line in merge(sources, "4.2").lines:
        if line.parts:
            assert line.text == b"".join(part.source.data[slice(*part.span)] for part in line.parts)


def test_overridden_control_lines_are_named_with_their_replacement() -> None:
    source = Source("1.rules", b"-e 2\n-w /a\n-e 1\n-e 0\n")
    result = merge([source], "4.2")
    assert [(old.text, new.text) for old, new in result.overridden] == [(b"-e 2", b"-e 0"), (b"-e 1", b"-e 0")]


def test_order_of_names() -> None:
    order = [
        "9.rules",
        "10-a~.rules",
        "10-a0.rules",
        "10-a.rules",
        "10-a1.rules",
        "10-ab.rules",
        "10_a.rules",
        "11.2.rules",
        "11.10.rules",
        "A.rules",
        "a.rules",
        "é.rules",
    ]
    # as `sort -V` of coreutils 9.1 prints it
    assert plan(regular(*reversed(order)), "4.2").order == tuple(order)
    assert all(version_key(one) < version_key(two) for one, two in pairwise(order))


def test_what_is_left_out_and_why() -> None:
    kinds = {
        ".h.rules": "regular",
        "a.rules.bak": "regular",
        "notes.txt": "regular",
        "d.rules": "directory",
        "l.rules": "missing",
        "a.rules": "regular",
    }
    result = plan(kinds, "4.2")
    assert result.order == ("a.rules",)
    assert {left.name: left.reason for left in result.left_out} == {
        ".h.rules": "hidden files are not read",
        "a.rules.bak": "its name does not end in .rules",
        "d.rules": "it is a directory",
        "l.rules": "it is a symbolic link that leads nowhere",
    }


def test_blanks_in_names_before_4_2() -> None:
    kinds = regular("10 a.rules", "a.rules", "b\tc.rules", "x\ny.rules", "y.rules")
    assert plan(kinds, "4.2").order == ("10 a.rules", "a.rules", "b\tc.rules", "x\ny.rules", "y.rules")
    old = plan(kinds, "4.0.3")
    assert old.order == ("a.rules", "a.rules", "y.rules", "y.rules")
    assert {left.name for left in old.left_out} == {"10 a.rules", "b\tc.rules", "x\ny.rules"}
    assert {left.reason for left in old.left_out} == {"augenrules before 4.2 splits the name at blanks"}


def test_patterns_in_names_before_3_1() -> None:
    kinds = regular("[ab].rules", "a.rules", "b.rules")
    assert plan(kinds, "3.1.5").order == ("a.rules", "b.rules", "[ab].rules")
    assert sorted(plan(kinds, "3.0.9").order) == ["a.rules", "a.rules", "b.rules", "b.rules"]
    assert plan(regular("z[y].rules"), "3.0.9").order == ("z[y].rules",)
