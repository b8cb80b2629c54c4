"""Which files make up which kernel."""

from typing import Any

from auditlint.core.source import Source
from auditlint.kconfig.layers import MOST_LOOKS, MOST_MISSING, Stack, follow, stacks


def test_one_file_for_each_symbol() -> None:
    paths = [
        "redhat/configs/common/generic/CONFIG_AUDIT",
        "redhat/configs/common/generic/x86/CONFIG_X86",
        "redhat/configs/common/generic/x86/x86_64/CONFIG_64BIT",
        "redhat/configs/rhel/generic/CONFIG_AUDIT",
        "redhat/configs/rhel/generic/s390x/CONFIG_NET",
        "redhat/configs/fedora/generic/CONFIG_NET",
        "redhat/configs/common/debug/CONFIG_KASAN",
        "README",
    ]
    found, rest = stacks(paths)
    assert rest == ["README"]
    assert [stack.label for stack in found] == [
        "redhat/configs/fedora/generic/x86/x86_64",
        "redhat/configs/rhel/generic/s390x",
        "redhat/configs/rhel/generic/x86/x86_64",
    ]
    assert found[2].paths == (paths[0], paths[1], paths[2], paths[3])
    assert found[1].paths == (paths[0], paths[3], paths[4])


def test_debian() -> None:
    root = "debian/config/"
    paths = [root + name for name in ("config", "kernelarch-x86/config", "amd64/config", "amd64/config.cloud-amd64")]
    paths += [root + "armhf/config", root + "kernelarch-arm/config"]
    found, rest = stacks(paths)
    assert rest == []
    assert found == [
        Stack(root + "amd64/cloud-amd64", (paths[0], paths[1], paths[2], paths[3])),
        Stack(root + "armhf", (paths[0], paths[5], paths[4])),
    ]


def test_openwrt() -> None:
    root = "target/linux/"
    paths = [root + "generic/config-6.6", root + "ath79/config-6.6", root + "ath79/nand/config-default"]
    found, rest = stacks(paths)
    assert rest == []
    assert found == [Stack(root + "ath79/nand/config-default of 6.6", tuple(paths))]
    assert stacks(paths[:2])[0] == [Stack(root + "ath79/config-6.6", tuple(paths[:2]))]
    assert stacks(paths[:1])[0] == [Stack(root + "generic/config-6.6", (paths[0],))]


def test_ordinary_files_belong_to_no_stack() -> None:
    paths = ["arch/arm/configs/multi_v7_defconfig", ".config", "features/audit/audit.cfg"]
    assert stacks(paths) == ([], paths)


SCC = {
    "features/selinux/selinux.scc": "define X y\ninclude features/audit/audit.scc\nkconf non-hardware selinux.cfg\n",
    "features/selinux/selinux.cfg": "CONFIG_SECURITY_SELINUX=y\n",
    "features/audit/audit.scc": "kconf non-hardware audit.cfg\ninclude features/selinux/selinux.scc\n",
    "features/audit/audit.cfg": "CONFIG_AUDIT=y\n",
    "ktypes/x.scc": "include gone.scc\nkconf hardware here.cfg\n",
    "ktypes/here.cfg": "",
    "configs/board_defconfig": 'BR2_LINUX_KERNEL_CONFIG_FRAGMENT_FILES="board/a.config board/b.config"\n',
    "board/a.config": "CONFIG_AUDIT=y\n",
}


def read(path: Any) -> Any:
    return Source(path, SCC[path].encode()) if path in SCC else None


def test_scc_includes_are_followed_in_place_and_only_once() -> None:
    found, missing = follow(read("features/selinux/selinux.scc"), read)
    assert [source.path for source in found] == ["features/audit/audit.cfg", "features/selinux/selinux.cfg"]
    assert missing == ()


def test_names_that_are_not_there_are_told_with_their_place() -> None:
    found, missing = follow(read("ktypes/x.scc"), read)
    assert [source.path for source in found] == ["ktypes/here.cfg"]
    assert [place.source.text(place.span) for place in missing] == ["gone.scc"]


def test_buildroot_names_fragments() -> None:
    found, missing = follow(read("configs/board_defconfig"), read)
    assert [source.path for source in found] == ["board/a.config"]
    assert [place.source.text(place.span) for place in missing] == ["board/b.config"]


def test_what_lies_outside_is_taken_only_when_it_holds_settings() -> None:
    files = {
        "in/a.scc": "kconf hardware ../out/b.cfg\nkconf hardware /etc/passwd\nkconf hardware ../../etc/passwd\n",
        "in/../out/b.cfg": "CONFIG_AUDIT=y\n",
        "/etc/passwd": "root:x:0:0\n",
        "in/../../etc/passwd": "root:x:0:0\n",
    }
    sources = {name: Source(name, text.encode()) for name, text in files.items()}
    found, missing = follow(sources["in/a.scc"], sources.get)
    assert [source.path for source in found] == ["in/../out/b.cfg"]
    assert [place.source.text(place.span) for place in missing] == ["/etc/passwd", "../../etc/passwd"]


def test_lists_made_to_be_slow() -> None:
    """Each names all others, or nothing that is there from a deep folder."""
    looks = []

    def find(path: Any) -> Any:
        looks.append(path)
        return Source(path, names) if path.startswith("fan/") and path.endswith(".scc") else None

    names = b"".join(b"include %d.scc\n" % number for number in range(500))
    follow(Source("fan/0.scc", names), find)
    deep = Source("d/" * 100 + "x.scc", b"kconf hardware gone.cfg\n" * 40_000)
    assert len(follow(deep, find)[1]) == MOST_MISSING
    assert len(looks) <= 2 * MOST_LOOKS
