"""A home into which example addons are installed, as their pages say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.addons.session.house import House, spoken

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "addons"
GUESTS = ROOT / "build" / "guests"


class Shop(House):
    def with_example(self, path: str | Path) -> None:
        """Installed and granted all that it asks for; the test is skipped where it cannot run."""
        place = EXAMPLES / path
        if not place.exists():
            pytest.skip(f"{place.name} was not built: make guests ALL=1")
        if place.suffix == ".mjs" and shutil.which("node") is None:
            pytest.skip("there is no node on this machine")
        done = self.run("addon", "install", str(place), "--yes")
        assert done.code == 0, done.err

    def said(self) -> list[str]:
        """What the model was told by its tools."""
        return [spoken(entry) for entry in self.of("result")]
