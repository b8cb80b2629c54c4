"""The merge of rules.d is byte for byte what the real augenrules writes, under mawk and under gawk."""

from __future__ import annotations

import os
from random import Random

import pytest

from auditlint.auditctl import augenrules as merge
from auditlint.core.source import Source
from tests.differential.augenrules import AWKS, RELEASE, Augenrules, missing
from tests.differential.lines import line

pytestmark = pytest.mark.real
DIRECTORIES = int(os.environ.get("AUDITLINT_DIRECTORIES", "150"))
_ENDS = (b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b" \n", b"\r\r\n")
_SPECIAL = (
    b"-D", b" -D", b"-D ", b"\t-D\t", b"-D -k x", b"-Dx", b"-e 2", b"-e2", b" -e 1", b"\t-e 0", b"-f 2", b"-f1",
    b"\x0b-f 0", b"-b 8192", b"-b8192", b"  -b 100 -f 2", b"--backlog_wait_time 5", b"# comment", b"   # comment",
    b"\t# comment", b"", b" ", b"\t", b"\r", b"s#", b"s-e 2", b"ss-D", b"-Ds", b"sss-b 7", b"\\s# x", b"\x0c# x",
    b"\xa0# x", b"-e", b"-f", b"-b", b"-i", b"-c", b"%s %d %n", b"a\\nb", b"\\\\", b"&", b"-E 2",
    b"\xe2\x80\x83-e 2", b"-d x", b"\x00", b"a\x00b", b"\x00-e 2",
)  # fmt: skip
_STEMS = (
    "10-a", "9-b", "audit", "30", "99-final", "a1", "a01", "a10", "a2", "b", "B", "a.b", "a-b", "a_b", "a~", "x y",
    "010", "1", "é", "a+b", "00", "a..b", "-n", "--", "-R", "a'b", "a1.2", "a1.10", "v1-2", "~",
)  # fmt: skip
_SUFFIXES = (".rules",) * 12 + (".rules.bak", ".rule", ".RULES", "", ".rules~", "x.rules")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Augenrules:
    why = missing()
    if why:
        pytest.skip(why)
    return Augenrules(tmp_path_factory.mktemp("augenrules"))


def _contents(random: Random) -> bytes:
    lines = [random.choice(_SPECIAL) if random.randrange(2) else line(random)[:300] for _ in range(random.randrange(8))]
    text = b"".join(part + random.choice(_ENDS) for part in lines)
    return text.rstrip(b"\n") if random.randrange(4) == 0 else text


def _directory(random: Random) -> dict[str, bytes]:
    names = {random.choice(_STEMS) + random.choice(_SUFFIXES) for _ in range(random.randrange(1, 7))}
    return {name: _contents(random) for name in sorted(names)}


def ours(files: dict[str, bytes], awk: str) -> bytes:
    plan = merge.plan(dict.fromkeys(files, "regular"), RELEASE)
    return merge.merge([Source(name, files[name]) for name in plan.order], RELEASE, awk).text.data


@pytest.mark.slow
@pytest.mark.parametrize("awk", AWKS)
def test_generated_directories(script: Augenrules, awk: str) -> None:
    wrong = []
    for seed in range(DIRECTORIES):
        files = _directory(Random(f"{awk} {seed}"))
        real = script.merge(files, awk)
        if ours(files, awk) != real:
            wrong.append((seed, files, real, ours(files, awk)))
    assert not wrong, f"{len(wrong)} directories differ; the first: {wrong[0]}"


@pytest.mark.parametrize("awk", AWKS)
@pytest.mark.parametrize("text", _SPECIAL)
def test_one_line(script: Augenrules, awk: str, text: bytes) -> None:
    files = {"a.rules": b"-w /a\n" + text + b"\n-w /b\n"}
    assert ours(files, awk) == script.merge(files, awk)
