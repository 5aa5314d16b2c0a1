"""A rig in a home of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conductor.rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()
