from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.addons.process.nursery import Nursery


@pytest.fixture
async def nursery(tmp_path: Path) -> AsyncIterator[Nursery]:
    made = Nursery(Path(os.path.realpath(tmp_path)))
    yield made
    await made.close()
    await made.until_nothing_is_left()
