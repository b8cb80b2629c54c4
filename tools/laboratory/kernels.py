"""Kernels and audit programs from Debian packages, fetched with the sources that the machine's apt is set up for.

A private apt state below the cache folder names more suites of the same mirror; nothing of the machine's own package
state is changed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from auditlint.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
KERNEL_PACKAGES = {
    "5.10": "linux-image-5.10.0-32-cloud-amd64",
    "6.1": "linux-image-6.1.0-56-cloud-amd64",
    "6.12": "linux-image-6.12.117+deb13-cloud-amd64",
}
"""The packages of the shipped tables, by kernel line. Where a mirror has dropped one, the newest of the line serves."""
SUITES = ("bullseye", "bookworm", "trixie", "sid")
AUDITCTL_SUITES = {"3.0.9": "bookworm", "4.0.2": "trixie"}


class Kernel(NamedTuple):
    """A kernel image: its line (6.1), its version (6.1.192), the file, and the machine it is for."""

    line: str
    version: str
    image: Path
    machine: str


class Store:
    """Downloaded and unpacked packages below a cache folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._apt = folder / "apt"

    def kernel(self, line: str, machine: str = "x86_64", package: str | None = None) -> Kernel:
        """The kernel of a line; `package` names another package than the shipped table's."""
        package = package or self._kernel_package(line, machine)
        root = self.unpacked(package, MACHINES[machine])
        image = next(iter(sorted(root.glob("boot/vmlinuz-*"))), None)
        if image is None:
            # Since 7.1 the image is in a package of its own.
            root = self.unpacked(package.replace("linux-image-", "linux-binary-", 1), MACHINES[machine])
            image = next(
                iter(sorted(root.glob("boot/vmlinuz-*")) + sorted(root.glob("usr/lib/modules/*/vmlinuz"))), None
            )
        if image is None:
            raise UserError(f"{package}: the package holds no kernel image")
        return Kernel(line, self.version(root), image, machine)

    def version(self, root: Path) -> str:
        """The upstream version of an unpacked package."""
        text = (root / "VERSION").read_text(encoding="utf-8").strip()
        return re.sub(r"^\d+:|[-+~].*$", "", text)

    def auditctl(self, release: str, machine: str = "x86_64") -> dict[str, bytes]:
        """auditctl with its loader and libraries: file name to content, to be put into one folder of the guest."""
        arch = MACHINES[machine]
        suite = AUDITCTL_SUITES[release]
        files: dict[str, bytes] = {}
        for package in ("auditd", "libaudit1", "libauparse0", "libauparse0t64", "libcap-ng0", "libc6"):
            try:
                root = self.unpacked(package, arch, suite)
            except UserError:
                if package.startswith("libauparse"):
                    continue
                raise
            for path in sorted(root.rglob("*")):
                if path.is_dir():
                    continue
                wanted = re.fullmatch(r"auditctl|ld-linux.*|lib(audit|auparse|cap-ng|c)\.so\.\d+", path.name)
                if wanted and "gconv" not in str(path):
                    files["ld.so" if path.name.startswith("ld-linux") else path.name] = path.resolve().read_bytes()
        for needed in ("auditctl", "ld.so", "libc.so.6", "libaudit.so.1"):
            if needed not in files:
                raise UserError(f"auditctl {release}: its packages hold no {needed}")
        return files

    def unpacked(self, package: str, arch: str, suite: str | None = None) -> Path:
        """The folder of an unpacked package; downloaded when it is not in the cache."""
        with self._locked():
            return self._unpacked(package, arch, suite)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Only one process at a time changes the cache."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _unpacked(self, package: str, arch: str, suite: str | None) -> Path:
        folder = self.folder / "packages" / "_".join(filter(None, (package, arch, suite)))
        if not (folder / "VERSION").exists():
            downloads = self.folder / "downloads" / folder.name
            shutil.rmtree(downloads, ignore_errors=True)
            downloads.mkdir(parents=True)
            self._download(package, arch, suite, downloads)
            archive = next(downloads.glob("*.deb"))
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            run(["dpkg-deb", "-x", str(archive), str(folder)])
            version = run(["dpkg-deb", "-f", str(archive), "Version"])
            (folder / "VERSION").write_text(version, encoding="utf-8")
            shutil.rmtree(downloads)
        return folder

    def _download(self, package: str, arch: str, suite: str | None, where: Path) -> None:
        configuration = self._prepared()
        spec = f"{package}:{arch}" + (f"/{suite}" if suite else "")
        try:
            run(["apt-get", "-q", "-c", str(configuration), "download", spec], cwd=where)
        except UserError as error:
            raise UserError(
                f"{package} ({arch}{', ' + suite if suite else ''}) cannot be downloaded: {error}"
            ) from None

    def _prepared(self) -> Path:
        """The configuration of the private apt state; the lists are fetched once."""
        configuration = self._apt / "apt.conf"
        if configuration.exists():
            return configuration
        for part in ("lists/partial", "cache/archives/partial", "preferences.d"):
            (self._apt / part).mkdir(parents=True, exist_ok=True)
        (self._apt / "status").write_text("", encoding="utf-8")
        sources = self._apt / "sources.list"
        sources.write_text("".join(f"{line}\n" for line in source_lines()), encoding="utf-8")
        text = (
            f'Dir::State "{self._apt}";\nDir::State::lists "{self._apt}/lists";\n'
            f'Dir::State::status "{self._apt}/status";\n'
            f'Dir::Cache "{self._apt}/cache";\nDir::Etc::sourcelist "{sources}";\nDir::Etc::sourceparts "-";\n'
            f'Dir::Etc::preferencesparts "{self._apt}/preferences.d";\nDir::Etc::preferences "-";\n'
            'APT::Architectures {"amd64";"arm64";};\nAPT::Sandbox::User "root";\nAcquire::Languages "none";\n'
            'APT::Get::List-Cleanup "0";\n'
        )
        scratch = self._apt / "apt.conf.new"
        scratch.write_text(text, encoding="utf-8")
        run(["apt-get", "-q", "-c", str(scratch), "update"])
        scratch.rename(configuration)
        return configuration

    def _cached(self, package: str, machine: str) -> bool:
        return (self.folder / "packages" / f"{package}_{MACHINES[machine]}" / "VERSION").exists()

    def _kernel_package(self, line: str, machine: str) -> str:
        with self._locked():
            configuration = self._prepared()
        arch = MACHINES[machine]
        names = run(["apt-cache", "-c", str(configuration), "pkgnames", f"linux-image-{line}."]).split()
        names = [name for name in names if name.endswith(f"-cloud-{arch}") and "deb11" not in name]
        shipped = KERNEL_PACKAGES.get(line)
        if shipped in names or (shipped and self._cached(shipped, machine)):
            return shipped
        if not names:
            raise UserError(f"no suite has a cloud kernel {line} for {machine}")
        return max(names, key=lambda name: [int(part) for part in re.findall(r"\d+", name)])


def source_lines() -> list[str]:
    """Lines of sources.list: the machine's Debian mirrors with all suites of `SUITES`."""
    plain, security = _mirrors()
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    signed = f"[signed-by={key}] " if Path(key).exists() else ""
    lines = [f"deb {signed}{plain} {suite} main" for suite in SUITES]
    if security:
        lines += [f"deb {signed}{security} {suite}-security main" for suite in SUITES if suite != "sid"]
    return lines


def _mirrors() -> tuple[str, str | None]:
    text = ""
    for path in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("debian*"))]:
        if path.is_file():
            text += path.read_text(encoding="utf-8", errors="replace")
    urls = re.findall(r"^(?:deb |URIs:)[^\n]*?(\w+://\S+)", text, re.M)
    plain = [url.rstrip("/") for url in urls if re.search(r"/debian/?$", url)]
    security = [url.rstrip("/") for url in urls if re.search(r"/debian-security/?$", url)]
    if not plain:
        raise UserError("apt of this machine names no Debian mirror: give the kernel with --image")
    return plain[0], security[0] if security else None


def run(command: list[str], cwd: Path | None = None) -> str:
    """What a program prints; UserError with its last words when it fails or is absent."""
    try:
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, check=False)
    except OSError as error:
        raise UserError(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[-1]
        raise UserError(f"{command[0]}: {last}")
    return done.stdout
