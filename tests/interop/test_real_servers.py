"""Servers that others wrote and people have: files, memory, time, git and the web."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from induscode.capability_deck.mcp_config.servers import StdioServer
from induscode.interop.fleet import Fleet
from tests.interop.harbour import SECONDS, Harbour, free_port, said
from tests.interop.real import from_npm, from_pypi, ready

PAGES = {
    "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /private\n"),
    "/page": ("text/html", "<html><body><h1>Tides</h1><p>High at <b>noon</b>.</p></body></html>"),
    "/private": ("text/plain", "not for robots"),
    "/long": ("text/plain", "0123456789" * 100),
}


async def ran(fleet: Fleet, name: str, **arguments: object) -> str:
    outcome = await fleet.run(name, arguments)
    assert not outcome.is_error, said(outcome)
    return said(outcome)


async def test_the_file_server_reads_writes_and_stays_in_its_folder(
    harbour: Harbour, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("hello\nworld\n")
    fleet = await ready(harbour, from_npm("filesystem", str(tmp_path)))
    assert "hello" in await ran(fleet, "filesystem__read_text_file", path=f"{tmp_path}/a.txt")
    await ran(fleet, "filesystem__write_file", path=f"{tmp_path}/b.txt", content="new")
    assert (tmp_path / "b.txt").read_text() == "new"
    edit = {"oldText": "world", "newText": "tides"}
    difference = await ran(
        fleet, "filesystem__edit_file", path=f"{tmp_path}/a.txt", edits=[edit], dryRun=True
    )
    assert "-world\n+tides" in difference
    assert "world" in (tmp_path / "a.txt").read_text()
    assert "[FILE] b.txt" in await ran(fleet, "filesystem__list_directory", path=str(tmp_path))
    outside = await fleet.run("filesystem__read_text_file", {"path": "/etc/hostname"})
    assert outside.is_error
    assert "outside allowed directories" in said(outside)


async def test_the_file_server_takes_our_workspace_as_its_folder(
    harbour: Harbour, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    fleet = await ready(harbour, from_npm("filesystem", str(elsewhere)))
    async with asyncio.timeout(SECONDS):  # it asks for our roots once it is told that it may
        allowed = ""
        while allowed != f"Allowed directories:\n{harbour.folder}":
            allowed = await ran(fleet, "filesystem__list_allowed_directories")


async def test_the_memory_server_remembers_past_its_own_end(
    harbour: Harbour, tmp_path: Path
) -> None:
    server = from_npm("memory", env={"MEMORY_FILE_PATH": f"{tmp_path}/memory.jsonl"})
    first = await ready(harbour, server)
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    await ran(first, "memory__create_entities", entities=[entity])
    link = {"from": "Ada", "to": "Ada", "relationType": "knows"}
    await ran(first, "memory__create_relations", relations=[link])
    await first.close()

    second = await ready(harbour, server)
    graph = json.loads(await ran(second, "memory__read_graph"))
    assert [each["name"] for each in graph["entities"]] == ["Ada"]
    assert [each["relationType"] for each in graph["relations"]] == ["knows"]
    assert "counts" in await ran(second, "memory__search_nodes", query="count")


async def test_the_time_server_tells_and_converts_the_time(harbour: Harbour) -> None:
    fleet = await ready(harbour, from_pypi("time"))
    now = json.loads(await ran(fleet, "time__get_current_time", timezone="UTC"))
    assert now["timezone"] == "UTC"
    told = json.loads(
        await ran(
            fleet,
            "time__convert_time",
            source_timezone="Asia/Tokyo",
            time="12:00",
            target_timezone="Asia/Kolkata",
        )
    )
    assert told["time_difference"] == "-3.5h"
    wrong = await fleet.run("time__get_current_time", {"timezone": "Nowhere/None"})
    assert wrong.is_error
    assert "Nowhere/None" in said(wrong)


async def test_the_git_server_sees_and_makes_commits(harbour: Harbour, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.com")):
        subprocess.run(["git", "-C", tmp_path, "config", key, value], check=True)
    (tmp_path / "new.txt").write_text("x\n")
    fleet = await ready(harbour, from_pypi("git", "--repository", str(tmp_path)))
    repo = str(tmp_path)
    assert "new.txt" in await ran(fleet, "git__git_status", repo_path=repo)
    await ran(fleet, "git__git_add", repo_path=repo, files=["new.txt"])
    assert "+x" in await ran(fleet, "git__git_diff_staged", repo_path=repo)
    await ran(fleet, "git__git_commit", repo_path=repo, message="A new file")
    log = subprocess.run(
        ["git", "-C", tmp_path, "log", "--format=%s"], check=True, capture_output=True, text=True
    )
    assert log.stdout == "A new file\n"
    assert "A new file" in await ran(fleet, "git__git_log", repo_path=repo)
    outside = await fleet.run("git__git_status", {"repo_path": str(tmp_path.parent)})
    assert outside.is_error


def fetching(*words: str) -> StdioServer:
    """Where it finds Node, it would install packages of its own."""
    return from_pypi("fetch", *words, env={"PATH": "/nonexistent"})


@pytest.fixture
async def site() -> AsyncIterator[str]:
    """A small web of its own."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.split(b" ", 2)[1].decode()
        kind, text = PAGES.get(path, ("text/plain", ""))
        status = "200 OK" if path in PAGES else "404 Not Found"
        head = f"content-type: {kind}\r\ncontent-length: {len(text)}\r\nconnection: close"
        writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n\r\n{text}".encode())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await server.wait_closed()


async def test_the_fetch_server_reads_pages_and_minds_what_robots_may(
    harbour: Harbour, site: str
) -> None:
    fleet = await ready(harbour, fetching("--allow-private-ips"))
    page = await ran(fleet, "fetch__fetch", url=f"{site}/page")
    assert "Tides" in page
    assert "<b>" not in page
    assert "<b>noon</b>" in await ran(fleet, "fetch__fetch", url=f"{site}/page", raw=True)
    part = await ran(fleet, "fetch__fetch", url=f"{site}/long", max_length=10, start_index=5)
    assert "5678901234" in part
    assert "start_index of 15" in part
    refused = await fleet.run("fetch__fetch", {"url": f"{site}/private"})
    assert refused.is_error
    assert "robots.txt" in said(refused)
    missing = await fleet.run("fetch__fetch", {"url": f"{site}/missing"})
    assert missing.is_error
    assert "404" in said(missing)


@pytest.mark.parametrize(
    ("words", "why"),
    [((), "not a public address"), (("--allow-private-ips",), "connection issue")],
    ids=["refused", "unreached"],
)
async def test_the_fetch_server_is_honest_about_what_it_does_not_reach(
    harbour: Harbour, words: tuple[str, ...], why: str
) -> None:
    fleet = await ready(harbour, fetching(*words))
    outcome = await fleet.run("fetch__fetch", {"url": f"http://127.0.0.1:{free_port()}/"})
    assert outcome.is_error
    assert why in said(outcome)
