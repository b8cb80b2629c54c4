"""Real and hostile kernel trees: what is rewritten, what is read, what is never done."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditlint.cli import main as cli
from auditlint.core.errors import UserError
from auditlint.core.source import Source
from auditlint.kconfig import compat, macros
from auditlint.kconfig.config_file import read_config
from auditlint.kconfig.evaluate import Evaluator
from auditlint.kconfig.tree import Tree, enclosing

INIT = """\
config AUDIT
	bool "Auditing support"
	depends on NET

config HAVE_ARCH_AUDITSYSCALL
	bool

config AUDITSYSCALL
	def_bool y
	depends on AUDIT && HAVE_ARCH_AUDITSYSCALL

menuconfig MODULES
	bool "Enable loadable module support"
	modules
"""


def grow(place: Any, **files: Any) -> Any:
    """A tree with the fewest files that make one; keys are file names with `__` for `/`."""
    text = {
        "Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\nEXTRAVERSION =\n",
        "Kconfig": 'source "init/Kconfig"\nsource "net/Kconfig"\nsource "security/Kconfig"\n'
        'source "arch/$(SRCARCH)/Kconfig"\nsource "drivers/misc/Kconfig"\n',
        "init/Kconfig": INIT,
        "net/Kconfig": 'config NET\n\tbool "Networking support"\n',
        "security/Kconfig": 'config SECURITY\n\tbool "Security"\n',
        "arch/x86/Kconfig": "config X86\n\tdef_bool y\n\tselect HAVE_ARCH_AUDITSYSCALL\n",
        "drivers/misc/Kconfig": 'config GADGET\n\tbool "Gadget"\n\tdepends on NET\n',
    }
    text.update({name.replace("__", "/"): content for name, content in files.items()})
    for name, content in text.items():
        if content is None:
            continue
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


def test_any_symbol_of_a_full_tree_can_be_asked(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    grow(
        tmp_path,
        drivers__misc__Kconfig='config GADGET\n\tbool "Gadget"\n\tdepends on NET\n'
        'config WIDGET\n\tbool "Widget"\n\tdepends on GADGET && ARM64\n',
    )
    path = tmp_path / "x.config"
    path.write_text("CONFIG_NET=y\nCONFIG_WIDGET=y\n")
    words = ["kconfig", str(path), "--tree", str(tmp_path), "--arch", "x86_64"]
    assert cli.run([*words, "--full-tree", "--symbol", "GADGET", "--want", "GADGET=y"]) == 0
    out = capfd.readouterr().out
    assert "\nGADGET=n\n    not requested, and off by default [drivers/misc/Kconfig:1]\n" in out
    assert out.endswith("\nto get GADGET=y, set GADGET=y\n")
    assert cli.run([*words, "--full-tree", "--want", "WIDGET=y"]) == 0
    assert (
        "WIDGET=y is not possible: WIDGET=n: depends on GADGET and ARM64, which are off; "
        "ARM64 does not exist for x86_64" in capfd.readouterr().out
    )
    assert cli.run([*words, "--full-tree", "--want", "DRM=n"]) == 0
    assert "Linux 6.1 has no symbol DRM for x86_64" in capfd.readouterr().out
    assert cli.run([*words, "--want", "DRM=n"]) == 2
    assert "not a symbol that auditlint knows; use --tree DIR --full-tree" in capfd.readouterr().err


def run(place: Any, text: str = "CONFIG_NET=y\nCONFIG_AUDIT=y\n", **options: Any) -> Any:
    file = read_config(Source("x.config", text.encode()), kernel="6.1")
    return Evaluator(**options).evaluate([file], "6.1", "x86_64", tree=Tree(str(place)))


def test_a_tree_is_evaluated_and_reasons_name_its_lines(tmp_path: Path) -> None:
    evaluation = run(grow(tmp_path))
    assert evaluation.source == "tree"
    assert evaluation.symbols["AUDITSYSCALL"].value == "y"
    assert evaluation.symbols["AUDITSYSCALL"].why[0].endswith("[init/Kconfig:8]")
    assert "SECURITY_SELINUX" not in evaluation.symbols
    assert "6.1.9" in evaluation.notes[0]


def test_a_tree_that_differs_from_the_table_is_believed(tmp_path: Path) -> None:
    vendor = INIT.replace("def_bool y", 'bool "Enable system-call auditing support"')
    evaluation = run(grow(tmp_path, init__Kconfig=vendor))
    assert evaluation.symbols["AUDITSYSCALL"].value == "n"


def test_full_tree_knows_every_symbol(tmp_path: Path) -> None:
    text = "CONFIG_AUDIT=y\nCONFIG_GADGET=y\nCONFIG_NO_SUCH_THING=y\n"
    grow(tmp_path)
    assert {d.assignment.symbol for d in run(tmp_path, text, full_tree=True).dropped} == {
        "AUDIT",
        "GADGET",
        "NO_SUCH_THING",
    }
    assert {d.assignment.symbol for d in run(tmp_path, text).dropped} == {"AUDIT"}


def test_what_left_out_files_define_takes_what_is_asked(tmp_path: Path) -> None:
    net = 'config NET\n\tbool "Networking support"\n\tdepends on GADGET\n'
    grow(tmp_path, net__Kconfig=net)
    assert run(tmp_path, "CONFIG_NET=y\n").symbols["NET"].value == "n"
    assert run(tmp_path, "CONFIG_NET=y\nCONFIG_GADGET=y\n").symbols["NET"].value == "y"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("\tmodules", "\toption modules"),
        ("\ttransitional", '\tprompt "transitional"'),
        ("\tdepends on FOO if BAR", "\tdepends on (FOO) || !(BAR != n)"),
        ("\tdepends on A && B if C = y || !D # why", "\tdepends on (A && B) || !(C = y || !D != n) # why"),
        ('\tdepends on A if (B = "x")', '\tdepends on (A) || !((B = "x"))'),
        ("\tdepends on IFB || A_if", "\tdepends on IFB || A_if"),
        ('\ttristate "Fintek";', '\ttristate "Fintek"'),
        (".", ""),
        ("+config X", ""),
        ("\tselect A if B", "\tselect A if B"),
    ],
)
def test_rewriting(line: str, wanted: str) -> None:
    assert compat.rewrite(line) == wanted
    assert compat.rewrite("a\n" + line + "\nb").count("\n") == 2


def test_rewriting_keeps_continued_lines() -> None:
    text = "\tdepends on A || \\\n\t(B && \\\n\t!C)\n"
    assert compat.rewrite(text) == text


@pytest.mark.parametrize(("base", "wanted"), [("FOO=y\nBAR=n", "y"), ("FOO=n\nBAR=y", "n"), ("FOO=n\nBAR=n", "y")])
def test_conditional_dependency_as_the_kernel_means_it(tmp_path: Path, base: str, wanted: str) -> None:
    extra = 'config FOO\n\tbool "foo"\nconfig BAR\n\tbool "bar"\nconfig NET\n\tbool "net"\n\tdepends on FOO if BAR\n'
    text = "".join(f"CONFIG_{line}\n" for line in base.split()) + "CONFIG_NET=y\n"
    assert run(grow(tmp_path, net__Kconfig=extra), text).symbols["NET"].value == wanted


def test_a_transitional_symbol_hands_its_value_on(tmp_path: Path) -> None:
    extra = 'config OLD\n\tbool\n\ttransitional\nconfig NET\n\tbool "net"\n\tdefault OLD\n'
    assert run(grow(tmp_path, net__Kconfig=extra), "CONFIG_OLD=y\n").symbols["NET"].value == "y"


INCLUDE = """\
if-success = $(shell,{ $(1); } >/dev/null 2>&1 && echo "$(2)" || echo "$(3)")
success = $(if-success,$(1),y,n)
failure = $(if-success,$(1),n,y)
cc-option = $(success,trap "rm -rf .tmp_$$" EXIT; mkdir .tmp_$$; $(CC) -Werror $(1) -c -x c /dev/null -o .tmp_$$/t.o)
cc-info := $(shell,$(srctree)/scripts/cc-version.sh $(CC))
cc-name := $(shell,set -- $(cc-info) && echo $1)
cc-version := $(shell,set -- $(cc-info) && echo $2)
"""


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("$(cc-option,-fstack-protector)", "y"),
        ('$(success,test "$(cc-name)" = GCC)', "y"),
        ('$(success,test "$(cc-name)" = Clang)', "n"),
        ("$(failure,command -v $(CC))", "n"),
        ("$(success,[ $(cc-version) -ge 40800 ])", "y"),
        ("$(success,[ $(cc-version) -lt 40800 ])", "n"),
        ("$(success,$(CC) --version | head -n 1 | grep -q clang)", "n"),
        ("$(success,$(OBJCOPY) --version | head -n1 | grep -qv llvm)", "y"),
        ("$(success,$(srctree)/scripts/rust_is_available.sh)", "n"),
    ],
)
def test_compiler_questions_are_answered_as_by_gcc(tmp_path: Path, condition: str, wanted: str) -> None:
    net = f"config NET\n\tdef_bool {condition}\n"
    top = 'source "scripts/Kconfig.include"\nsource "net/Kconfig"\n'
    evaluation = run(grow(tmp_path, Kconfig=top, net__Kconfig=net, **{"scripts__Kconfig.include": INCLUDE}), "")
    assert evaluation.symbols["NET"].value == wanted


def test_numbers_of_the_compiler() -> None:
    assert macros.answer("expr 120200 / 10000") == "12"
    assert macros.answer("set -- GCC 120200 && echo $2") == "120200"
    assert macros.answer("expr 1 / 0") == ""


def test_nothing_is_executed_or_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("here")
    work = tmp_path / "work"
    work.mkdir()
    (work / "kconfigfunctions.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\nfunctions = {{}}\n")
    monkeypatch.chdir(work)
    monkeypatch.syspath_prepend(str(work))
    monkeypatch.setenv("KCONFIG_FUNCTIONS", "kconfigfunctions")
    monkeypatch.setenv("SECRET", "leaked")
    net = (
        f"x := $(shell,rm -rf {victim}; touch {tmp_path}/made)\n"
        f"$(shell,touch {tmp_path}/made)\n$(info,hello)\n$(warning-if,y,hello)\n"
        'config NET\n\tbool "net"\nconfig LSM\n\tstring\n\tdefault "$(SECRET)$SECRET$(HOME)"\n'
    )
    evaluation = run(grow(tmp_path / "tree", net__Kconfig=net))
    assert victim.read_text() == "here"
    assert not (tmp_path / "made").exists()
    assert not (tmp_path / "imported").exists()
    assert "leaked" not in evaluation.symbols["LSM"].value
    assert os.environ["HOME"] not in evaluation.symbols["LSM"].value


def test_allow_shell_really_asks(tmp_path: Path) -> None:
    net = 'config NET\n\tdef_bool "$(shell,test -f Makefile && echo y)" = "y"\n'
    grow(tmp_path, net__Kconfig=net)
    assert run(tmp_path, "").symbols["NET"].value == "n"
    assert run(tmp_path, "", allow_shell=True).symbols["NET"].value == "y"


BOMB = "a = xxxxxxxxxxxxxxxx\n" + "".join(f"{chr(98 + i)} = " + f"$({chr(97 + i)})" * 16 + "\n" for i in range(8))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"net__Kconfig": 'source "init/Kconfig"\nsource "net/Kconfig"\n'}, "recursive 'source'"),
        ({"net__Kconfig": 'source "security/missing"\n'}, "security/missing"),
        ({"net__Kconfig": 'source "../../../../../../etc/hostname"\n'}, "outside the tree"),
        ({"net__Kconfig": "config NET\n\tfrobnicate\n"}, "net/Kconfig:2"),
        ({"net__Kconfig": "#" * (3 << 20)}, "too many for a Kconfig file"),
        ({"net__Kconfig": "config " + "A" * (40 << 10)}, "line of more than"),
        ({"net__Kconfig": "config A\n\tdef_bool B\nconfig B\n\tdef_bool A\n\tdepends on A\n"}, "loop"),
        ({"net__Kconfig": BOMB + "x := $(i)\n"}, "grows beyond all bounds"),
        ({"net__Kconfig": "f = $(f,$(1)$(1))\nx := $(f,xx)\n"}, "grows beyond all bounds"),
        ({"net__Kconfig": "f = $(f,$(1))\nx := $(f,1)\n"}, "recursion"),
        ({"net__Kconfig": "if NET\n" * 3000 + "endif\n" * 3000}, "nested too deeply"),
        ({"net__Kconfig": "config A\n\tdepends on " + "(" * 5000 + "\n"}, "nested too deeply"),
        ({"net__Kconfig": "$(error-if,y,no good)\n"}, "no good"),
        ({"arch__x86__Kconfig": None, "arch__arm__Kconfig": ""}, "no architecture 'x86_64'"),
        ({"Makefile": "nothing\n"}, "names no kernel version"),
    ],
)
def test_a_broken_or_hostile_tree_is_one_clear_line(tmp_path: Path, files: Any, message: str) -> None:
    with pytest.raises(UserError) as caught:
        run(grow(tmp_path, **files))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_regular_files_inside_the_tree_are_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("config OUTSIDE\n\tbool\n")
    tree = grow(tmp_path / "tree")
    (tree / "net/Kconfig").unlink()
    (tree / "net/Kconfig").symlink_to(outside)
    with pytest.raises(UserError, match="outside the tree"):
        run(tree)
    (tree / "net/Kconfig").unlink()
    os.mkfifo(tree / "net/Kconfig")
    with pytest.raises(UserError, match="net/Kconfig"):
        run(tree)


def test_what_is_no_tree(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such directory"):
        Tree(str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="not a kernel tree"):
        Tree(str(tmp_path))


def test_a_file_inside_a_tree_uses_it_and_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree = grow(tmp_path, init__Kconfig=INIT.replace("def_bool y", 'bool "Enable system-call auditing support"'))
    config = tree / "arch/x86/configs/vendor_defconfig"
    config.parent.mkdir()
    config.write_text("CONFIG_64BIT=y\nCONFIG_NET=y\nCONFIG_AUDIT=y\n")
    assert enclosing(str(config)) == str(tree)
    assert cli.run(["kconfig", str(config)]) == 0
    out = capfd.readouterr().out
    assert f"the Kconfig files of {tree} (Linux 6.1.9) are used" in out
    assert "AUDITSYSCALL=n" in out
    assert cli.run(["kconfig", "--no-tree", "--kernel", "6.1", str(config)]) == 0
    assert "AUDITSYSCALL=y" in capfd.readouterr().out


def test_a_broken_tree_around_the_file_is_left_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree = grow(tmp_path, net__Kconfig='source "security/missing"\n')
    config = tree / ".config"
    config.write_text("CONFIG_X86_64=y\nCONFIG_NET=y\nCONFIG_AUDIT=y\n")
    assert cli.run(["kconfig", str(config)]) == 0
    out = capfd.readouterr().out
    assert "is not used" in out
    assert "AUDITSYSCALL=y" in out


WORDS = (
    "config", "menuconfig", "choice", "endchoice", "if", "endif", "menu", "endmenu", "source", "bool", "tristate",
    "string", "int", "hex", "def_bool", "default", "depends on", "select", "imply", "range", "prompt", "visible if",
    "help", "option", "modules", "transitional", "optional", "comment", "mainmenu", "A", "B", "NET", "AUDIT", "y", "n",
    "m", "=", "!=", "<", "&&", "||", "!", "(", ")", '"', '"x"', "'", "\\", "#", "$(", "$(shell,x)", ":=", "+=", "-1",
    "0x",
    "$(A)", "env=", "\t", "  ", ".", "é", "\x00",
)  # fmt: skip


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=12))
def test_any_kconfig_text_is_evaluated_or_refused_in_one_line(tmp_path: Path, lines: Any) -> None:
    text = "\n".join(line if number % 2 else "\t" + line for number, line in enumerate(lines))
    grow(tmp_path, net__Kconfig='config NET\n\tbool "net"\n' + text + "\n")
    try:
        run(tmp_path)
    except UserError as error:
        assert "\n" not in str(error)
