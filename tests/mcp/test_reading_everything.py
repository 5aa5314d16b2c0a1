"""Prompts and resources of a server that others wrote, in a session."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.home import answer
from tests.interop.real import from_npm
from tests.mcp.harbour import Harbour

pytestmark = pytest.mark.long

TEXT = "demo://resource/dynamic/text/1"


@pytest.fixture
def home(home: Harbour) -> Harbour:
    server = from_npm("everything", "stdio")
    home.configure(everything={"command": server.command, "args": list(server.args)})
    return home


def test_its_resources_are_listed_and_read(home: Harbour) -> None:
    read: tuple[str, dict[str, Any]] = ("mcp_read", {"server": "everything", "uri": TEXT})
    found = ("mcp_resources", {"server": "everything", "query": "dynamic text"})
    wrong = ("mcp_read", {"server": "everything", "uri": "demo://nothing/here"})
    assert home.go([found], [read, wrong]).code == 0
    listed, got, lost = home.results()
    assert "demo://resource/dynamic/text/{resourceId}" in listed.splitlines()[0]
    assert got.startswith(f"[resource {TEXT}, text/plain]\nResource 1: ")
    assert lost.startswith("The MCP server 'everything': the resource demo://nothing/here: ")


def test_its_prompts_are_commands_and_a_tool(home: Harbour) -> None:
    line = "/everything:args-prompt city=Delhi"
    ran = home.run("-p", line, "-m", home.script(answer("Done.")))
    assert ran.code == 0, ran.err
    [entry] = home.entries("input")
    first, _, words = entry["content"][0]["text"].partition("\n")
    assert first == "[prompt args-prompt of the MCP server everything]"
    assert "Delhi" in words

    asked = {"server": "everything", "name": "args-prompt", "arguments": {"city": "Delhi"}}
    assert home.go([("mcp_prompt", {"server": "everything"}), ("mcp_prompt", asked)]).code == 0
    listed, got = home.results()
    assert "args-prompt(city, state?)" in listed
    assert words in got
