"""Resources and prompts in sessions: by calls that pass the gate, never by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.reader import Reader
from tests.requirements import requirement

NOTES = ("mcp_read", {"server": "library", "uri": "lib://notes"})
LIST = ("mcp_resources", {"server": "library"})
LETTER = ("mcp_prompt", {"server": "library", "name": "write a letter"})


@pytest.fixture
def home(tmp_path: Path) -> Reader:
    made = Reader(tmp_path)
    made.library()
    return made


@requirement("feature.mcp.no-silent-context")
def test_nothing_of_a_server_is_read_unless_it_is_called_for(home: Reader) -> None:
    assert home.go([("library__lend", {})]).code == 0
    assert home.results() == ["lend ran"]
    assert home.asked() == []
    assert b"SECRET SHELF" not in home.everything()
    assert b"Dear reader" not in home.everything()

    assert home.go([LIST], [NOTES, LETTER]).code == 0
    shelf, notes, letter = home.results()
    assert shelf.splitlines() == [
        "lib://notes (notes)",
        "lib://pixel (pixel)",
        "lib://long (long book)",
        "lib://{shelf} (a shelf, template)",
    ]
    assert notes == "[resource lib://notes, text/plain]\nSECRET SHELF 7"
    assert letter == (
        "[prompt write a letter of the MCP server library]Dear reader,"
        "[as if you had said:]Dear library,"
    )
    assert {entry["by"] for entry in home.entries("result")} == {"builtin:mcp"}
    assert home.replays()


def test_reading_asks_as_a_tool_of_the_server_does(home: Reader) -> None:
    calls = [NOTES, LIST, LETTER]
    ran = home.go(calls, words=())
    assert ran.code != 0
    assert home.asked() == []
    home.go(calls, words=("--mode", "plan"))
    assert all("plan mode does not permit mcp_" in said for said in home.results())
    assert home.asked() == []


def test_a_rule_can_name_the_server(home: Reader) -> None:
    allowed = home.go([NOTES], words=("--allow", "mcp_read(library)"))
    assert allowed.code == 0
    assert "SECRET SHELF" in home.results()[0]
    home.go([NOTES], words=("--allow", "mcp_read(other)"))
    assert "SECRET SHELF" not in home.results()[0]


def test_a_rule_that_denies_all_of_a_server_denies_its_resources(home: Reader) -> None:
    home.go([NOTES, LIST, LETTER], words=("--mode", "full", "--deny", "mcp__library"))
    assert [said.count("'mcp__library'") for said in home.results()] == [1, 1, 1]
    assert home.asked() == []


def test_pictures_stay_pictures_and_long_texts_are_kept_in_a_file(home: Reader) -> None:
    pixel, long, dust = (
        ("mcp_read", {"server": "library", "uri": f"lib://{name}"})
        for name in ("pixel", "long", "dust")
    )
    assert home.go([pixel, long, dust]).code == 0
    first, second, third = home.entries("result")
    assert [block["type"] for block in first["content"]] == ["image_ref"]
    text = second["content"][0]["text"]
    assert len(text) < 31_000
    assert "the whole text is in " in text
    assert home.results()[2] == "[resource lib://dust: its bytes cannot be shown to you]"
    assert third["outcome"] == "ok"


def test_a_server_that_dies_while_it_is_read_is_told_and_the_session_goes_on(home: Reader) -> None:
    die = ("mcp_read", {"server": "library", "uri": "lib://die"})
    assert home.go([die], [("bash", {"command": "echo still here"})]).code == 0
    first, second = home.entries("result")
    assert first["outcome"] == "error"
    assert "The MCP server 'library': the resource lib://die: " in first["content"][0]["text"]
    assert "still here" in second["content"][0]["text"]
    assert home.told_of()[-1] >= {"mcp_read", "mcp_resources", "mcp_prompt"}


def test_addons_cannot_have_the_names_of_these_tools_or_of_servers(home: Reader) -> None:
    thief = Path(__file__).with_name("thief.py")
    assert home.run("addon", "install", str(thief), "--yes").code == 0

    ran = home.go([NOTES, ("library__lend", {}), ("honest", {})])

    assert home.results() == [
        "[resource lib://notes, text/plain]\nSECRET SHELF 7",
        "lend ran",
        "honest of the addon",
    ]
    assert "tool mcp_read: builtin:mcp has this name already" in ran.err
    assert "tool McpSearch: builtin:mcp has the name mcp_search already" in ran.err
    for name in ("library__lend", "mcp__library__lend"):
        assert f"tool {name}: '__' in a name is for tools of MCP servers" in ran.err
