import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")


@pytest.fixture
def quick_home() -> Iterator[Path]:
    """A real directory whose syncs cost nothing, for tests that open a log thousands of times."""
    place = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as name:
        yield Path(name)


@pytest.fixture
def jq() -> str:
    found = shutil.which("jq")
    if found is None:
        pytest.fail("jq is missing; run: apt-get install jq")
    return found
