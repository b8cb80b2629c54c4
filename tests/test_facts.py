"""Facts from a file and from an image."""

import os
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.errors import UserError
from auditlint.core.facts import Facts, FileFacts, Mount
from auditlint.core.path_lookup import is_directory, look_up, reached
from auditlint.io.facts_file import facts_from_root, facts_from_toml, join


def read(text: str) -> Facts:
    return facts_from_toml(text, "facts.toml")


def wrong(text: str) -> str:
    with pytest.raises(UserError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_key() -> None:
    facts = read(
        """
        users = { root = 0, chrony = 998 }
        groups = { root = 0 }
        users_missing = ["ntp"]
        paths_missing = ["/opt/app/"]
        directories = ["/var/log", "/etc//ssh"]
        directories_complete = true
        symlinks = { "/bin" = "usr/bin" }
        scripts = ["/usr/bin/ldd"]
        lsm = "apparmor"
        labels = ["docker-default"]
        uid_min = 1000
        file = { uid = 0, mode = "0640", type = "regular" }
        kernel = { enabled = 1, rules = ["-w /a -p wa"] }
        inodes = { "/t/tmp/hard" = 147 }
        mounts = { "/" = { dev = "0:2", fstype = 0x01021994 } }
        """
    )
    assert facts == Facts(
        users={"root": 0, "chrony": 998},
        groups={"root": 0},
        users_missing=frozenset(["ntp"]),
        paths_missing=frozenset(["/opt/app"]),
        directories=frozenset(["/", "/var", "/var/log", "/etc", "/etc/ssh"]),
        directories_complete=True,
        symlinks={"/bin": "usr/bin"},
        scripts=frozenset(["/usr/bin/ldd"]),
        lsm="apparmor",
        labels=frozenset(["docker-default"]),
        uid_min=1000,
        file=FileFacts(0, 0o640, "regular"),
        kernel_enabled=1,
        kernel_rules=("-w /a -p wa",),
        inodes={"/t/tmp/hard": 147},
        mounts={"/": Mount("0:2", 0x01021994)},
    )


def test_nothing_is_unknown() -> None:
    assert read("") == Facts()


def test_mode_as_a_number() -> None:
    assert read("file = { mode = 0o644 }").file == FileFacts(mode=0o644)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("user = {}", "facts.toml: user: unknown fact; did you mean users?"),
        ("xyz = 1", "facts.toml: xyz: unknown fact; expected one of users, groups"),
        ("users = 3", "facts.toml: users: must be a table"),
        ("users = { a = -1 }", "facts.toml: users.a: must be a number from 0 to 4294967295"),
        ("users = { a = true }", "users.a: must be a number"),
        ("paths_missing = ['opt']", "paths_missing: must be an absolute path, not 'opt'"),
        ("directories = '/etc'", "directories: must be a list"),
        ("directories = [1]", "directories: must be a string"),
        ("directories_complete = 1", "directories_complete: must be true or false"),
        ("lsm = 'yama'", "lsm: must be one of selinux, apparmor, smack, none, not 'yama'"),
        ("file = { mode = '0999' }", "file.mode: must be octal digits such as \"0640\", not '0999'"),
        ("file = { mode = 99999 }", "file.mode: must be a number from 0 to 4095"),
        ("file = { type = 'pipe' }", "file.type: must be one of regular, directory, symlink, device, missing"),
        ("file = { owner = 0 }", "file.owner: unknown fact"),
        ("kernel = { enabled = 3 }", "kernel.enabled: must be a number from 0 to 2"),
        ("kernel = { rule = [] }", "kernel.rule: unknown fact; did you mean rules?"),
        ("symlinks = { '/a' = '' }", "symlinks./a: must not be empty"),
        ("mounts = { '/' = { dev = 'sda' } }", "mounts./.dev: must be \"major:minor\", not 'sda'"),
        ("mounts = { '/' = { type = 1 } }", "mounts./.type: unknown fact"),
        ("inodes = { '/a' = 'x' }", "inodes./a: must be a number"),
        ("users = {", "facts.toml: "),
    ],
)
def test_wrong_values_name_the_key(text: str, said: str) -> None:
    assert said in wrong(text)


def image(tmp_path: Path) -> Any:
    for path in ("etc", "usr/bin", "var/log", "home"):
        (tmp_path / path).mkdir(parents=True)
    passwd = ["root:x:0:0:root:/root:/bin/sh", "# c:x:1:1::/:", "+nis:x:1:1::/:", "broken", "user:x:1000:1000:::"]
    passwd += ["user:x:5:5:::", "odd:x:abc:1:::", f"huge:x:{'9' * 5000}:1:::", ""]
    (tmp_path / "etc/passwd").write_text("\n".join(passwd))
    (tmp_path / "etc/group").write_text("root:x:0:\nadm:x:4:user\nbin:x:2\n")
    (tmp_path / "etc/login.defs").write_text("# UID_MIN 5\nUID_MIN\t\t 1000\nUID_MAX 60000\n")
    (tmp_path / "bin").symlink_to("usr/bin")
    (tmp_path / "abs").symlink_to("/var/log")
    (tmp_path / "escape").symlink_to("/../../../etc")
    return facts_from_root(str(tmp_path))


def test_image(tmp_path: Path) -> None:
    facts = image(tmp_path)
    assert facts.users == {"root": 0, "user": 1000}
    assert facts.groups == {"root": 0, "adm": 4, "bin": 2}
    assert facts.uid_min == 1000
    assert is_directory("/etc", facts)
    assert is_directory("/bin", facts)
    assert is_directory("/abs/", facts)
    assert is_directory("/", facts)
    assert is_directory("/etc/passwd", facts) is False
    assert is_directory("/none", facts) is False
    assert reached("/bin/../bin", facts) == "/usr/bin"
    assert look_up("/etc/new", facts, parent=True) is None
    assert look_up("/etc/none/new", facts, parent=True) == "ENOENT"
    assert look_up("/none", facts) == "ENOENT"
    assert look_up("/abs", facts) is None


def test_image_does_not_lead_outside(tmp_path: Path) -> None:
    """A link to /../../etc means the image's own etc, and unresolved paths are not followed by the host's rules."""
    facts = image(tmp_path)
    assert reached("/escape/passwd", facts) == "/etc/passwd"
    (tmp_path / "out").symlink_to("/usr")
    assert "/out/bin" not in facts.directories
    assert "/out/bin" in facts.paths_missing
    assert facts.symlinks.get("/out/bin") is None
    assert facts.symlinks.get("/out") == "/usr"
    assert bool(facts.symlinks)
    assert list(facts.symlinks) == []


def test_image_with_links_to_its_tables(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/passwd").write_text("a:x:7:7:::\n")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/passwd").symlink_to("/lib/passwd")
    (tmp_path / "etc/group").symlink_to("group")
    facts = facts_from_root(f"{tmp_path}/")
    assert facts.users == {"a": 7}
    assert facts.groups is None
    assert facts.uid_min is None


def test_image_with_a_pipe_for_passwd(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    os.mkfifo(tmp_path / "etc/passwd")
    assert facts_from_root(str(tmp_path)).users is None


def test_deep_and_odd_paths_of_an_image(tmp_path: Path) -> None:
    facts = facts_from_root(str(tmp_path))
    assert look_up("/a" * 2000, facts) == "ENOENT"
    assert "/a" * 2000 in facts.paths_missing
    assert "/nul\0byte" in facts.paths_missing
    directories: Any = facts.directories
    assert 5 not in directories


def test_no_image(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file or directory"):
        facts_from_root(str(tmp_path / "none"))


def test_the_file_counts_more_than_the_image(tmp_path: Path) -> None:
    both = join(read("users = { x = 1 }\nlsm = 'selinux'"), image(tmp_path))
    assert both.users == {"x": 1}
    assert both.groups == {"root": 0, "adm": 4, "bin": 2}
    assert both.lsm == "selinux"
    assert is_directory("/etc", both)


def test_look_up_without_facts() -> None:
    assert look_up("/anything/at/all", Facts()) is None
    assert is_directory("/anything", Facts()) is None
    assert is_directory("/", Facts()) is True
    assert is_directory("/etc/..", Facts()) is True


def test_scripts_of_an_image(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ldd").write_text("#!/bin/sh\n")
    (tmp_path / "bin/true").write_bytes(b"\x7fELF")
    (tmp_path / "bin/link").symlink_to("ldd")
    scripts = facts_from_root(str(tmp_path)).scripts
    assert [path in scripts for path in ("/bin/ldd", "/bin/true", "/bin/link", "/bin", "/bin/none")] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_what_lies_below_a_linked_folder_of_an_image_is_there(tmp_path: Path) -> None:
    """As in every distribution with one /usr: /sbin is a link, and /sbin/insmod a file."""
    from auditlint.context.rules import RulesContext
    from auditlint.core.settings import DEFAULT
    from auditlint.core.source import Source
    from auditlint.core.target import Target
    from auditlint.kernel.storage import MISSING_BUCKET
    from auditlint.load.program import load_file

    (tmp_path / "usr/sbin").mkdir(parents=True)
    (tmp_path / "usr/sbin/insmod").touch()
    (tmp_path / "sbin").symlink_to("usr/sbin")
    text = b"-w /sbin/insmod -p x -k a\n-w /sbin/rmmod -p x -k a\n-a always,exit -F path=/usr/sbin/insmod -k b\n"
    program = load_file(Source("a.rules", text), Target(), facts_from_root(str(tmp_path)))
    rules = RulesContext(program, DEFAULT).storage.hashed
    assert [(stored.path, stored.bucket == MISSING_BUCKET) for stored in rules] == [
        ("/usr/sbin/insmod", False),
        ("/usr/sbin/rmmod", True),
        ("/usr/sbin/insmod", False),
    ]
