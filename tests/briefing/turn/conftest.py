"""A rig, and a home with a workspace, of their own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.channels.place import Place
from tests.cli.home import Home
from tests.conductor.rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
