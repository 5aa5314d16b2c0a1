"""Tools that cost too much are found by a search, and told at an epoch of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.reader import Reader

READING = {"mcp_search", "mcp_resources", "mcp_read", "mcp_prompt"}
LEND = ("library__lend", {"title": "Emma"})
BACK = ("library__take_back", {})


@pytest.fixture
def home(tmp_path: Path) -> Reader:
    made = Reader(tmp_path)
    made.library(deferred=True)
    return made


def search(query: str) -> tuple[str, dict[str, str]]:
    return "mcp_search", {"query": query}


def test_what_is_found_can_be_called_in_the_next_step(home: Reader) -> None:
    assert home.go([search("lend a book")], [LEND]).code == 0

    found, ran = home.results()
    assert found.startswith("library__lend\nLend a book.\nparameters: {")
    assert ran == "lend ran"
    before, after = home.told_of()
    assert before == READING
    assert after == READING | {"library__lend", "library__take_back"}
    late = home.entries("bridge")[-1]
    assert [tool["name"] for tool in late["live"]] == ["library__lend", "library__take_back"]
    assert late["cause"] == "tools"
    assert home.replays()


def test_what_was_not_found_cannot_be_called(home: Reader) -> None:
    assert home.go([search("library__lend")], [BACK, LEND]).code == 0
    found, refused, ran = home.entries("result")
    assert found["outcome"] == "ok"
    assert refused["outcome"] != "ok"
    assert ran["outcome"] == "ok"
    assert "library__take_back" not in home.told_of()[-1]


def test_finding_again_what_can_be_called_makes_no_other_epoch(home: Reader) -> None:
    assert home.go([search("library__lend")], [search("library__lend")], [LEND]).code == 0
    assert home.results()[1] == "You can call this already: nothing had to be found."
    assert len(home.entries("toolset")) == 2


def test_what_was_told_once_is_told_after_a_restart(home: Reader) -> None:
    assert home.go([search("library__lend")]).code == 0
    assert home.go_on([LEND]).code == 0
    assert home.results()[-1] == "lend ran"
    assert home.told_of()[-1] == READING | {"library__lend"}
    assert home.replays()


@pytest.mark.parametrize("mode", ["plan", "ask"])
def test_searching_needs_nobodys_leave(home: Reader, mode: str) -> None:
    assert home.go([search("author")], words=("--mode", mode)).code == 0
    assert "library__find_author" in home.results()[0]


def test_there_is_no_search_where_nothing_is_deferred(home: Reader) -> None:
    home.config("")
    assert home.go([LEND]).code == 0
    assert home.results() == ["lend ran"]
    [told] = home.told_of()
    assert "mcp_search" not in told


def test_tools_for_servers_can_be_chosen_by_name(home: Reader) -> None:
    words = ("--mode", "full", "--tools", "mcp_search,library__lend")
    assert home.go([search("library__lend")], [LEND], words=words).code == 0
    assert home.results()[-1] == "lend ran"
    assert home.told_of()[-1] == {"mcp_search", "library__lend"}
