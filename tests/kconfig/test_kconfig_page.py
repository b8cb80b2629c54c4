"""docs/kconfig.md lists every recorded symbol."""

import re
from pathlib import Path

from auditlint.core.data import rows


def test_every_recorded_symbol_is_listed(root: Path) -> None:
    listed = (root / "docs/kconfig.md").read_text(encoding="utf-8").partition("## Recorded symbols")[2]
    names = set(re.findall(r"\b[A-Z0-9_]{2,}\b", listed))
    assert names == {name for name, group in rows("kconfig/recorded.tsv") if group != "known"}
