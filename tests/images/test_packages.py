"""Which auditctl an image has: from the database of each package manager, else from the binary."""

import os
import shutil
import sqlite3
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.images.making import RULES, command, needs

BINARY = b"\x7fELF\x02\x01\x01" + bytes(11) + b"\x3e\x00" + bytes(40) + b"\x003.1.2\0auditctl version %s\n\0" + bytes(8)
"""What matters of an auditctl for x86_64: the ELF header, and the version before its format."""
BASE = {"etc/os-release": "ID=unheard-of\n", "etc/audit/rules.d/a.rules": RULES}


def target(judge: Any, *words: Any) -> Any:
    status, report, err = judge("check", "img/etc/audit/rules.d", "--root", "img", "--fail-on", "never", *words)
    assert (status, err) == (0, "")
    return report["target"], report["notes"]


def auditctl(judge: Any, *words: Any) -> Any:
    found, _ = target(judge, *words)
    return found["auditctl"], found["source"]["auditctl"]


@pytest.mark.parametrize(
    ("package", "version", "status", "expected"),
    [
        ("auditd", "1:4.0.2-2+deb13u1", "install ok installed", "4.0.2"),
        ("auditd", "1:3.0.9-1", "hold ok installed", "3.0.9"),
        ("auditd", "1:3.0.9-1", "deinstall ok config-files", None),
        ("libaudit1", "1:3.0.9-1", "install ok installed", None),
    ],
)
def test_dpkg_status(package: str, version: str, status: str, expected: str | None, image: Any, judge: Any) -> None:
    stanza = f"Package: {package}\nStatus: {status}\nVersion: {version}\nDescription: x\n Version: 9.9\n"
    other = "Package: bash\nStatus: install ok installed\nVersion: 5.2-1\n"
    image({**BASE, "var/lib/dpkg/status": f"{other}\n{stanza}\n{other}"})
    if expected is None:
        assert auditctl(judge) == ("4.2", "default")
    else:
        assert auditctl(judge) == (expected, "image:var/lib/dpkg/status")


def test_distroless(image: Any, judge: Any) -> None:
    image({**BASE, "var/lib/dpkg/status.d/auditd": "Package: auditd\nVersion: 1:3.0.9-1\nArchitecture: amd64\n"})
    assert auditctl(judge) == ("3.0.9", "image:var/lib/dpkg/status.d/auditd")


def test_a_package_that_dpkg_installed(image: Any, judge: Any, tmp_path: Path) -> None:
    """A real package, made by dpkg-deb and unpacked by dpkg into the image."""
    needs("dpkg", "dpkg-deb")
    root = image(BASE)
    folder = tmp_path / "package"
    (folder / "DEBIAN").mkdir(parents=True)
    (folder / "usr/sbin").mkdir(parents=True)
    (folder / "usr/sbin/auditctl").write_bytes(BINARY)
    control = "Package: auditd\nVersion: 1:4.1.2-1+b2\nArchitecture: all\nMaintainer: A <a@b.c>\nDescription: x\n"
    (folder / "DEBIAN/control").write_text(control)
    command("dpkg-deb", "--root-owner-group", "--build", str(folder), str(tmp_path / "auditd.deb"))
    (root / "var/lib/dpkg/info").mkdir(parents=True)
    (root / "var/lib/dpkg/updates").mkdir()
    (root / "var/lib/dpkg/status").write_text("")
    if os.geteuid() != 0:
        pytest.skip("dpkg --root needs root")
    command(
        "dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "-i", str(tmp_path / "auditd.deb")
    )
    assert auditctl(judge) == ("4.1.2", "image:var/lib/dpkg/status")
    assert target(judge)[0]["source"]["machine"] == "image:usr/sbin/auditctl"


def test_a_tree_of_mmdebstrap(image: Any, judge: Any, tmp_path: Path) -> None:
    """A suite of our own with one package, and mmdebstrap's status file of it."""
    needs("mmdebstrap", "dpkg-deb", "dpkg-scanpackages")
    if os.geteuid() != 0:
        pytest.skip("mmdebstrap without root needs user namespaces")
    suite = tmp_path / "suite"
    for name, version, essential in (("auditd", "1:3.0.9-1", "yes"), ("base-files", "12.4", "yes")):
        folder = tmp_path / f"deb-{name}"
        (folder / "DEBIAN").mkdir(parents=True)
        (folder / "etc").mkdir()
        (folder / "etc" / name).write_text("x\n")
        (folder / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: all\nEssential: {essential}\n"
            "Priority: required\nMaintainer: A <a@b.c>\nDescription: x\n"
        )
        suite.mkdir(exist_ok=True)
        command("dpkg-deb", "--root-owner-group", "--build", str(folder), str(suite / f"{name}.deb"))
    (suite / "Packages").write_text(command("dpkg-scanpackages", ".", cwd=suite))
    root = image(BASE)
    done = subprocess.run(
        [
            "mmdebstrap",
            "--variant=custom",
            "--include=auditd",
            "--mode=chrootless",
            "--quiet",
            "--format=directory",
            "",
            str(tmp_path / "tree"),
            f"deb [trusted=yes] copy://{suite} ./",
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode != 0:
        pytest.skip(f"mmdebstrap cannot work here: {done.stderr.strip().splitlines()[-1:]}")
    (tmp_path / "tree/etc/audit/rules.d").mkdir(parents=True, exist_ok=True)
    (root / "etc/audit/rules.d/a.rules").rename(tmp_path / "tree/etc/audit/rules.d/a.rules")
    shutil.rmtree(root)
    (tmp_path / "tree").rename(root)
    assert auditctl(judge) == ("3.0.9", "image:var/lib/dpkg/status")


SPEC = """Name: {name}
Epoch: 7
Version: {version}
Release: {release}
Summary: x
License: GPL
BuildArch: noarch
%description
x
%files
"""


@pytest.mark.parametrize(
    ("names", "expected"), [(("audit",), "3.1.5"), (("audit", "audit-rules"), "4.0.3"), (("audit-libs",), None)]
)
@pytest.mark.parametrize("folder", ["var/lib/rpm", "usr/lib/sysimage/rpm"])
def test_rpm_sqlite(
    names: tuple[str, ...], expected: str | None, folder: str, image: Any, judge: Any, tmp_path: Path
) -> None:
    """Packages made by rpmbuild, registered by rpm in a database of sqlite form."""
    needs("rpmbuild", "rpm")
    versions = {"audit": ("3.1.5", "8.el9"), "audit-rules": ("4.0.3", "5.el10"), "audit-libs": ("3.1.5", "8.el9")}
    root = image(BASE)
    (root / folder).mkdir(parents=True)
    database = f"--dbpath={root / folder}"
    for name in names:
        version, release = versions[name]
        spec = tmp_path / f"{name}.spec"
        spec.write_text(SPEC.format(name=name, version=version, release=release))
        command("rpmbuild", "-bb", "--define", f"_topdir {tmp_path}/top", str(spec))
        (package,) = (tmp_path / "top/RPMS/noarch").glob(f"{name}-{version}-*.rpm")
        command(
            "rpm",
            database,
            "--define",
            "_db_backend sqlite",
            "-i",
            "--justdb",
            "--nodeps",
            "--nosignature",
            str(package),
        )
    assert (root / folder / "rpmdb.sqlite").exists()
    found = auditctl(judge)
    assert found == ((expected, f"image:{folder}/rpmdb.sqlite") if expected else ("4.2", "default"))
    assert sorted(path.name for path in (root / folder).iterdir() if path.name.endswith(("-wal", "-shm"))) in (
        [],
        ["rpmdb.sqlite-shm", "rpmdb.sqlite-wal"],
    )


def header(name: str, version: str, release: str) -> bytes:
    """An rpm header of three strings."""
    data, entries = b"", b""
    for tag, text in ((1000, name), (1001, version), (1002, release)):
        entries += struct.pack(">iIiI", tag, 6, len(data), 1)
        data += text.encode() + b"\0"
    return struct.pack(">II", 3, len(data)) + entries + data


def rpm_database(path: Path, blobs: list[tuple[str, bytes]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE Packages (hnum INTEGER PRIMARY KEY AUTOINCREMENT, blob BLOB NOT NULL)")
        database.execute("CREATE TABLE Name (key TEXT NOT NULL, hnum INTEGER NOT NULL, idx INTEGER NOT NULL)")
        for number, (name, blob) in enumerate(blobs, 1):
            database.execute("INSERT INTO Packages VALUES (?, ?)", (number, blob))
            database.execute("INSERT INTO Name VALUES (?, ?, 0)", (name, number))
    database.close()


@pytest.mark.parametrize(
    "blob",
    [b"", b"\0\0", b"\xff" * 40, header("audit", "3.1.5", "1")[:-9], struct.pack(">II", 1, 4) + bytes(20)],
)
def test_broken_rpm_headers(blob: Any, image: Any, judge: Any) -> None:
    root = image({**BASE, "usr/sbin/auditctl": BINARY})
    rpm_database(root / "var/lib/rpm/rpmdb.sqlite", [("audit", blob)])
    assert auditctl(judge) == ("3.1.2", "image:usr/sbin/auditctl")


def test_an_rpm_database_that_is_none(image: Any, judge: Any) -> None:
    image({**BASE, "usr/sbin/auditctl": BINARY, "var/lib/rpm/rpmdb.sqlite": b"SQLite format 3\0" + b"\xff" * 5000})
    found, notes = target(judge)
    assert found["source"]["auditctl"] == "image:usr/sbin/auditctl"
    assert any("img/var/lib/rpm/rpmdb.sqlite" in note and "version string in auditctl counts" in note for note in notes)


def test_a_query_that_never_ends_is_stopped(image: Any, judge: Any) -> None:
    """A database whose table is a view that counts for ever."""
    root = image({**BASE, "usr/sbin/auditctl": BINARY})
    path = root / "var/lib/rpm/rpmdb.sqlite"
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path)
    database.execute(
        "CREATE VIEW Packages AS WITH RECURSIVE n(hnum) AS (SELECT 1 UNION ALL SELECT hnum + 1 FROM n) "
        "SELECT hnum, x'00' AS blob FROM n"
    )
    database.execute("CREATE TABLE Name (key TEXT, hnum INTEGER, idx INTEGER)")
    database.execute("INSERT INTO Name VALUES ('audit', -1, 0)")
    database.commit()
    database.close()
    found, notes = target(judge)
    assert found["source"]["auditctl"] == "image:usr/sbin/auditctl"
    assert any("interrupted" in note for note in notes)


@pytest.mark.parametrize(("name", "form"), [("Packages.db", "ndb"), ("Packages", "Berkeley DB")])
def test_rpm_forms_that_are_not_read_are_said(name: str, form: str, image: Any, judge: Any) -> None:
    image({**BASE, "usr/sbin/auditctl": BINARY, f"var/lib/rpm/{name}": b"\x61\x15\x06\0" * 100})
    found, notes = target(judge)
    assert (found["auditctl"], found["source"]["auditctl"]) == ("3.1.2", "image:usr/sbin/auditctl")
    assert (
        f"img/var/lib/rpm/{name}: rpm database in {form} form is not read; the version string in auditctl counts"
        in notes
    )


def test_apk(image: Any, judge: Any) -> None:
    stanzas = "C:Q1\nP:musl\nV:1.2.5-r0\nA:x86_64\n\nC:Q1\nP:audit\nV:4.0.3-r0\nA:x86_64\nF:usr/sbin\nR:auditctl\n\n"
    image({**BASE, "lib/apk/db/installed": stanzas})
    assert auditctl(judge) == ("4.0.3", "image:lib/apk/db/installed")


def test_apk_with_the_libraries_alone(image: Any, judge: Any) -> None:
    image({**BASE, "lib/apk/db/installed": "P:audit-libs\nV:4.0.3-r0\n\n"})
    assert auditctl(judge) == ("4.2", "default")


def test_opkg(image: Any, judge: Any) -> None:
    stanza = "Package: audit\nVersion: 2.8.5-7\nStatus: install user installed\nArchitecture: x86_64\n\n"
    image({**BASE, "usr/lib/opkg/status": stanza})
    assert auditctl(judge) == ("2.8.5", "image:usr/lib/opkg/status")


def test_pacman(image: Any, judge: Any) -> None:
    desc = "%NAME%\naudit\n\n%VERSION%\n4.1.2-2\n\n"
    image({**BASE, "var/lib/pacman/local/audit-4.1.2-2/desc": desc, "var/lib/pacman/local/audit-tools-9.9-1/desc": "x"})
    assert auditctl(judge) == ("4.1.2", "image:var/lib/pacman/local/audit-4.1.2-2/desc")


def test_portage(image: Any, judge: Any) -> None:
    image({**BASE, "var/db/pkg/sys-process/audit-4.1.4-r4/PF": "audit-4.1.4-r4\n"})
    assert auditctl(judge) == ("4.1.4", "image:var/db/pkg/sys-process/audit-4.1.4-r4")


def test_the_binary_alone(image: Any, judge: Any) -> None:
    """Through merged /usr: the link means the image."""
    image({**BASE, "sbin": "-> /usr/sbin", "usr/sbin/auditctl": BINARY})
    found, _ = target(judge)
    assert (found["auditctl"], found["machine"]) == ("3.1.2", "x86_64")
    assert found["source"] == {
        "kernel": "default",
        "machine": "image:usr/sbin/auditctl",
        "auditctl": "image:usr/sbin/auditctl",
    }


@pytest.mark.parametrize("text", [b"", b"\x7fELF", b"auditctl version %s\n\0", b"\0x.y\0auditctl version %s\n\0"])
def test_binaries_that_do_not_tell(text: bytes, image: Any, judge: Any) -> None:
    image({**BASE, "usr/sbin/auditctl": text})
    assert auditctl(judge) == ("4.2", "default")


def test_the_binary_of_this_machine(image: Any, judge: Any) -> None:
    """Where the tests run on a machine with auditctl: what it says of itself."""
    needs("auditctl")
    root = image(BASE)
    (root / "usr/sbin").mkdir(parents=True)
    path = next(path for path in ("/usr/sbin/auditctl", "/sbin/auditctl", "/usr/bin/auditctl") if Path(path).exists())
    (root / "usr/sbin/auditctl").write_bytes(Path(path).read_bytes())
    said = subprocess.run([path, "-v"], capture_output=True, text=True).stdout.split()[-1]
    assert auditctl(judge)[0] == said
