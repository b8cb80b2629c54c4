"""Shared fixtures. Reference data may lie beside the checkout (`../shared`) or where AUDITLINT_SHARED says;
tests that use it skip, saying so, where it is absent."""

import os
from pathlib import Path

import pytest

from tests.package_copy import PackageCopy

ROOT = Path(__file__).resolve().parent.parent


def _shared() -> Path | None:
    named = os.environ.get("AUDITLINT_SHARED")
    places = [Path(named)] if named else [ROOT.parent / "shared"]
    return next((place for place in places if (place / "spec").is_dir()), None)


SHARED = _shared()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the reference data."""
    if SHARED is None:
        pytest.skip("reference data (../shared) is not here")
    return SHARED


@pytest.fixture(scope="session")
def root() -> Path:
    """Folder of the checkout."""
    return ROOT


@pytest.fixture
def package_copy(tmp_path: Path) -> PackageCopy:
    return PackageCopy(tmp_path)
