"""The command line that really boots, by loader, and which one wins."""

import struct
from pathlib import Path
from typing import Any

import pytest

from tests.images.making import RULES, command, needs

ENTRY = "title Linux\nversion {0}\nlinux /vmlinuz-{0}\noptions root=/dev/vda1 ro {1}\n"
GRUB = "menuentry 'Debian' {{\n\tlinux /boot/vmlinuz-6.1.0-13-amd64 root=/dev/vda1 ro {}\n}}\n"
RULESET = {"etc/audit/rules.d/a.rules": RULES, "usr/keep": ""}


def booted(judge: Any, *words: Any) -> Any:
    """The place and message of the finding about audit=0, and the notes."""
    _, report, _ = judge("advise", "img", "--select", "AL851", *words)
    places = [(each["file"], each["line"]) for each in report["findings"]]
    return places, report["notes"]


def test_grub(image: Any, judge: Any) -> None:
    image(
        {**RULESET, "boot/grub/grub.cfg": GRUB.format("audit=0"), "etc/default/grub": 'GRUB_CMDLINE_LINUX="audit=1"\n'}
    )
    assert booted(judge)[0] == [("img/boot/grub/grub.cfg", 2)]


def test_grub_of_the_default_entry(image: Any, judge: Any) -> None:
    menu = GRUB.format("audit=1") + GRUB.replace("Debian", "Other").format("audit=0")
    image({**RULESET, "boot/grub/grub.cfg": f'set default="1"\n{menu}'})
    assert booted(judge)[0] == [("img/boot/grub/grub.cfg", 6)]
    (image({}) / "boot/grub/grub.cfg").write_text(f'set default="0"\n{menu}')
    assert booted(judge)[0] == []
    (image({}) / "boot/grub/grubenv").write_text("# GRUB Environment Block\nsaved_entry=Other\n####")
    assert booted(judge)[0] == [], "the script does not ask for it"
    (image({}) / "boot/grub/grub.cfg").write_text(
        'if [ "${next_entry}" ] ; then\n set default="${next_entry}"\nelse\n set default="${saved_entry}"\nfi\n' + menu
    )
    assert booted(judge)[0] == [("img/boot/grub/grub.cfg", 10)]


@pytest.mark.parametrize(
    ("default", "line"),
    [("0", None), ("1", 7), ("1>0", 7), ("1>1", 10), ("Advanced>old-id", 10), ("9", None), ("2", 14)],
)
def test_grub_with_submenus(default: str, line: int | None, image: Any, judge: Any) -> None:
    """Numbers count the entries of one level; a title or an id does as well."""
    menu = (
        "menuentry 'Debian' {\n\tlinux /vmlinuz ro audit=1\n}\nsubmenu 'Advanced' {\n"
        "menuentry 'Debian, new' --class x $menuentry_id_option 'new-id' {\n\tlinux /new ro audit=0\n}\n"
        "menuentry 'Debian, old' $menuentry_id_option 'old-id' {\n\tlinux /old ro audit=0\n}\n}\n"
        "menuentry 'Last' {\n\tlinux /last ro audit=0\n}\n"
    )
    image({**RULESET, "boot/grub/grub.cfg": f'set default="{default}"\n{menu}'})
    found = [place[1] for place in booted(judge)[0]]
    assert found == ([] if line is None else [line])


def test_entries_that_no_script_asks_for_are_read_when_there_is_nothing_else(image: Any, judge: Any) -> None:
    entry = ENTRY.format("6.1.1", "audit=0")
    image({**RULESET, "boot/grub/grub.cfg": "set timeout=3\n", "boot/loader/entries/a.conf": entry})
    assert booted(judge)[0] == [("img/boot/loader/entries/a.conf", 4)]


def test_entries_count_only_where_grub_reads_them(image: Any, judge: Any) -> None:
    image(
        {
            **RULESET,
            "boot/grub2/grub.cfg": GRUB.format(""),
            "boot/loader/entries/a.conf": ENTRY.format("6.1.1", "audit=0"),
        }
    )
    assert booted(judge)[0] == []
    (image({}) / "boot/grub2/grub.cfg").write_text("insmod blscfg\nblscfg\n")
    assert booted(judge)[0] == [("img/boot/loader/entries/a.conf", 4)]


def test_kernelopts_of_the_environment_block_win(image: Any, judge: Any) -> None:
    image(
        {
            **RULESET,
            "boot/grub2/grub.cfg": 'insmod blscfg\nset kernelopts="root=/dev/vda1 ro audit=1"\nblscfg\n',
            "boot/grub2/grubenv": "# GRUB Environment Block\nkernelopts=root=/dev/vda1 ro audit=0\n######",
            "boot/loader/entries/a.conf": "version 4.18.0\nlinux /vmlinuz\noptions $kernelopts $tuned_params\n",
        }
    )
    assert booted(judge)[0] == [("img/boot/grub2/grubenv", 2)]
    (image({}) / "boot/grub2/grubenv").unlink()
    assert booted(judge)[0] == []
    (image({}) / "boot/grub2/grub.cfg").write_text('set kernelopts="ro audit=0"\nblscfg\n')
    assert booted(judge)[0] == [("img/boot/grub2/grub.cfg", 1)]


def test_the_newest_entry_boots_unless_another_is_saved(image: Any, judge: Any) -> None:
    image(
        {
            **RULESET,
            "boot/loader/entries/m-6.1.9.conf": ENTRY.format("6.1.9", "audit=1"),
            "boot/loader/entries/m-6.1.10.conf": ENTRY.format("6.1.10", "audit=0"),
        }
    )
    assert booted(judge)[0] == [("img/boot/loader/entries/m-6.1.10.conf", 4)]
    image({"boot/grub2/grub.cfg": "blscfg\n", "boot/grub2/grubenv": "saved_entry=m-6.1.9\n"})
    assert booted(judge)[0] == []
    (image({}) / "boot/grub2/grubenv").unlink()
    image({"boot/loader/loader.conf": "timeout 3\ndefault m-6.1.9*\n"})
    assert booted(judge)[0] == []


def test_ostree_follows_the_live_loader(image: Any, judge: Any) -> None:
    image(
        {
            **RULESET,
            "boot/loader": "-> loader.1",
            "boot/loader.0/entries/ostree-1.conf": ENTRY.format("6.1.1", "audit=1"),
            "boot/loader.1/entries/ostree-2.conf": ENTRY.format("6.1.1", "audit=0"),
        }
    )
    assert booted(judge)[0] == [("img/boot/loader/entries/ostree-2.conf", 4)]


def test_extlinux(image: Any, judge: Any) -> None:
    text = "default main\nlabel other\n kernel /a\n append ro audit=1\nlabel main\n kernel /b\n append ro audit=0\n"
    image(
        {**RULESET, "boot/extlinux/extlinux.conf": text, "boot/boot.scr": b"\x27\x05\x19\x56 setenv bootargs audit=1"}
    )
    assert booted(judge)[0] == [("img/boot/extlinux/extlinux.conf", 7)]


def test_a_boot_script_is_not_known(image: Any, judge: Any) -> None:
    image({**RULESET, "boot/boot.scr": b"\x27\x05\x19\x56 setenv bootargs audit=0"})
    places, notes = booted(judge)
    assert places == []
    assert "img/boot/boot.scr: a boot script; the command line that it boots is not known" in notes


def test_raspberry_pi(image: Any, judge: Any) -> None:
    image({**RULESET, "boot/firmware/cmdline.txt": "ro audit=0\n", "boot/cmdline.txt": "DO NOT EDIT THIS FILE\n"})
    assert booted(judge)[0] == [("img/boot/firmware/cmdline.txt", 1)]


def test_photon(image: Any, judge: Any) -> None:
    image(
        {
            **RULESET,
            "boot/grub2/grub.cfg": "menuentry 'Photon' {\n linux /vmlinuz ro $photon_cmdline $systemd_cmdline\n}\n",
            "boot/photon.cfg": "-> linux-rt-6.1.cfg",
            "boot/linux-rt-6.1.cfg": "photon_cmdline=init=/lib/systemd/systemd audit=0\nphoton_linux=vmlinuz\n",
        }
    )
    assert booted(judge)[0] == [("img/boot/photon.cfg", 1)]


def uki(sections: Any) -> Any:
    """A PE image with these sections, in the layout of a unified kernel image."""
    table, body = b"", b""
    start = 0x80 + 24 + 240 + 40 * len(sections)
    for name, data in sections:
        table += struct.pack("<8sIIII16x", name.encode(), len(data), 0x1000, len(data), start + len(body))
        body += data
    header = b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, 240, 0x22)
    return b"MZ" + bytes(0x3A) + struct.pack("<I", 0x80) + bytes(0x40) + header + bytes(240) + table + body


def test_unified_kernel_image(image: Any, judge: Any) -> None:
    kernel = uki([(".linux", b"kernel"), (".cmdline", b"root=/dev/vda1 ro\0"), (".uname", b"6.12.5-arch1\0")])
    image(
        {
            **RULESET,
            "efi/EFI/Linux/arch.efi": kernel,
            "efi/EFI/Linux/arch.efi.extra.d/audit.addon.efi": uki([(".cmdline", b"audit=0")]),
            "efi/loader/entries/a.conf": ENTRY.format("6.1.1", "audit=1"),
        }
    )
    assert booted(judge)[0] == [("img/efi/EFI/Linux/arch.efi.extra.d/audit.addon.efi (.cmdline)", 1)]


def test_an_image_that_objcopy_made(image: Any, judge: Any, tmp_path: Path) -> None:
    """Sections added to a real PE file by objcopy, as ukify does it."""
    needs("objcopy")
    root = image({**RULESET, "stub": uki([(".text", bytes(64)), (".linux", b"kernel" + bytes(58))])})
    (tmp_path / "cmdline").write_bytes(b"root=/dev/vda1 ro audit=0")
    (root / "boot/EFI/Linux").mkdir(parents=True)
    out = root / "boot/EFI/Linux/a.efi"
    try:
        command(
            "objcopy", "-I", "pei-x86-64", "-O", "pei-x86-64", "--add-section", f".cmdline={tmp_path}/cmdline",
            "--set-section-flags", ".cmdline=data,readonly", "--change-section-vma", ".cmdline=0x30000",
            str(root / "stub"), str(out),
        )  # fmt: skip
    except AssertionError as error:
        pytest.skip(f"this objcopy makes no PE files: {error}")
    assert booted(judge)[0] == [("img/boot/EFI/Linux/a.efi (.cmdline)", 1)]


@pytest.mark.parametrize(
    "data",
    [b"", b"MZ", b"MZ" + b"\xff" * 200, b"MZ" + bytes(0x3A) + b"\xff\xff\xff\xff", uki([])[:100]],
    ids=["empty", "mark", "noise", "far-header", "cut"],
)
def test_broken_images_are_none(data: Any, image: Any, judge: Any) -> None:
    image({**RULESET, "efi/EFI/Linux/a.efi": data, "boot/grub/grub.cfg": GRUB.format("audit=0")})
    assert booted(judge)[0] == [("img/boot/grub/grub.cfg", 2)]


def test_inputs_alone(image: Any, judge: Any) -> None:
    image({**RULESET, "etc/kernel/cmdline": "ro audit=0\n", "etc/default/grub": 'GRUB_CMDLINE_LINUX="audit=1"\n'})
    places, notes = booted(judge)
    assert places == [("img/etc/kernel/cmdline", 1)]
    assert "img: holds no boot entry; judged is what the next one would get" in notes


def test_the_last_shell_file_counts(image: Any, judge: Any) -> None:
    image(
        {
            **RULESET,
            "boot/grub/grub.cfg": GRUB.format("audit=1"),
            "etc/default/grub": 'GRUB_CMDLINE_LINUX="audit=1"\n',
            "etc/default/grub.d/50-cloudimg-settings.cfg": 'GRUB_CMDLINE_LINUX="audit=0"\n',
        }
    )
    _, report, _ = judge("advise", "img", "--select", "AL879")
    assert [(each["file"], each["message"]) for each in report["findings"]] == [
        (
            "img/etc/default/grub.d/50-cloudimg-settings.cfg",
            "the kernel boots with audit=1, not audit=0; run update-grub or grub2-mkconfig",
        )
    ]


def test_every_kernel_of_the_image(image: Any, judge: Any) -> None:
    """The one that boots has audit; the older one in /boot does not, and is still in the menu."""
    head = "#\n# Automatically generated file; DO NOT EDIT.\n# Linux/x86 {} Kernel Configuration\n#\nCONFIG_NET=y\n"
    image(
        {
            **RULESET,
            "boot/vmlinuz-6.1.0-13-amd64": "x",
            "boot/vmlinuz-6.1.0-9-amd64": "x",
            "boot/config-6.1.0-13-amd64": head.format("6.1.55") + "CONFIG_AUDIT=y\n",
            "boot/config-6.1.0-9-amd64": head.format("6.1.27") + "# CONFIG_AUDIT is not set\n",
            "boot/grub/grub.cfg": GRUB.format("audit=1"),
        }
    )
    status, report, _ = judge("advise", "img", "--select", "AL871")
    assert (status, [each["file"] for each in report["findings"]]) == (1, ["img/boot/config-6.1.0-9-amd64"])
    assert "(kernel 6.1.0-9-amd64 of the image)" in report["findings"][0]["message"]
    assert report["target"]["source"]["kernel"] == "image:boot/vmlinuz-6.1.0-13-amd64"
    assert report["target"]["kernel"] == "6.1"


def test_the_kernel_that_boots_is_judged(image: Any, judge: Any) -> None:
    image(
        {
            **RULESET,
            "boot/vmlinuz-6.12.0-1-amd64": "x",
            "boot/vmlinuz-5.10.0-1-amd64": "x",
            "boot/grub/grub.cfg": GRUB.replace("6.1.0-13", "5.10.0-1").format("audit=1"),
        }
    )
    _, report, _ = judge("advise", "img")
    assert (report["target"]["kernel"], report["target"]["source"]["kernel"]) == (
        "5.10",
        "image:boot/vmlinuz-5.10.0-1-amd64",
    )
