"""What an input is, by name and by content."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from auditlint.io.detection import detect

CONFIG = b"CONFIG_NET=y\n# CONFIG_AUDIT is not set\n"
RULES = b"# rules\n-D\n-w /etc/passwd -p wa -k identity\n"


@pytest.mark.parametrize(
    ("path", "data", "kind"),
    [
        ("10-base.rules", b"", "rules"),
        ("rules", RULES, "rules"),
        ("audit.rules.j2", RULES, "rules"),
        ("x", b"  -a always,exit -S open\n", "rules"),
        ("x", b"--backlog_wait_time 60000\n", "rules"),
        (".config", CONFIG, "config"),
        ("arch/arm/configs/multi_v7_defconfig", CONFIG, "config"),
        ("arch/arm/configs/multi_v7_defconfig", b"", "config"),
        ("linux.config", CONFIG, "config"),
        ("config-6.6", CONFIG, "fragment"),
        ("config-6.1.0-23-amd64", b"# Linux/x86 6.1.99 Kernel Configuration\n" + CONFIG, "config"),
        ("config.gz", gzip.compress(CONFIG, mtime=0), "config"),
        ("whatever", gzip.compress(CONFIG, mtime=0), "config"),
        ("whatever", gzip.compress(b"all about it", mtime=0), None),
        ("config.gz", b"\x1f\x8bdamaged", "config"),
        ("features/audit/audit.cfg", CONFIG, "fragment"),
        ("features/audit/audit.scc", b"kconf non-hardware audit.cfg\n", "fragment"),
        ("redhat/configs/common/generic/CONFIG_AUDIT", b"CONFIG_AUDIT=y\n", "fragment"),
        ("notes.txt", CONFIG, "config"),
        ("proc/cmdline", b"ro quiet\n", "cmdline"),
        ("cmdline", b"", "cmdline"),
        ("boot/cmdline.txt", b"console=serial0,115200\n", "cmdline"),
        ("etc/default/grub", b'GRUB_CMDLINE_LINUX="audit=1"\n', "cmdline"),
        ("grub", b'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX="audit=1"\n', "cmdline"),
        ("boot/loader/entries/a.conf", b"title A\noptions audit=1\n", "cmdline"),
        ("extlinux/extlinux.conf", b"LABEL a\n  APPEND ro\n", "cmdline"),
        ("x", b"BOOT_IMAGE=/vmlinuz ro audit=1\n", "cmdline"),
        ("x", b"root=/dev/sda1 ro\n", "cmdline"),
        ("x", b"", None),
        ("README", b"All about it.\n", None),
        ("x", bytes(range(256)), None),
    ],
)
def test_kind(path: str, data: Any, kind: str | None) -> None:
    assert detect(path, data) == kind


@pytest.mark.shared
def test_public_files(shared: Path) -> None:
    for path in sorted((shared / "corpus/rules").iterdir()):
        assert detect("x", path.read_bytes()) in ("rules", None), path.name
    for row in (shared / "kconfig/configs/MANIFEST.tsv").read_text().splitlines()[1:]:
        name, _, place = row.split("\t")[:3]
        assert detect(place, (shared / "kconfig/configs" / name).read_bytes()) in ("config", "fragment"), name
