"""The page about features runs, and names what there is."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from induscode.feature.capability import AnyCapability
from induscode.feature.points import HookPoint
from tests.docs_blocks import blocks_of, run_page

PAGE = Path(__file__).parents[2] / "docs" / "features.md"


def test_every_block_of_the_page_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    assert run_page(PAGE, tmp_path) == sum(block.runs for block in blocks_of(PAGE)) >= 1


def test_the_page_names_every_capability_and_every_point() -> None:
    text = PAGE.read_text()
    for kind in get_args(AnyCapability):
        assert str(kind.__struct_config__.tag) in text
    for point in HookPoint:
        assert f"`{point}`" in text
