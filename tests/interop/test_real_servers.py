"""Servers that others wrote, from npm and PyPI, as they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name
from induscode.capability_deck.mcp_config.servers import StdioServer
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Asked, Reply
from induscode.interop.standing import ServerState
from induscode.kernel.content import Image, Text
from tests.interop.harbour import Harbour, free_port, local, remote, said, state, until

NPM = Path(__file__).parents[2] / "build" / "npm" / "node_modules" / ".bin"
NODE = shutil.which("node")


def from_npm(name: str, *words: str) -> StdioServer:
    program = NPM / f"mcp-server-{name}"
    if NODE is None or not program.exists():
        pytest.skip(f"{program.name} is not there: run `make servers`, which needs Node and npm")
    return local(name, NODE, str(program), *words)


def from_pypi(name: str, *words: str) -> StdioServer:
    return local(name, str(Path(sys.executable).with_name(f"mcp-server-{name}")), *words)


async def ready(harbour: Harbour, server, **more) -> Fleet:
    fleet = await harbour.fleet(server, **more)
    assert state(fleet, server.name) is ServerState.READY, fleet.standings()
    return fleet


CALLS = {
    "echo": {"message": "hi"},
    "get-annotated-message": {"messageType": "error", "includeImage": True},
    "get-env": {},
    "get-resource-links": {"count": 2},
    "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
    "get-structured-content": {"location": "Chicago"},
    "get-sum": {"a": 2, "b": 3},
    "get-tiny-image": {},
    "gzip-file-as-resource": {"data": "data:text/plain,hi", "outputType": "resource"},
    "toggle-simulated-logging": {},
    "toggle-subscriber-updates": {},
    "trigger-long-running-operation": {"duration": 0.2, "steps": 2},
    "get-roots-list": {},
    "trigger-elicitation-request": {},
    "trigger-url-elicitation": {"url": "https://example.com/"},
}
BY_TASK_ONLY = "simulate-research-query"


async def test_each_tool_of_everything_answers(harbour: Harbour) -> None:
    asked: list[Asked] = []

    async def ask(question: Asked) -> Reply:
        asked.append(question)
        return Reply()

    fleet = await ready(harbour, from_npm("everything"), ask=ask)
    offered = {tool.name for tool in fleet.standings()[0].tools}
    assert offered == {*CALLS, BY_TASK_ONLY}
    told: list[str] = []
    results = {
        tool: await fleet.run(
            qualify_bridge_name("everything", tool), arguments, progress=told.append
        )
        for tool, arguments in CALLS.items()
    }
    assert {tool for tool, outcome in results.items() if outcome.is_error} == set()
    assert "hi" in said(results["echo"])
    assert "5" in said(results["get-sum"])
    assert any(isinstance(each, Image) for each in results["get-tiny-image"].output)
    assert said(results["get-resource-links"]).count("[link to the resource") == 2
    assert "[resource demo://" in said(results["get-resource-reference"])
    assert harbour.folder.as_uri() in said(results["get-roots-list"])
    assert told == ["1 of 2", "2 of 2"]
    assert [bool(each.url) for each in asked] == [False, True]
    refused = await fleet.run(qualify_bridge_name("everything", BY_TASK_ONLY), {"topic": "x"})
    assert refused.is_error


async def test_prompts_and_resources_of_everything_are_read(harbour: Harbour) -> None:
    connection = (await ready(harbour, from_npm("everything"))).connection("everything")
    assert connection is not None
    assert "simple-prompt" in {each.name for each in await connection.prompts()}
    assert await connection.prompt("simple-prompt", {})
    found = await connection.resources()
    (text,) = await connection.read(next(each.uri for each in found if not each.template))
    assert isinstance(text, Text)


async def test_everything_is_called_over_http(harbour: Harbour) -> None:
    port = free_port()
    server = from_npm("everything", "streamableHttp")
    await harbour.serve_words((server.command, *server.args), port, PORT=str(port))
    fleet = await ready(harbour, remote(f"http://127.0.0.1:{port}/mcp"))
    assert "hi" in said(await fleet.run("far__echo", {"message": "hi"}))


async def test_the_file_server_reads_and_refuses(harbour: Harbour, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    fleet = await ready(harbour, from_npm("filesystem", str(tmp_path)))
    read = qualify_bridge_name("filesystem", "read_text_file")
    assert "hello" in said(await fleet.run(read, {"path": str(tmp_path / "a.txt")}))
    assert (await fleet.run(read, {"path": "/etc/hostname"})).is_error


async def test_the_memory_server_remembers(harbour: Harbour, tmp_path: Path) -> None:
    server = from_npm("memory")
    fleet = await ready(
        harbour,
        local("memory", server.command, *server.args, env={"MEMORY_FILE_PATH": f"{tmp_path}/m"}),
    )
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    made = await fleet.run(qualify_bridge_name("memory", "create_entities"), {"entities": [entity]})
    assert not made.is_error
    assert "Ada" in said(await fleet.run(qualify_bridge_name("memory", "read_graph"), {}))


async def test_the_time_server_tells_the_time(harbour: Harbour) -> None:
    fleet = await ready(harbour, from_pypi("time"))
    name = qualify_bridge_name("time", "get_current_time")
    assert "UTC" in said(await fleet.run(name, {"timezone": "UTC"}))
    assert (await fleet.run(name, {"timezone": "Nowhere/None"})).is_error


async def test_the_git_server_sees_a_repository(harbour: Harbour, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "new.txt").write_text("x")
    fleet = await ready(harbour, from_pypi("git", "--repository", str(tmp_path)))
    outcome = await fleet.run(
        qualify_bridge_name("git", "git_status"), {"repo_path": str(tmp_path)}
    )
    assert "new.txt" in said(outcome)


async def test_the_fetch_server_is_honest_about_what_it_cannot_reach(harbour: Harbour) -> None:
    fleet = await ready(harbour, from_pypi("fetch", "--ignore-robots-txt"))
    outcome = await fleet.run("fetch__fetch", {"url": f"http://127.0.0.1:{free_port()}/"})
    assert outcome.is_error
    await until(lambda: state(fleet, "fetch") is ServerState.READY)
