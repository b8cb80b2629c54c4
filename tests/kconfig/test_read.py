"""The reader against what the kernels' own readers did."""

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.core.compression import MAX_BYTES, UnreadableInput, unpack
from auditlint.core.source import Source
from auditlint.kconfig.config_file import read_config


def read(text: str | bytes, path: str = "config", kernel: str | None = "6.1") -> Any:
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    return read_config(Source(path, data), kernel=kernel)


def pairs(config: Any) -> Any:
    return [(a.symbol, a.value) for a in config.assignments]


@pytest.mark.shared
def test_fragments_are_read_as_by_the_kernels(shared: Path) -> None:
    for name, fragment in json.loads((shared / "kconfig/fragments.json").read_text()).items():
        old = read(fragment["text"], kernel="6.1")
        assert [list(pair) for pair in pairs(old)] == fragment["read_as"], name
        new = read(fragment["text"], kernel="6.12")
        assert [list(pair) for pair in pairs(new)] == fragment.get("read_as_6_12", fragment["read_as"]), name


@pytest.mark.shared
def test_explicit_values_of_public_files(shared: Path) -> None:
    folder = shared / "kconfig/configs"
    rows = [row.split("\t") for row in (folder / "MANIFEST.tsv").read_text().splitlines()[1:]]
    assert len(rows) > 40
    for name, _, path, _, arch, version, _, values in rows:
        data = (folder / name).read_bytes()
        config = read_config(Source(path, data))
        wanted = version.split(" ")[0]
        if wanted != "none":
            assert config.version == wanted, name
        if "path" not in arch and arch != "none":
            assert config.arch == arch, name
        for value in values.split('" ') if '"' in values else values.split():
            for word in [value] if '"' in value else value.split():
                if '"' in word:
                    continue
                symbol, _, text = word.partition("=")
                last = config.assignments.last(symbol)
                assert last is not None and last.value == text, (name, word)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("CONFIG_AUDIT=y\r", "y"),
        ("CONFIG_AUDIT=y  # by policy", "y  # by policy"),
        ("CONFIG_AUDIT=yes", "yes"),
        ("CONFIG_AUDIT=", ""),
        ("CONFIG_AUDIT= y", " y"),
        ("CONFIG_AUDIT=y\0=n", "y"),
        ("# CONFIG_AUDIT is not set", "n"),
        ("# CONFIG_AUDIT is not set\r", "n"),
        ('CONFIG_AUDIT="a=b"', '"a=b"'),
    ],
)
@pytest.mark.parametrize("kernel", ["2.6.32", "6.1", "6.8", "7.3"])
def test_lines_that_count(line: str, value: str, kernel: str) -> None:
    config = read(f"CONFIG_NET=y\n{line}\n", kernel=kernel)
    assert pairs(config) == [("NET", "y"), ("AUDIT", value)]
    assignment = config.assignments[1]
    assert assignment.line == 2
    assert config.source.text(assignment.symbol_span) == "AUDIT"
    shown = config.source.text(assignment.value_span)
    assert shown == ("is not set" if line.startswith("#") else value)


@pytest.mark.parametrize(
    ("line", "kernel", "counts"),
    [
        ("# CONFIG_AUDIT is not set ", "6.6", True),
        ("# CONFIG_AUDIT is not set ", "6.8", False),
        ("# CONFIG_AUDIT is not set by policy", "6.1", True),
        ("# CONFIG_AUDIT is not set by policy", "6.12", False),
        ("##CONFIG_AUDIT is not set", "6.1", True),
        ("##CONFIG_AUDIT is not set", "6.12", False),
        ("#\tCONFIG_AUDIT is not set", "6.1", True),
        ("#\tCONFIG_AUDIT is not set", "6.12", False),
    ],
)
def test_is_not_set_became_exact_in_6_8(line: str, kernel: str, counts: bool) -> None:
    config = read(line + "\n", kernel=kernel)
    assert pairs(config) == ([("AUDIT", "n")] if counts else [])
    assert bool(config.ignored) is (not counts and not line.startswith("##"))
    if counts:
        assert config.source.text(config.assignments[0].symbol_span) == "AUDIT"


@pytest.mark.parametrize(
    ("line", "reason", "symbol", "warned"),
    [
        (" CONFIG_AUDIT=y", "leading-blank", "AUDIT", True),
        ("\tCONFIG_AUDIT=y", "leading-blank", "AUDIT", True),
        (" # CONFIG_AUDIT is not set", "leading-blank", "AUDIT", True),
        ("CONFIG_AUDIT = y", "blank-around-equals", "AUDIT", False),
        ("CONFIG_AUDIT =y", "blank-around-equals", "AUDIT", False),
        ("AUDIT=y", "no-prefix", "AUDIT", True),
        ("SECURITY_APPARMOR=y", "no-prefix", "SECURITY_APPARMOR", True),
        ("config_audit=y", "lower-case", "audit", True),
        ("CONIFG_SECURITY_PATH=y", "misspelt-prefix", "SECURITY_PATH", True),
        ("CONFG_AUDIT=y", "misspelt-prefix", "AUDIT", True),
        ("CONFIIG_AUDIT=y", "misspelt-prefix", "AUDIT", True),
        ("#CONFIG_AUDIT is not set", "no-blank", "AUDIT", False),
        ("#  CONFIG_AUDIT is not set", "blanks-in-not-set", "AUDIT", False),
        ("# config_audit is not set", "lower-case", "audit", False),
        ("CONFIG_AUDIT y", "no-value", "AUDIT", False),
        ("CONFIG_AUDIT", "no-value", "AUDIT", False),
        ("CONFIG_AUDIT is not set", "no-value", "AUDIT", False),
        ("<<<<<<< HEAD", "not-a-setting", None, True),
        ("\xa0CONFIG_AUDIT=y", "not-a-setting", None, True),
    ],
)
def test_lines_that_are_passed_over(line: str, reason: str, symbol: str | None, warned: bool) -> None:
    (ignored,) = read(f"CONFIG_NET=y\n{line}\n").ignored
    assert (ignored.line, ignored.reason, ignored.symbol, ignored.warned) == (2, reason, symbol, warned)


@pytest.mark.parametrize(
    "line",
    ["", "# a remark", "#", "# CONFIG_AUDIT=y", "# CONFIG_AUDIT would be good", "# is not set", "#CONFIG_AUDIT=y"],
)
def test_comments_stay_comments(line: str) -> None:
    config = read(f"{line}\nCONFIG_NET=y\n")
    assert config.ignored == ()
    assert pairs(config) == [("NET", "y")]


def test_byte_order_mark_swallows_the_first_line() -> None:
    config = read("\ufeffCONFIG_AUDIT=y\nCONFIG_NET=y\n")
    assert pairs(config) == [("NET", "y")]
    assert [(i.reason, i.symbol) for i in config.ignored] == [("byte-order-mark", "AUDIT")]
    config = read("\ufeff# CONFIG_AUDIT is not set\n")
    assert [(i.reason, i.symbol) for i in config.ignored] == [("byte-order-mark", "AUDIT")]


def test_utf16_is_one_finding() -> None:
    config = read("CONFIG_AUDIT=y\n".encode("utf-16"))
    assert pairs(config) == []
    assert [i.reason for i in config.ignored] == ["utf-16"]


def test_all_lines_of_a_symbol_are_kept_in_order() -> None:
    config = read("CONFIG_AUDIT=y\n# CONFIG_AUDIT is not set\nCONFIG_AUDIT=m\n")
    assert pairs(config) == [("AUDIT", "y"), ("AUDIT", "n"), ("AUDIT", "m")]
    assert config.assignments.last("AUDIT").line == 3
    assert config.assignments.last("NET") is None
    assert [a.line for a in config.assignments.of({"AUDIT"})] == [1, 2, 3]
    assert config.assignments == tuple(config.assignments)
    assert config.assignments[-1].value == "m"
    assert config.assignments[1:] == (config.assignments[1], config.assignments[2])


def test_openwrt_top_level() -> None:
    text = (
        "CONFIG_TARGET_x86=y\nCONFIG_KERNEL_AUDIT=y\n# CONFIG_KERNEL_IO_URING is not set\nCONFIG_PACKAGE_audit=y\n"
        "CONFIG_AUDIT=y\n"
    )
    config = read(text, ".config")
    assert config.form == "openwrt-top"
    assert config.partial
    assert pairs(config) == [("AUDIT", "y"), ("IO_URING", "n")]
    assert [config.source.text(a.symbol_span) for a in config.assignments] == ["AUDIT", "IO_URING"]
    assert config.ignored == ()


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_packed(pack: Any) -> None:
    config = read(pack(b"# Linux/arm64 6.6.1 Kernel Configuration\nCONFIG_AUDIT=y\n"), "config.gz", None)
    assert (config.version, config.arch, config.form) == ("6.6.1", "arm64", "dotconfig")
    assert config.source.text(config.assignments[0].span) == "CONFIG_AUDIT=y"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(b"CONFIG_AUDIT=y\n", mtime=0)[:-12], "unexpected end"),
        (gzip.compress(b"CONFIG_AUDIT=y\n" * 99, mtime=0)[:20] + b"\xff\xff\xff\xff\xff" * 20, "damaged"),
        (lzma.compress(b"CONFIG_AUDIT=y\n")[:20], "unexpected end"),
        (gzip.compress(bytes(MAX_BYTES + 5), 1, mtime=0), "decompresses to more than"),
        (b"\x28\xb5\x2f\xfdxxxx", "zstd"),
        (b"x" * (MAX_BYTES + 1), "larger than 16 MiB"),
        (b"\n" * 500_000, "lines"),
    ],
)
def test_what_cannot_be_read_says_so(data: Any, words: str) -> None:
    with pytest.raises(UnreadableInput, match=words) as caught:
        read(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "version", "arch"),
    [
        ("target/linux/generic/config-6.6", "6.6", None),
        ("target/linux/mips/config-5.15", "5.15", "mips"),
        ("buildroot-external/kernel/v6.12.y/hassos.config", "6.12", None),
        ("kernel/6.12.x/config-x86_64", "6.12", "x86_64"),
        ("device/testing/linux-google-crosshatch/config-google-crosshatch.aarch64", None, "arm64"),
        ("device/testing/linux-gp-peak/config-gp-peak.armhf", None, "arm"),
        ("usr/src/linux-config-6.1/config.amd64_none_amd64", "6.1", "x86_64"),
        ("arch/sh/configs/se7780_defconfig", None, "sh"),
        ("arch/um/configs/i386_defconfig", None, "um"),
        ("linux-2.6.32/arch/powerpc/configs/ppc64_defconfig", "2.6.32", "powerpc"),
        ("arch/arm/configs/omap2plus_defconfig", None, "arm"),
        ("arch/x86/configs/x86_64_defconfig", None, "x86_64"),
        ("arch/x86/configs/i386_defconfig", None, "i386"),
        ("redhat/configs/common/generic/arm/aarch64/CONFIG_AUDIT", None, "arm64"),
        ("debian/config/riscv64/config", None, "riscv"),
        ("config_files/defconfigs/arm_defconfig_6.6.config", "6.6", "arm"),
        ("home/sh/arc/defconfig", None, None),
        ("gcc-12.2/config", None, None),
        ("release-24.10/config", None, None),
        ("android14-6.1/common/gki_defconfig", "6.1", None),
    ],
)
def test_version_and_arch_from_the_path(path: str, version: str | None, arch: str | None) -> None:
    config = read_config(Source(path, b"CONFIG_AUDIT=y\n"))
    assert (config.version, config.arch) == (version, arch)


@pytest.mark.parametrize(
    ("path", "text", "arch"),
    [
        ("config-6.1", "CONFIG_MIPS=y\n", "mips"),
        ("config-6.1", "CONFIG_ARM64=y\nCONFIG_ARM64_4K_PAGES=y\n", "arm64"),
        ("config-6.1", "CONFIG_X86=y\nCONFIG_X86_64=y\n", "x86_64"),
        ("config-6.1", "CONFIG_MIPS=y\nCONFIG_ARM64_4K_PAGES=y\n", None),  # a generic layer
        ("target/linux/ramips/config-6.1", "CONFIG_MIPS=y\n", "mips"),
        ("target/linux/x86/64/config-6.1", "CONFIG_MIPS=y\n", "mips"),
        ("target/linux/mips/config-6.1", "CONFIG_MIPS=y\nCONFIG_ARM64_4K_PAGES=y\n", "mips"),
        ("target/linux/generic/config-6.1", "CONFIG_ARM64_4K_PAGES=y\n", None),
        ("redhat/configs/common/generic/x86/CONFIG_X86", "CONFIG_X86=y\n", "x86"),
    ],
)
def test_arch_of_layers(path: str, text: str, arch: str | None) -> None:
    assert read_config(Source(path, text.encode())).arch == arch


@pytest.mark.parametrize(
    ("text", "version", "arch"),
    [
        ("# Linux/x86 6.1.192 Kernel Configuration\nCONFIG_64BIT=y\n", "6.1.192", "x86_64"),
        ("# Linux/x86 6.1.192 Kernel Configuration\n# CONFIG_64BIT is not set\n", "6.1.192", "i386"),
        ("# Linux/i386 4.4.1 Kernel Configuration\n", "4.4.1", "i386"),
        ("# Linux kernel version: 2.6.32.67\nCONFIG_X86_64=y\n", "2.6.32.67", "x86_64"),
        ("# Linux/riscv 6.18.0-rc3 Kernel Configuration\n", "6.18.0-rc3", "riscv"),
        ("CONFIG_MIPS=y\n", None, "mips"),
        ("CONFIG_ARM_APPENDED_DTB=y\nCONFIG_NEON=y\n", None, "arm"),
        ("# CONFIG_ARM is not set\n", None, None),
    ],
)
def test_version_and_arch_from_the_content(text: str, version: str | None, arch: str | None) -> None:
    config = read(text, kernel=None)
    assert (config.version, config.arch) == (version, arch)


@pytest.mark.parametrize(
    ("path", "form", "partial"),
    [
        ("arch/arm/configs/multi_v7_defconfig", "defconfig", False),
        ("kernel/configs/hardening.config", "fragment", True),
        ("arch/arm64/configs/vendor/debug.config", "fragment", True),
        ("features/audit/audit.cfg", "fragment", True),
        ("features/audit/audit.scc", "scc", True),
        ("redhat/configs/common/generic/CONFIG_AUDIT", "one-symbol", True),
        ("target/linux/ath79/config-6.6", "openwrt", True),
        ("debian/config/amd64/config", "debian-layer", True),
        ("board/x/linux.config", "config", False),
        (".config", "config", False),
    ],
)
def test_forms(path: str, form: str, partial: bool) -> None:
    config = read_config(Source(path, b"CONFIG_NET=y\n"))
    assert (config.form, config.partial) == (form, partial)


def test_a_nameless_file_that_says_nothing_of_net_is_a_fragment() -> None:
    assert read("CONFIG_AUDIT=y\n").partial
    assert not read("# CONFIG_NET is not set\n").partial
    assert not read("CONFIG_AUDIT=y\n", "x_defconfig").partial
    assert not read("CONFIG_AUDIT=y\n", "a/.config").partial


_PIECES = ["CONFIG_", "AUDIT", "=", "y", " ", "#", "is not set", "\n", "\r", "\0", "\t", "\ufeff", '"', "m", "config_"]


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join), st.sampled_from(["6.1", "7.3"]))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_gives_spans_in_range(text: Any, kernel: Any) -> None:
    config = read(text, kernel=kernel)
    lines = text.encode().split(b"\n")
    for item in [*config.assignments, *config.ignored]:
        assert config.source.data[item.span[0] : item.span[1]] == lines[item.line - 1]
    for assignment in config.assignments:
        start, end = assignment.span
        assert start <= assignment.symbol_span[0] <= assignment.symbol_span[1] <= assignment.value_span[0]
        assert assignment.value_span[0] <= assignment.value_span[1] <= end


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_bytes_are_read_or_refused(data: Any) -> None:
    try:
        read(data, kernel=None)
    except UnreadableInput as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
def test_compressed_pieces_one_behind_the_other(pack: Any) -> None:
    both = pack(b"CONFIG_NET=y\n") + pack(b"CONFIG_AUDIT=y\n")
    assert unpack(Source("x", both)).data == b"CONFIG_NET=y\nCONFIG_AUDIT=y\n"
    with pytest.raises(UnreadableInput, match="unexpected end"):
        unpack(Source("x", both[:-4]))
    with pytest.raises(UnreadableInput, match="unexpected end"):
        unpack(Source("x", pack(b"") * 200))
