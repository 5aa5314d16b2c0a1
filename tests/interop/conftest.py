from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.interop.harbour import Harbour


@pytest.fixture
async def harbour(tmp_path: Path) -> AsyncIterator[Harbour]:
    made = Harbour(tmp_path)
    yield made
    await made.close()
