"""What passes between us and a real server during a call, and besides calls."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from induscode.errors import Cancelled
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Asked, Reply
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Image, Text
from tests.interop.harbour import Harbour, local, said, until
from tests.interop.real import from_npm, ready


async def everything(harbour: Harbour, **more: Any) -> Fleet:
    """All of its tools are listed: some come only after it was told what we can."""
    fleet = await ready(harbour, from_npm("everything"), **more)
    await until(lambda: len(fleet.standings()[0].tools) >= 16)
    return fleet


async def test_a_tool_that_fails_says_so_and_the_next_call_is_fine(harbour: Harbour) -> None:
    fleet = await everything(harbour)
    wrong = await fleet.run("everything__get-sum", {"a": "two"})
    assert wrong.is_error
    assert "expected number" in said(wrong)
    refused = await fleet.run("everything__gzip-file-as-resource", {"data": "ftp://127.0.0.1/x"})
    assert refused.is_error
    assert "Unsupported URL protocol" in said(refused)
    assert "is 5" in said(await fleet.run("everything__get-sum", {"a": 2, "b": 3}))


async def test_progress_is_told_while_it_runs(harbour: Harbour) -> None:
    fleet = await everything(harbour)
    told: list[str] = []
    arguments = {"duration": 0.3, "steps": 3}
    await fleet.run("everything__trigger-long-running-operation", arguments, progress=told.append)
    assert told == ["1 of 3", "2 of 3", "3 of 3"]


async def test_a_cancelled_call_ends_at_once_and_the_server_is_told(
    harbour: Harbour, tmp_path: Path
) -> None:
    server = from_npm("everything")
    wire = tmp_path / "wire"
    overheard = ("sh", "-c", 'tee "$0" | "$@" 2>/dev/null', str(wire), server.command, *server.args)
    fleet = await ready(harbour, local("everything", *overheard))
    cancel = CancelToken()
    steps: list[str] = []
    running = asyncio.ensure_future(
        fleet.run(
            "everything__trigger-long-running-operation",
            {"duration": 600, "steps": 6000},
            cancel,
            steps.append,
        )
    )
    await until(lambda: steps)
    cancel.cancel()
    with pytest.raises(Cancelled):
        await asyncio.wait_for(running, 5)

    def sent(method: str) -> list[dict[str, Any]]:
        lines = wire.read_text().splitlines()
        found = [json.loads(line) for line in lines if line.endswith("}")]
        return [each for each in found if each.get("method") == method]

    await until(lambda: sent("notifications/cancelled"))
    (call,), (told,) = sent("tools/call"), sent("notifications/cancelled")
    assert told["params"]["requestId"] == call["id"]
    assert "Echo: on" in said(await fleet.run("everything__echo", {"message": "on"}))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(accepted=True, content={"name": "Ada", "integer": 7}), "- Favorite Integer: 7"),
        (Reply(), "User declined to provide the requested information"),
    ],
    ids=["accepted", "declined"],
)
async def test_a_question_is_put_to_the_person_and_answered(
    harbour: Harbour, reply: Reply, words: str
) -> None:
    asked: list[Asked] = []

    async def ask(question: Asked) -> Reply:
        asked.append(question)
        return reply

    fleet = await everything(harbour, ask=ask)
    outcome = await fleet.run("everything__trigger-elicitation-request", {})
    assert words in said(outcome)
    (question,) = asked
    assert question.server == "everything"
    assert "name" in (question.schema or {})["properties"]


async def test_without_a_person_nothing_is_told_of_us(harbour: Harbour) -> None:
    fleet = await everything(harbour)
    for tool, arguments in (
        ("trigger-elicitation-request", {}),
        ("trigger-url-elicitation", {"url": "https://example.com/"}),
    ):
        assert "User declined" in said(await fleet.run(f"everything__{tool}", arguments))


async def test_the_roots_that_a_server_sees_are_the_workspace(harbour: Harbour) -> None:
    fleet = await everything(harbour)
    roots = said(await fleet.run("everything__get-roots-list", {}))
    assert "(1 total)" in roots
    assert f"URI: {harbour.folder.as_uri()}\n" in roots


async def test_what_a_link_of_a_tool_leads_to_can_be_read(harbour: Harbour) -> None:
    fleet = await everything(harbour)
    linked = said(await fleet.run("everything__get-resource-links", {"count": 2}))
    connection = fleet.connection("everything")
    assert connection is not None
    uri = "demo://resource/dynamic/text/2"
    assert f"[link to the resource {uri} (Text Resource 2, text/plain)" in linked
    (block,) = await connection.read(uri)
    assert isinstance(block, Text)
    assert block.text.startswith(f"[resource {uri}, text/plain]\nResource 2: ")


async def test_prompts_and_resources_are_listed_and_read(harbour: Harbour) -> None:
    connection = (await everything(harbour)).connection("everything")
    assert connection is not None
    prompts = {each.name: each for each in await connection.prompts()}
    assert [each.name for each in prompts["args-prompt"].arguments] == ["city", "state"]
    (text,) = await connection.prompt("args-prompt", {"city": "Bonn"})
    assert text == Text("What's weather in Bonn?")
    found = await connection.resources()
    assert {each.uri for each in found if each.template} == {
        "demo://resource/dynamic/text/{resourceId}",
        "demo://resource/dynamic/blob/{resourceId}",
    }
    page = next(each for each in found if each.uri.endswith("/startup.md"))
    (block,) = await connection.read(page.uri)
    assert isinstance(block, Text)
    assert "Everything Server" in block.text


async def test_a_picture_of_a_real_server_is_one(harbour: Harbour) -> None:
    fleet = await everything(harbour)
    outcome = await fleet.run("everything__get-tiny-image", {})
    (picture,) = (each for each in outcome.output if isinstance(each, Image))
    assert picture.data.startswith(b"\x89PNG")
