"""The real programs, built or found once; tests that need a missing one skip, saying which."""

from __future__ import annotations

import pytest

from tests.differential import standin
from tests.differential.augenrules import RELEASE


@pytest.fixture(scope="session")
def auditctl(tmp_path_factory: pytest.TempPathFactory) -> standin.Auditctl:
    why = standin.missing()
    if why:
        pytest.skip(why)
    found = standin.Auditctl(tmp_path_factory.mktemp("auditctl"))
    if found.release != RELEASE:
        pytest.skip(f"auditctl is {found.release}, not {RELEASE}")
    return found
