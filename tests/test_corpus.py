"""Recorded behaviour of real auditctl, augenrules and kernels: every record, no unexplained difference.

`python -m tests.compare_corpus` prints the same comparisons.
"""

from pathlib import Path
from typing import Any

import pytest

from tests import compare_corpus

LEAST = {
    "verdicts-3.0.9": 7318,
    "verdicts-4.x": 7318,
    "edge-cases": 1100,
    "edge-cases-more": 1700,
    "runs-more": 330,
    "kernel-edge-cases": 1900,
    "kernel-files": 110,
    "augenrules": 96,
    "file-checks": 38,
    "observed": 951,
    "observed-field-matrix": 495,
}


@pytest.mark.shared
@pytest.mark.parametrize("compare", compare_corpus.COMPARISONS)
def test_no_unexplained_difference(shared: Path, compare: Any) -> None:
    outcome = compare(shared)
    assert outcome.differences == []
    assert outcome.compared >= LEAST[outcome.name]
    # A known difference that is gone makes docs/known-differences.md stale.
    assert outcome.known == set(compare_corpus.KNOWN.get(outcome.name, ()))
