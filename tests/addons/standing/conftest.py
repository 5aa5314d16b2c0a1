from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.addons.standing.field import Field


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests: each guest is compiled once."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
async def field(tmp_path: Path, compiled: Path) -> AsyncIterator[Field]:
    made = Field(Path(os.path.realpath(tmp_path)), compiled)
    yield made
    await made.close()
    await made.until_nothing_is_left()
