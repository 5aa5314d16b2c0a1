"""What tests of features share."""

from __future__ import annotations

import gc
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.channels.place import Place


@pytest.fixture
def no_loose_ends(caplog: pytest.LogCaptureFixture) -> Any:
    """asyncio logs what was destroyed while pending, or failed unseen."""
    with caplog.at_level(logging.ERROR, logger="asyncio"):
        yield
        gc.collect()
    assert [one.getMessage() for one in caplog.records if one.name == "asyncio"] == []


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
