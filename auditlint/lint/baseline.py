"""Baselines: findings that are known and do not count. Keyed by the text of the line, so a moved line stays known."""

from __future__ import annotations

from collections import Counter

from auditlint.core.errors import UserError
from auditlint.core.fingerprint import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from auditlint.core.findings import Finding

VERSION = 1


def seen_from(folder: str, current: str, path: str) -> str:
    """A path, given relative to the folder `current`, as seen from `folder`: the same however it is spelled."""
    from posixpath import isabs, join, normpath, relpath

    if path == "-" or not isabs(folder) or not isabs(join(current, path)):
        return path
    return relpath(normpath(join(current, path)), folder)


def dump(findings: Iterable[Finding], folder: str = "", current: str = "") -> str:
    """The text of a baseline file that lies in `folder`."""
    import json

    counts = Counter(key(finding, seen_from(folder, current, finding.at.source.path)) for finding in findings)
    return json.dumps({"version": VERSION, "findings": dict(sorted(counts.items()))}, indent=1) + "\n"


def load(text: str, name: str) -> Mapping[str, int]:
    """Counts by key. Raises UserError for a text that is no baseline."""
    import json

    try:
        parsed = json.loads(text)
        counts = parsed["findings"]
        if parsed["version"] != VERSION or not all(isinstance(count, int) for count in counts.values()):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{name}: not a baseline written by `auditlint check --write-baseline`") from None
    return dict(counts)


def new_findings(
    findings: Sequence[Finding], known: Mapping[str, int], folder: str = "", current: str = ""
) -> list[Finding]:
    """The findings beyond those the baseline in `folder` counts; of several with one key the later ones are new. A
    baseline may have the paths as they were spelled."""
    left = dict(known)
    fresh = []
    for finding in findings:
        names = key(finding, seen_from(folder, current, finding.at.source.path)), key(finding)
        name = next((name for name in names if left.get(name, 0) > 0), None)
        if name is not None:
            left[name] -= 1
        else:
            fresh.append(finding)
    return fresh
