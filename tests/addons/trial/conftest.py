from __future__ import annotations

from pathlib import Path

import pytest

from tests.addons.trial.desk import Desk


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One recorded session for all tests: nobody may change it."""
    return Desk(Path(tmp_path_factory.mktemp("trial")))
