"""docs/kconfig.md: its example runs and prints what it says, and it lists every recorded symbol."""

import re
import shlex

from auditlint import cli
from auditlint.data import rows


def test_the_example(root, tmp_path, monkeypatch, capfd):
    page = (root / "docs/kconfig.md").read_text(encoding="utf-8")
    config = re.search(r"```config\n(.*?)```", page, re.S)[1]
    command, wanted = re.search(r"```console\n\$ auditlint (.*?)\n(.*?)```", page, re.S).groups()
    words = shlex.split(command)
    (tmp_path / words[-1]).write_text(config)
    monkeypatch.chdir(tmp_path)
    assert cli.run(words) == 0
    assert capfd.readouterr().out == wanted


def test_every_recorded_symbol_is_listed(root):
    listed = (root / "docs/kconfig.md").read_text(encoding="utf-8").partition("## Recorded symbols")[2]
    names = set(re.findall(r"\b[A-Z0-9_]{2,}\b", listed))
    assert names == {name for name, group in rows("kconfig/recorded.tsv") if group != "known"}
