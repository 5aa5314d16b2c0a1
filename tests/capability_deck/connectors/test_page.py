"""docs/connectors.md: its program runs, its table is accepted, its numbers are the limits."""

from __future__ import annotations

import tomllib
from pathlib import Path

from induscode.capability_deck.connectors import limits
from induscode.capability_deck.connectors.settings import read_connectors
from tests.docs_blocks import blocks_of, run_page

PAGE = Path(__file__).parents[3] / "docs" / "connectors.md"


def test_the_program_of_the_page_runs(tmp_path: Path) -> None:
    assert run_page(PAGE, tmp_path) == 1


def test_the_configuration_of_the_page_is_accepted() -> None:
    texts = [block.text for block in blocks_of(PAGE) if block.info == "toml"]
    assert texts
    for text in texts:
        tables = tomllib.loads(text)["connectors"]
        assert read_connectors(tables, file="config.toml", folder=PAGE.parent)


def test_the_numbers_of_the_page_are_the_limits() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    mega = 1024 * 1024
    for promise in (
        f"at most {limits.DOCUMENT_BYTES // mega} MB ({limits.YAML_BYTES // mega} MB in YAML)",
        f"at most {limits.DOCUMENT_DEPTH} deep",
        f"at most {limits.ALIAS_NODES:,} values",
        f"Connecting takes at most {limits.CONNECT_SECONDS:g} s",
        f"silence is given up after {limits.IDLE_SECONDS:g} s",
        f"a call after {limits.EXCHANGE_SECONDS:g} s",
        f"{limits.ANSWER_BYTES // mega} MB are read",
        f"up to {limits.ERROR_CHARACTERS:,} characters",
        f"{limits.LISTED_OPERATIONS} operations are listed at most",
    ):
        assert promise in text, promise
    assert limits.CACHE_SECONDS == 24 * 3600
    assert limits.REDIRECTS == 5
