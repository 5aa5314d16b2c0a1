"""The server that has one of everything, over each transport: every tool of it is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name
from induscode.capability_deck.contract import ToolOutcome
from induscode.capability_deck.mcp_config.servers import ServerConfig, Transport
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Asked, Reply
from induscode.kernel.content import Image
from tests.interop.harbour import Harbour, free_port, remote, said, until
from tests.interop.real import from_npm, ready

SECRET = "sk-of-our-own-model"
LAST = "simulate-research-query"
"""Some tools come only after the server was told what we can; this is the last of them."""
WEATHER = {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82}


def says(*texts: str) -> Callable[[ToolOutcome], bool]:
    return lambda outcome: all(text in said(outcome) for text in texts)


def shows(text: str) -> Callable[[ToolOutcome], bool]:
    """A picture, and words with it."""
    return lambda outcome: (
        text in said(outcome)
        and [each.media_type for each in outcome.output if isinstance(each, Image)] == ["image/png"]
    )


CASES: Mapping[str, tuple[Mapping[str, Any], Callable[[ToolOutcome], bool]]] = {
    "echo": ({"message": "grüße\n\x00"}, says("Echo: grüße\n\x00")),
    "get-annotated-message": (
        {"messageType": "error", "includeImage": True},
        shows("Error: Operation failed"),
    ),
    "get-env": ({}, lambda outcome: "PATH" in said(outcome) and SECRET not in said(outcome)),
    "get-resource-links": (
        {"count": 2},
        says(
            "[link to the resource demo://resource/dynamic/blob/1",
            "[link to the resource demo://resource/dynamic/text/2",
        ),
    ),
    "get-resource-reference": (
        {"resourceType": "Text", "resourceId": 1},
        says("[resource demo://resource/dynamic/text/1, text/plain]\nResource 1: This is a plain"),
    ),
    "get-structured-content": (
        {"location": "Chicago"},
        lambda outcome: json.loads(said(outcome)) == WEATHER,
    ),
    "get-sum": ({"a": 2, "b": 3}, says("The sum of 2 and 3 is 5.")),
    "get-tiny-image": ({}, shows("Here's the image you requested:")),
    "gzip-file-as-resource": (
        {"name": "hi.gz", "data": "data:text/plain,hi", "outputType": "resource"},
        says("hi.gz, application/gzip: its bytes cannot be shown to you]"),
    ),
    "toggle-simulated-logging": ({}, says("Started simulated, random-leveled logging")),
    "toggle-subscriber-updates": ({}, says("Started simulated resource updated")),
    "trigger-long-running-operation": (
        {"duration": 0.2, "steps": 2},
        says("Long running operation completed. Duration: 0.2 seconds, Steps: 2."),
    ),
    "get-roots-list": ({}, says("Current MCP Roots (1 total)", "URI: file://")),
    "trigger-elicitation-request": ({}, says("User provided", "- Name: Ada")),
    "trigger-url-elicitation": (
        {"url": "https://example.com/"},
        says("User completed the URL elicitation flow", "URL: https://example.com/"),
    ),
    LAST: (
        {"topic": "tides"},
        lambda outcome: outcome.is_error and "task" in said(outcome),
    ),
}


async def answered(asked: Asked) -> Reply:
    """Ada fills in forms and visits addresses."""
    return Reply(accepted=True, content=None if asked.url else {"name": "Ada"})


async def at_port(harbour: Harbour, how: str) -> ServerConfig:
    """The server with this way of being spoken to."""
    server, port = from_npm("everything", how), free_port()
    if how == "stdio":
        return server
    words = (server.command, *server.args)
    await harbour.serve_words(words, port, PORT=str(port))
    if how == "sse":
        return remote(f"http://127.0.0.1:{port}/sse", Transport.SSE)
    return remote(f"http://127.0.0.1:{port}/mcp")


def offered(fleet: Fleet) -> set[str]:
    return {tool.name for tool in fleet.standings()[0].tools}


@pytest.mark.parametrize("how", ["stdio", "streamableHttp", "sse"])
async def test_each_tool_of_everything_answers(
    harbour: Harbour, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await at_port(harbour, how)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    fleet = await ready(harbour, server, ask=answered)
    await until(lambda: LAST in offered(fleet))
    assert offered(fleet) == set(CASES), "a tool without a case, or a case without a tool"

    for tool, (arguments, right) in CASES.items():
        outcome = await fleet.run(qualify_bridge_name(server.name, tool), arguments)
        assert right(outcome), f"{tool}: {outcome}"
        assert outcome.is_error is (tool == LAST)


async def test_what_we_cannot_do_is_not_asked_of_us(harbour: Harbour) -> None:
    fleet = await ready(harbour, from_npm("everything"))
    await until(lambda: LAST in offered(fleet))
    assert not [tool for tool in offered(fleet) if "sampling" in tool]
