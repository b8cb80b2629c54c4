"""Makes a release from the commit that is checked out: wheel, sdist, zipapp, SBOM and their checksums.

usage: release.py DIR      DIR must not be there, or be empty

Needs git, and the packages of `pip install -e '.[release]'`; fetches those of tools/release.txt. The same commit gives
the same bytes, in any folder, with any umask and time zone: only what is committed counts, and every time is that of
the commit. They also depend on the Python that runs this: on its zlib, and the zipapp holds its byte code.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START = "import sys\n\nfrom auditlint.__main__ import main\n\nsys.exit(main())\n"
FORGOTTEN = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""Files of a *.dist-info folder that tell about one installation."""


def call(*words: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> None:
    """Run a program; what it says is shown only when it fails, and then ends this one."""
    command = list(map(str, words))
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nrelease.py: failed: {' '.join(map(str, words))}")


def git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *words], stdout=subprocess.PIPE, check=True).stdout


def unpack(folder: Path) -> None:
    """The committed files, nothing else."""
    archive = folder.with_suffix(".tar")
    archive.write_bytes(git("-c", "tar.umask=0022", "archive", "--format=tar", "HEAD"))
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")


def environment(folder: Path, wheel: Path) -> Path:
    """Install the wheel and the pinned dependencies; returns their folder."""
    call(sys.executable, "-m", "venv", "--without-pip", folder)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder, "install", "--no-compile")
    call(*pip, "--require-hashes", "--only-binary=:all:", "-r", ROOT / "tools/release.txt")
    # By name, so that the installation does not remember this folder.
    call(*pip, "--no-index", "--no-deps", "--find-links", wheel.parent, "linux-auditlint")
    call(*pip[:-2], "check")
    (found,) = folder.glob("lib/python*/site-packages")
    return found


def zipapp(packages: Path, target: Path, when: int) -> None:
    """One file with all packages: Python runs it as it is. The Python of the same minor version that made it takes the
    byte code, which starts four times as fast; others compile the sources."""
    date = time.gmtime(when)[:6]
    compiling = ("-m", "compileall", "-q", "-b", "-j1", "--invalidation-mode", "unchecked-hash", "-s", packages)
    call(sys.executable, *compiling, packages, env={**os.environ, "PYTHONHASHSEED": "0"})
    paths = sorted(path for path in packages.rglob("*") if path.is_file() and path.name not in FORGOTTEN)
    with open(target, "wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w") as archive:

            def add(name: str, data: bytes) -> None:
                member = zipfile.ZipInfo(name, date)
                member.external_attr = 0o100644 << 16
                member.create_system = 3
                archive.writestr(member, data, zipfile.ZIP_DEFLATED, 9)

            add("__main__.py", START.encode())
            for path in paths:
                add(path.relative_to(packages).as_posix(), path.read_bytes())
    target.chmod(0o755)


def release(target: Path) -> None:
    if git("status", "--porcelain"):
        sys.exit("release.py: what is not committed would be left out; commit it first")
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        sys.exit(f"release.py: {target} is not empty")
    when = int(git("log", "-1", "--format=%ct"))
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(when), "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC"}
    with tempfile.TemporaryDirectory(prefix="auditlint-release.") as name:
        work = Path(name)
        unpack(work / "source")
        call(sys.executable, "-m", "build", "--no-isolation", "--outdir", target, cwd=work / "source", env=env)
        (wheel,) = target.glob("*.whl")
        (sdist,) = target.glob("*.tar.gz")
        call(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
        call(sys.executable, "-m", "check_wheel_contents", wheel)
        packages = environment(work / "venv", wheel)
        zipapp(packages, target / "auditlint.pyz", when)
        sbom = target / wheel.name.replace("-py3-none-any.whl", ".cdx.json")
        version = wheel.name.split("-")[1]
        described = work / "pyproject.toml"  # the tool knows no dynamic version
        text = (work / "source/pyproject.toml").read_text(encoding="utf-8")
        described.write_text(text.replace('dynamic = ["version"]', f'version = "{version}"'), encoding="utf-8")
        bom = (sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--validate")
        call(*bom, "--pyproject", described, "-o", sbom, work / "venv", env=env)
    names = sorted(path.name for path in target.iterdir())
    sums = "".join(f"{hashlib.sha256((target / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (target / "SHA256SUMS").write_text(sums)
    print(sums, end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, metavar="DIR")
    release(parser.parse_args().target.absolute())
