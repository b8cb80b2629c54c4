"""A release as tools/release.py makes it: made twice from one commit, in two folders, and used."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from auditlint import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
NEEDED = ("build", "check_wheel_contents", "cyclonedx_py", "hatchling", "twine")
WHEEL = f"linux_auditlint-{__version__}-py3-none-any.whl"
SDIST = f"linux_auditlint-{__version__}.tar.gz"
SBOM = f"linux_auditlint-{__version__}.cdx.json"
PYZ = "auditlint.pyz"

pytestmark = pytest.mark.slow


def repository(folder: Any) -> Any:
    """A repository with the files of this checkout as they are now, in one commit of a fixed time."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no Git checkout")
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    date = "2026-01-05T12:00:01 +0100"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env = {**kept, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": os.devnull}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "auditlint"]):
        subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)
    return folder


def start(source: Any, target: Any, umask: Any, zone: Any) -> Any:
    command = f'umask {umask}; exec "$@"'
    words = ["sh", "-c", command, "sh", sys.executable, "tools/release.py", str(target)]
    env = {**os.environ, "TZ": zone, "PYTHONHASHSEED": umask}
    env.pop("SOURCE_DATE_EPOCH", None)
    return subprocess.Popen(words, cwd=source, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two folders with a release of the same commit; the sources of the first lie in `one` beside it."""
    for name in NEEDED:
        pytest.importorskip(name)
    place = tmp_path_factory.mktemp("release")
    processes = []
    for name, umask, zone in (("one", "022", "UTC"), ("two/deeper", "077", "Asia/Tokyo")):
        (place / name).mkdir(parents=True)
        source = repository(place / name)
        processes.append(start(source, place / f"out-{umask}", umask, zone))
    for process in processes:
        _, err = process.communicate(timeout=300)
        if "No matching distribution" in err or "Failed to establish a new connection" in err:
            pytest.skip(f"the packages of tools/release.txt cannot be fetched: {err.strip()[-200:]}")
        assert process.returncode == 0, err
    return place / "out-022", place / "out-077"


def test_the_same_bytes_twice(made: Any) -> None:
    one, two = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in made)
    assert set(one) == {WHEEL, SDIST, SBOM, PYZ, "SHA256SUMS"}
    assert [name for name in one if one[name] != two[name]] == []
    sums = dict(reversed(line.split("  ")) for line in one.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in one.items()}


def test_the_version_comes_from_one_place(made: Any) -> None:
    with zipfile.ZipFile(made[0] / WHEEL) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        assert f"\nVersion: {__version__}\n" in wheel.read(metadata).decode()
        (page,) = [name for name in names if name.endswith("/man1/auditlint.1")]
        assert f'"auditlint {__version__}"' in wheel.read(page).decode()
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", text, re.M)
    assert newest is not None
    assert newest[1] == __version__
    assert re.search(r"^version\b", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M) is None


def test_what_the_packages_hold(made: Any) -> None:
    """The wheel has every module and fact, the sdist all that the tests need, and neither what is not committed."""
    source = made[0].parent / "one"
    committed = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    with zipfile.ZipFile(made[0] / WHEEL) as wheel:
        inside = {name for name in wheel.namelist() if ".dist-info/" not in name and ".data/" not in name}
    moved = {"docs/checks/": "auditlint/pages/", "grammars/": "auditlint/grammars/", "rulesets/": "auditlint/rulesets/"}
    expected = {name for name in committed if name.startswith("auditlint/")}
    for before, after in moved.items():
        expected |= {after + name.removeprefix(before) for name in committed if name.startswith(before)}
    assert inside == expected
    with tarfile.open(made[0] / SDIST) as sdist:
        held = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    generated = {name for name in held if name.startswith("shell/")} | {"PKG-INFO"}
    assert held - generated <= committed
    wanted = ("auditlint/", "benchmarks/", "docs/", "examples/", "grammars/", "rulesets/", "tests/", "tools/")
    assert {name for name in committed if name.startswith(wanted)} <= held


def test_sbom(made: Any) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = (made[0] / SBOM).read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text.replace('"library"', '"x"', 1)) is not None
    bom = json.loads(text)
    main = bom["metadata"]["component"]
    assert (main["name"], main["version"]) == ("linux-auditlint", __version__)
    assert main["licenses"][0]["license"]["id"] == "Apache-2.0"
    pins = re.findall(r"^([\w-]+==\S+)", (ROOT / "tools/release.txt").read_text(encoding="utf-8"), re.M)
    assert [f"{each['name']}=={each['version']}" for each in bom["components"]] == sorted(pins)
    assert all(each["licenses"] for each in bom["components"])
    depends = {each["ref"]: each.get("dependsOn") for each in bom["dependencies"]}
    assert depends["root-component"] == sorted(pins)
    assert "file:" not in text
    assert bom["metadata"]["timestamp"].startswith("2026-01-05T11:00:01")


RULES = "-D\n-w /etc/passwd -p wa -k identity\n-a always,exit -F arch=b64 -S opena -k typo\n-e 2\n"
COMMANDS = [
    ["--version"],
    ["check", "a.rules"],
    ["check", "rules.d", "f.config", "cmdline"],
    ["check", "--format", "sarif", "a.rules"],
    ["check", "--profile", "stig", "a.rules"],
    ["kconfig", "--kernel", "6.1", "--arch", "x86", "f.config"],
    ["kconfig", "--kernel", "2.6.32", "--arch", "arm", "f.config"],
    ["cost", "a.rules"],
    ["explain", "AL301"],
    ["list"],
    ["list", "--profiles"],
    ["parse", "a.rules"],
    ["merge", "rules.d"],
    ["match", "a.rules", "--events", "e.jsonl"],
    ["advise", "--config", "f.config", "--rules", "rules.d"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    (tmp_path / "rules.d").mkdir()
    for name in ("a.rules", "rules.d/10-a.rules"):
        (tmp_path / name).write_text(RULES)
    (tmp_path / "f.config").write_text("CONFIG_NET=y\nCONFIG_AUDIT=y\n")
    (tmp_path / "cmdline").write_text("root=/dev/sda ro audit=1\n")
    (tmp_path / "e.jsonl").write_text('{"name": "openat", "abi": 64}\n')
    return tmp_path


def test_zipapp_does_what_the_checkout_does(made: Any, folder: Any) -> None:
    """With nothing installed (-I -S: no site-packages), from another folder, nothing left behind."""
    before = sorted(path.name for path in folder.rglob("*"))
    for words in COMMANDS:
        ours, theirs = (
            subprocess.run([sys.executable, *start, *words], cwd=folder, env=env, capture_output=True, check=False)
            for start, env in (
                (["-m", "auditlint"], {**os.environ, "PYTHONPATH": str(ROOT)}),
                (["-B", "-I", "-S", str(made[0] / PYZ)], {}),
            )
        )
        assert ours.stdout
        assert (theirs.returncode, theirs.stdout, theirs.stderr) == (ours.returncode, ours.stdout, ours.stderr), words
    wrong = subprocess.run([sys.executable, str(made[0] / PYZ), "explain", "x"], capture_output=True, check=False)
    assert (wrong.returncode, wrong.stderr.count(b"\n")) == (2, 1)
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_zipapp_runs_as_a_program_and_under_other_pythons(made: Any, folder: Any) -> None:
    (folder / "bin").mkdir()
    (folder / "bin/python3").symlink_to(sys.executable)
    env = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin"}
    words = [str(made[0] / PYZ), "check", "a.rules"]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    other = folder / "other.pyz"
    with zipfile.ZipFile(made[0] / PYZ) as whole, zipfile.ZipFile(other, "w") as foreign:
        for name in whole.namelist():
            data = whole.read(name)
            # Byte code of another Python has another number in front.
            foreign.writestr(name, b"\0\0\r\n" + data[4:] if name.endswith(".pyc") else data)
    again = subprocess.run(
        [sys.executable, str(other), "check", "a.rules"], cwd=folder, capture_output=True, check=False
    )
    assert (again.returncode, again.stdout, again.stderr) == (done.returncode, done.stdout, b"")


def test_nothing_is_made_of_what_is_not_committed(made: Any, tmp_path: Path) -> None:
    source = made[0].parent / "one"
    (source / "new.txt").write_text("x")
    try:
        process = start(source, tmp_path / "out", "022", "UTC")
        _, err = process.communicate(timeout=60)
    finally:
        (source / "new.txt").unlink()
    assert process.returncode == 1
    assert "not committed" in err
    assert not (tmp_path / "out").exists()
