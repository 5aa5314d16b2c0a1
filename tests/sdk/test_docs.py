"""The page about the SDK runs."""

from pathlib import Path

from tests.docs_blocks import blocks_of, run_page

PAGE = Path(__file__).parents[2] / "docs" / "sdk.md"


def test_every_block_of_the_page_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    assert run_page(PAGE, tmp_path) == sum(block.runs for block in blocks_of(PAGE)) >= 5
