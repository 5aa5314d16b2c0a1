from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.addons.conformance.stage import EVERY, Stage


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Homes in which the subject of a tier is installed, made once each."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            root = tmp_path_factory.mktemp(name)
            Stage(root, EVERY[name]).installed()
            made[name] = root
        return made[name]

    return of


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path, template: Callable[[str], Path]) -> Stage:
    """The subject of one tier, installed and granted everything."""
    tier = EVERY[request.param]
    if not tier.path.exists():
        pytest.skip(f"{tier.path.name} was not built: make guests ALL=1")
    if tier.path.suffix == ".mjs" and shutil.which("node") is None:
        pytest.skip("there is no node on this machine")
    return Stage.copied(template(tier.name), tmp_path, tier)
