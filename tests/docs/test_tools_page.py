"""The page about tools: its program runs, and its tables are the catalog's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from induscode.capability_deck import capability_cards, cards_for_profile
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"


def test_the_program_of_the_page_runs_as_written(tmp_path: Path) -> None:
    (program,) = [block.text for block in blocks_of(PAGE) if block.info == "python"]
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("hello\n", "", 0)


def test_the_table_names_every_tool_with_its_feature() -> None:
    rows = [
        line.split("|")[1:4] for line in PAGE.read_text().splitlines() if line.startswith("| `")
    ]
    told = {
        tool: feature.strip(" `")
        for tools, _, feature in rows
        if "builtin:" in feature
        for tool in re.findall(r"`([\w-]+)`", tools)
    }
    assert told == {str(card.id): card.feature for card in capability_cards()}


def test_the_profiles_are_the_catalogs() -> None:
    text = PAGE.read_text()
    (looking,) = re.findall(r"\| `authoring` \| `read-only` \| (.*) \|", text)
    (changing,) = re.findall(r"\| `survey` \| `coding` \| these, and (.*) \|", text)
    names = [re.findall(r"`([\w-]+)`", part) for part in (looking, changing)]
    assert names[0] == [str(card.id) for card in cards_for_profile("authoring")]
    assert [*names[0], *names[1]] == [str(card.id) for card in cards_for_profile("survey")]
