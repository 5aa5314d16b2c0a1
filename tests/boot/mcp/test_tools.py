"""`builtin:mcp`: which tools there are, and what those for resources and prompts do."""

from __future__ import annotations

import asyncio

import pytest

from induscode.boot.mcp.names import MCP_TOOLS
from induscode.boot.mcp.prompt_tool import McpPrompt
from induscode.boot.mcp.resource_tools import McpRead, McpResources
from induscode.boot.mcp.tools import mcp_package
from induscode.errors import Cancelled
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.offers import OfferedResource
from induscode.interop.standing import ServerState
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Image, SaidBlock, Text
from tests.boot.mcp.servers import (
    Line,
    Servers,
    bridged,
    called,
    context,
    given,
    prompt,
    refused,
    standing,
)

GIT = standing(has_resources=True, prompts=(prompt("commit", "what", "style?"),))
LOST = ServerFault(ServerFaultKind.LOST, "git", "the connection ended", said="killed")


def declared(servers: Servers) -> list[str]:
    descriptor = mcp_package(given(servers)).module.descriptor()
    assert str(descriptor.id) == "builtin:mcp"
    return [tool.name for tool in descriptor.declared_tools]


def many(count: int) -> list[OfferedResource]:
    return [OfferedResource(f"git://{n}", f"file {n}") for n in range(count)]


def test_there_are_only_tools_for_what_servers_have() -> None:
    tool = bridged("git", "status")
    assert declared(Servers()) == []
    assert declared(Servers(standing(), tools=[tool], threshold=8_000)) == []
    assert declared(Servers(standing(), tools=[tool])) == ["mcp_search"]
    assert declared(Servers(standing(has_resources=True))) == ["mcp_resources", "mcp_read"]
    assert declared(Servers(standing(prompts=(prompt("x"),)))) == ["mcp_prompt"]
    assert declared(Servers(GIT, tools=[tool])) == list(MCP_TOOLS)


def test_the_tools_stay_when_the_server_is_gone() -> None:
    gone = standing(state=ServerState.FAILED, has_resources=True, prompts=(prompt("x"),))
    assert declared(Servers(gone)) == ["mcp_resources", "mcp_read", "mcp_prompt"]


def test_the_package_has_the_digest_of_what_runs() -> None:
    one = mcp_package(given(Servers()))
    assert one.digest == mcp_package(given(Servers(GIT))).digest
    assert (one.source, one.ours, len(one.digest)) == ("builtin", True, 64)


async def test_resources_are_listed_a_page_at_a_time() -> None:
    servers = Servers(GIT, git=Line(resources=many(250)))
    tool = McpResources(given(servers), ["git"])
    first = await called(tool, server="git")
    assert first.splitlines()[0] == "git://0 (file 0)"
    assert first.splitlines()[-1] == "[150 more: offset 100]"
    last = await called(tool, server="git", offset=200)
    assert last.splitlines()[-1] == "git://249 (file 249)"
    assert "after the first 300; 250 in all" in await called(tool, server="git", offset=300)


async def test_resources_are_found_by_words_and_each_stays_on_its_line() -> None:
    found = [
        OfferedResource("git://log", "log", "The\nhistory.\x1b[2J" + "z" * 500, "text/plain"),
        OfferedResource("git://file/{path}", "file", "One file.", template=True),
    ]
    tool = McpResources(given(Servers(GIT, git=Line(resources=found))), ["git"])
    assert await called(tool, server="git", query="path") == (
        "git://file/{path} (file, template): One file."
    )
    line = await called(tool, server="git", query="history")
    assert line.startswith("git://log (log, text/plain): The history.?[2Jzzz")
    assert len(line) < 300
    assert await called(tool, server="git", query="weather") == (
        "The MCP server git has no such resource."
    )


async def test_a_resource_is_given_as_it_came_and_pictures_stay_pictures() -> None:
    blocks: tuple[SaidBlock, ...] = (Text("a"), Image("image/png", b"x"))
    line = Line(blocks)
    result = await McpRead(given(Servers(GIT, git=line))).execute(
        {"server": "git", "uri": "git://log"}, context()
    )
    assert result.content == blocks
    assert line.asked == [("git://log", {})]
    assert await called(McpRead(given(Servers(GIT, git=Line()))), server="git", uri="x") == (
        "The resource is empty."
    )


async def test_prompts_are_listed_without_asking_the_server() -> None:
    line = Line([Text("Commit.")])
    tool = McpPrompt(given(Servers(GIT, git=line)), ["git"])
    assert await called(tool, server="git") == (
        "Prompts of the MCP server git, each with its arguments:\ncommit(what, style?)"
    )
    assert line.asked == []


async def test_a_prompt_is_given_with_whose_it_is() -> None:
    line = Line([Text("Commit.")])
    tool = McpPrompt(given(Servers(GIT, git=line)), ["git"])
    assert await called(tool, server="git", name="commit", arguments={"what": "all"}) == (
        "[prompt commit of the MCP server git]\nCommit."
    )
    assert line.asked == [("commit", {"what": "all"})]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"name": "commit"}, "it needs the argument what"),
        ({"name": "commit", "arguments": {"what": "", "x": ""}}, "it has no argument x"),
        ({"name": "nope"}, "There is no such prompt. Prompts of the MCP server git"),
    ],
)
async def test_a_prompt_that_cannot_be_is_not_asked_for(
    arguments: dict[str, object], says: str
) -> None:
    line = Line([Text("Commit.")])
    tool = McpPrompt(given(Servers(GIT, git=line)), ["git"])
    assert says in await refused(tool, server="git", **arguments)
    assert line.asked == []


async def test_a_server_that_is_gone_or_never_was_is_told_honestly() -> None:
    gone = standing(state=ServerState.FAILED, fault=LOST, has_resources=True, prompts=GIT.prompts)
    servers = given(Servers(gone))
    why = (
        "The MCP server 'git': it is not connected, and is not tried again by itself:"
        " the connection ended; see: indus mcp list"
    )
    asked = {"name": "commit", "arguments": {"what": "x"}}
    assert await refused(McpRead(servers), server="git", uri="x") == why
    assert await refused(McpResources(servers, []), server="git") == why
    assert await refused(McpPrompt(servers, []), server="git", **asked) == why
    assert await refused(McpRead(servers), server="nope", uri="x") == (
        "The MCP server 'nope': it is not part of this session; there are: git; see: indus mcp list"
    )


async def test_a_fault_in_the_middle_is_a_result() -> None:
    servers = given(Servers(GIT, git=Line(LOST)))
    why = "The MCP server 'git': the connection ended; it said: killed"
    asked = {"name": "commit", "arguments": {"what": "x"}}
    assert await refused(McpRead(servers), server="git", uri="x") == why
    assert await refused(McpResources(servers, []), server="git") == why
    assert await refused(McpPrompt(servers, []), server="git", **asked) == why


async def test_whoever_waits_for_a_server_can_be_cancelled() -> None:
    servers = Servers(GIT, git=Line())

    async def never(server: str) -> None:
        del server
        await asyncio.Event().wait()

    servers.fleet.tried = never
    cancel = CancelToken()
    reading = asyncio.ensure_future(
        McpRead(given(servers)).execute({"server": "git", "uri": "x"}, context(cancel))
    )
    await asyncio.sleep(0)
    cancel.cancel("stop")
    with pytest.raises(Cancelled):
        await reading
