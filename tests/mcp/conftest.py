from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.harbour import Harbour


@pytest.fixture
def home(tmp_path: Path) -> Harbour:
    return Harbour(tmp_path)
