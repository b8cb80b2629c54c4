"""Where command lines stand in files, and how the kernel splits them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.bootargs.command_line import kconfig_string, read_cmdline, split
from auditlint.core.compression import UnreadableInput
from auditlint.core.source import Source


def lines(text: str | bytes, path: str = "cmdline") -> Any:
    data = text if isinstance(text, bytes) else text.encode()
    return read_cmdline(Source(path, data))


def words(line: Any) -> Any:
    return [(p.name, p.value) for p in line.parameters]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ro root=/dev/vda1 quiet audit=0\n", [("ro", None), ("root", "/dev/vda1"), ("quiet", None), ("audit", "0")]),
        ('foo="a b" audit=1', [("foo", "a b"), ("audit", "1")]),
        ('"foo=a b" audit=1', [("foo", "a b"), ("audit", "1")]),
        ('dyndbg="file x +p; file y +p"', [("dyndbg", "file x +p; file y +p")]),
        ("a=b=c", [("a", "b=c")]),
        ("=x", [("=x", None)]),
        ("audit=", [("audit", "")]),
        ("audit", [("audit", None)]),
        ('audit="1"', [("audit", "1")]),
        ('x="', [("x", "")]),
        ("\taudit=1\n\nquiet\n", [("audit", "1"), ("quiet", None)]),
        ("", None),
        (" \n", None),
    ],
)
def test_words_of_a_plain_line(text: str, wanted: Any) -> None:
    found = lines(text)
    assert (words(found[0]) if found else None) == wanted


def test_what_stands_behind_two_dashes_is_for_init() -> None:
    (line,) = lines("audit=1 -- audit=0 single")
    assert [(p.name, p.for_init) for p in line.parameters] == [
        ("audit", False),
        ("--", False),
        ("audit", True),
        ("single", True),
    ]
    assert [p.value for p in line.all("audit")] == ["1"]


def test_dash_and_underscore_are_the_same_in_a_name() -> None:
    (line,) = lines("audit-backlog-limit=100 audit_backlog_limit=8192")
    assert [p.value for p in line.all("audit_backlog_limit")] == ["100", "8192"]
    assert line.last("audit_backlog_limit").name == "audit_backlog_limit"


def test_spans_point_at_the_words() -> None:
    source = Source("cmdline", b'ro audit=0 x="a b"\n')
    (line,) = read_cmdline(source)
    assert [source.text(p.span) for p in line.parameters] == ["ro", "audit=0", 'x="a b"']
    assert [source.text(p.value_span) for p in line.parameters] == ["", "0", "a b"]
    assert source.text(line.span) == 'ro audit=0 x="a b"'


GRUB = r"""# audit=0 in a comment
GRUB_TIMEOUT=5
#GRUB_CMDLINE_LINUX="audit=0"
GRUB_CMDLINE_LINUX_DEFAULT="quiet splash"
GRUB_CMDLINE_LINUX='ro audit=1 \
 x'
"""


def test_grub_defaults() -> None:
    (line,) = lines(GRUB, "etc/default/grub")
    assert line.label == "GRUB_CMDLINE_LINUX and GRUB_CMDLINE_LINUX_DEFAULT"
    assert line.complete
    assert [p.name for p in line.parameters] == ["ro", "audit", "\\", "x", "quiet", "splash"]  # single quotes keep it
    audit = line.last("audit")
    assert (audit.value, audit.source.line_of(audit.span[0])) == ("1", 5)


@pytest.mark.parametrize(
    ("text", "wanted", "complete"),
    [
        ('GRUB_CMDLINE_LINUX="audit=1 audit_backlog_limit=8192"', ["audit=1", "audit_backlog_limit=8192"], True),
        ("GRUB_CMDLINE_LINUX=audit=1", ["audit=1"], True),
        ('GRUB_CMDLINE_LINUX=""', [], True),
        ('GRUB_CMDLINE_LINUX="a" # b', ["a"], True),
        ('GRUB_CMDLINE_LINUX="a"\nGRUB_CMDLINE_LINUX="b"', ["b"], True),
        ('GRUB_CMDLINE_LINUX="a"\nGRUB_CMDLINE_LINUX+=" b"', ["a", "b"], True),
        ('GRUB_CMDLINE_LINUX="a"\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX b"', ["a", "b"], True),
        ('GRUB_CMDLINE_LINUX="a"\nGRUB_CMDLINE_LINUX="${GRUB_CMDLINE_LINUX} b"', ["a", "b"], True),
        ('GRUB_CMDLINE_LINUX="a $EXTRA b"', ["a", "b"], False),
        ('GRUB_CMDLINE_LINUX="a $(touch /tmp/x; echo audit=0) b"', ["a", "b"], False),
        ('GRUB_CMDLINE_LINUX="a `touch /tmp/x` b"', ["a", "b"], False),
        ('GRUB_CMDLINE_LINUX="a \\"b\\" audit=1"', ["a", '"b"', "audit=1"], True),
        ('GRUB_CMDLINE_LINUX="a \\\n b"', ["a", "b"], True),
        ('GRUB_CMDLINE_LINUX="a\n b"', ["a", "b"], True),
        ("export GRUB_CMDLINE_LINUX=a\\ b", ["a", "b"], True),
        ('GRUB_CMDLINE_XEN="audit=0"\nGRUB_CMDLINE_LINUX="a"', ["a"], True),
        ('GRUB_CMDLINE_LINUX="a $(unclosed', ["a"], False),
    ],
)
def test_grub_values_are_read_and_never_run(text: str, wanted: Any, complete: bool) -> None:
    (line,) = lines(text + "\n", "grub")
    shown = [line.source.text(p.span).replace('\\"', '"') for p in line.parameters]
    assert shown == wanted
    assert line.complete is complete


def test_grub_recovery_is_a_line_of_its_own() -> None:
    found = lines('GRUB_CMDLINE_LINUX="audit=1"\nGRUB_CMDLINE_LINUX_RECOVERY="single"\n', "grub")
    assert [[p.name for p in line.parameters] for line in found] == [["audit"], ["audit", "single"]]


def test_loader_entry() -> None:
    text = "title A\nlinux /vmlinuz\n# options audit=0\noptions root=x audit=1\noptions quiet $kernelopts\n"
    (line,) = lines(text, "loader/entries/a.conf")
    assert [p.name for p in line.parameters] == ["root", "audit", "quiet"]
    assert not line.complete
    assert line.source.line_of(line.last("audit").span[0]) == 4


def test_extlinux_has_a_line_for_each_label() -> None:
    text = "DEFAULT a\nLABEL a\n  LINUX /vmlinuz\n  APPEND ro audit=1\nLABEL b\n  append audit=0\nLABEL c\n  append -\n"
    found = lines(text, "extlinux.conf")
    assert [[p.value for p in line.all("audit")] for line in found] == [["1"], ["0"]]
    assert [line.source.line_of(line.span[0]) for line in found] == [4, 6]


def test_generated_grub_cfg() -> None:
    text = "insmod ext2\nmenuentry 'A' {\n\tlinux\t/vmlinuz root=UUID=1 ro 'audit=1' x\\ y ${extra}\n\tinitrd /i\n}\n"
    (line,) = lines(text, "grub.cfg")
    assert [(p.name, p.value) for p in line.parameters][:3] == [("root", "UUID=1"), ("ro", None), ("audit", "1")]
    assert not line.complete


def test_cmdline_d_has_comments() -> None:
    (line,) = lines("# audit=0\naudit=1\n", "etc/cmdline.d/audit.conf")
    assert words(line) == [("audit", "1")]


def test_configuration_string() -> None:
    data = rb'CONFIG_CMDLINE="foo=\"a b\" audit=1"' + b"\n"
    source = Source("config", data)
    piece = kconfig_string(source, (len("CONFIG_CMDLINE="), len(data) - 1))
    parameters = split((piece,))
    assert [(p.name, p.value) for p in parameters] == [("foo", "a b"), ("audit", "1")]
    assert source.text(parameters[1].span) == "audit=1"
    assert kconfig_string(Source("c", b"audit=1"), (0, 7)).text == ""


def test_too_large_says_so() -> None:
    with pytest.raises(UnreadableInput):
        lines(b"x" * (1 << 21))


_PIECES = [
    "audit=0",
    " ",
    '"',
    "'",
    "=",
    "\n",
    "\\",
    "$",
    "(",
    ")",
    "`",
    "{",
    "}",
    "options ",
    "append ",
    "--",
    "#",
    "é",
]
_PATHS = ["cmdline", "grub", "a.conf", "extlinux.conf", "grub.cfg"]


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join), st.sampled_from(_PATHS))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_any_text_gives_spans_in_range(text: Any, path: Any) -> None:
    prefix = 'GRUB_CMDLINE_LINUX="' if path == "grub" else ""
    source = Source(path, (prefix + text).encode())
    for line in read_cmdline(source):
        assert 0 <= line.span[0] <= line.span[1] <= len(source.data)
        for parameter in line.parameters:
            start, end = parameter.span
            assert 0 <= start < end <= len(source.data)
            assert parameter.value is None or start <= parameter.value_span[0] <= parameter.value_span[1] <= end
