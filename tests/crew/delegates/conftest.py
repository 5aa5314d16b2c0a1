from __future__ import annotations

from pathlib import Path

import pytest

from tests.channels.place import Place
from tests.cli.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
