"""Many servers: side by side, reconnected, and honest when they are gone."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from induscode.capability_deck.bridge_ledger.capability import adapt_box, project_outcome
from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name
from induscode.errors import Cancelled
from induscode.interop.standing import ServerState, Standing
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Image, Json, Text
from tests.interop.harbour import (
    Harbour,
    free_port,
    local,
    odd,
    raw,
    remote,
    said,
    state,
    until,
)

BROKEN = local("broken", "/bin/sh", "-c", "exit 1")


async def test_one_broken_server_is_no_concern_of_the_others(harbour: Harbour) -> None:
    fleet = await harbour.fleet(BROKEN, raw("plain"), local("none", "no-such-program"))
    assert state(fleet, "plain") is ServerState.READY
    assert state(fleet, "none") is ServerState.FAILED
    assert said(await fleet.run("plain__ping", {})) == "pong"
    for name in ("broken__x", "none__x", "unknown__x"):
        outcome = await fleet.run(name, {})
        assert outcome.is_error
        assert f"so {name} did not run" in said(outcome)


async def test_waiting_for_servers_has_an_end(harbour: Harbour) -> None:
    fleet = await harbour.fleet(raw("plain"))
    began = time.monotonic()
    await fleet.settled(5)
    assert time.monotonic() - began < 1


async def test_a_server_that_fails_again_and_again_is_given_up_until_asked_for(
    harbour: Harbour,
) -> None:
    fleet = await harbour.fleet(BROKEN, attempts=3)
    await until(lambda: state(fleet, "broken") is ServerState.FAILED)
    waits = [each.wait_seconds for each in harbour.news if each.state is ServerState.WAITING]
    assert waits == [0.05, 0.1]
    assert fleet.reconnect("broken")
    assert not fleet.reconnect("unknown")
    await until(lambda: state(fleet, "broken") is ServerState.WAITING)
    assert fleet.standings()[0].fault is not None


async def test_a_server_killed_in_a_call_is_told_honestly_and_comes_back(harbour: Harbour) -> None:
    fleet = await harbour.fleet(odd(), raw("plain"), backoff_seconds=0.2)
    before = fleet.descriptors()
    outcome = await fleet.run("odd__die", {})
    assert outcome.is_error
    assert "ended by signal 9" in said(outcome)
    assert "I am dying" in said(outcome)
    assert "Whether odd__die had an effect is not known" in said(outcome)
    gone = await fleet.run("odd__echo", {"text": "x"})
    assert gone.is_error
    assert "so odd__echo did not run" in said(gone)
    assert said(await fleet.run("plain__ping", {})) == "pong"
    await until(lambda: state(fleet, "odd") is ServerState.READY)
    assert fleet.descriptors() == before
    assert said(await fleet.run("odd__echo", {"text": "back"})) == "back"


async def test_an_error_of_the_servers_own_is_told_and_ends_nothing(harbour: Harbour) -> None:
    fleet = await harbour.fleet(raw("moody"))
    outcome = await fleet.run("moody__ping", {})
    assert outcome.is_error
    assert "not today" in said(outcome)
    assert "not known" not in said(outcome)
    assert state(fleet, "moody") is ServerState.READY
    assert [each.state for each in harbour.news].count(ServerState.CONNECTING) == 1


async def test_a_list_that_changes_is_read_again(harbour: Harbour) -> None:
    fleet = await harbour.fleet(odd())
    assert (await fleet.run("odd__grown", {})).is_error
    await fleet.run("odd__grow", {})
    await until(lambda: any(row["name"] == "odd__grown" for row in fleet.descriptors()))
    assert said(await fleet.run("odd__grown", {})) == "grown"


async def test_prompts_are_known_with_the_tools_and_read_again_when_they_change(
    harbour: Harbour,
) -> None:
    fleet = await harbour.fleet(odd(), raw("plain"))
    first, plain = fleet.standings()
    assert [each.name for each in first.prompts] == ["review"]
    assert [each.name for each in first.prompts[0].arguments] == ["code"]
    assert first.has_resources
    assert (plain.prompts, plain.has_resources) == ((), False)
    await fleet.run("odd__learn", {})
    await until(lambda: len(fleet.standings()[0].prompts) == 2)
    assert fleet.standings()[0].tools == first.tools


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("forgetful", "its prompts: its answer is none"), ("mumbling", "within 0.3 s")],
)
async def test_prompts_that_cannot_be_listed_cost_no_tool(
    harbour: Harbour, behaviour: str, words: str
) -> None:
    fleet = await harbour.fleet(raw(behaviour), prompts_seconds=0.3)
    (standing,) = fleet.standings()
    assert standing.state is ServerState.READY
    assert not standing.has_resources  # it says that it has some, and does not know the question
    assert standing.fault is not None
    assert words in standing.fault.message
    assert standing.prompts == ()
    assert said(await fleet.run(f"{behaviour}__ping", {})) == "pong"


async def test_what_the_configuration_does_not_admit_is_neither_offered_nor_run(
    harbour: Harbour,
) -> None:
    fleet = await harbour.fleet(odd(allow=frozenset({"echo", "wrong"}), deny=frozenset({"wrong"})))
    assert [row["name"] for row in fleet.descriptors()] == ["odd__echo"]
    for name in ("odd__wrong", "odd__weather"):
        assert "does not admit" in said(await fleet.run(name, {}))


async def test_results_come_as_what_they_are(harbour: Harbour) -> None:
    fleet = await harbour.fleet(odd())

    async def result(tool: str, **arguments: object):
        return project_outcome(await fleet.run(qualify_bridge_name("odd", tool), arguments))

    assert (await result("echo", text="hi")).content == (Text("hi"),)
    (picture,) = (await result("picture")).content
    assert isinstance(picture, Image)
    assert picture.media_type == "image/png"
    assert len((await result("weather", town="Ulm")).content) == 1
    text, value = (await result("only_structured")).content
    assert text == Text("See there.")
    assert isinstance(value, Json)
    assert bytes(value.value) == b'{"a":[1,2]}'
    (link,) = (await result("link")).content
    assert "odd://notes" in link.text
    wrong = await result("wrong")
    assert wrong.is_error
    many = (await result("many", count=300)).content
    assert len(many) == 201
    assert "100 more parts" in many[-1].text


async def test_progress_is_passed_on(harbour: Harbour) -> None:
    fleet = await harbour.fleet(odd())
    heard: list[str] = []
    await fleet.run("odd__steps", {}, progress=heard.append)
    assert heard == ["1 of 3: step 1", "2 of 3: step 2", "3 of 3: step 3"]


async def test_a_cancelled_call_is_cancelled_at_the_server(
    harbour: Harbour, tmp_path: Path
) -> None:
    fleet = await harbour.fleet(odd())
    mark, cancel = tmp_path / "mark", CancelToken()
    call = asyncio.ensure_future(fleet.run("odd__slow", {"mark": str(mark)}, cancel))
    await until(mark.exists)
    cancel.cancel()
    with pytest.raises(Cancelled):
        await call
    await until(lambda: mark.read_text() == "cancelled")
    assert said(await fleet.run("odd__echo", {"text": "on"})) == "on"


async def test_the_tools_of_a_fleet_become_tools_of_ours(harbour: Harbour) -> None:
    fleet = await harbour.fleet(odd())
    found, faults = adapt_box(fleet, fleet.launches())
    assert not faults
    echo = next(each for each in found if each.name == "odd__echo")
    assert echo.launch == "sha256:x"
    assert echo.definition.annotations == {"readOnlyHint": True}
    assert not echo.read_only
    assert (await echo.execute({"text": "hi"})).content == (Text("hi"),)


async def test_a_closed_fleet_leaves_nothing_and_says_so(harbour: Harbour) -> None:
    fleet = await harbour.fleet(odd())
    await fleet.close()
    assert state(fleet, "odd") is ServerState.CLOSED
    assert "was closed" in said(await fleet.run("odd__echo", {"text": "x"}))
    assert not fleet.descriptors()


@pytest.mark.parametrize("how", ["streamable-http", "sse"])
async def test_a_server_at_an_address_that_restarts_is_found_again(
    harbour: Harbour, how: str
) -> None:
    port = free_port()
    line = await harbour.serve(how, port)
    path, transport = ("sse", "sse") if how == "sse" else ("mcp", "http")
    server = remote(f"http://127.0.0.1:{port}/{path}", transport=transport)
    fleet = await harbour.fleet(server, attempts=1000, backoff_seconds_most=0.1)
    assert said(await fleet.run("far__echo", {"text": "one"})) == "one"
    line.end(0)
    await line.gone.wait()
    outcome = await fleet.run("far__echo", {"text": "two"})
    assert outcome.is_error
    await harbour.serve(how, port)
    await until(lambda: state(fleet, "far") is ServerState.READY)
    assert said(await fleet.run("far__echo", {"text": "three"})) == "three"


def test_a_server_that_was_just_lost_is_not_said_to_be_connected() -> None:
    """Nobody noticed yet, but for the call that found no connection."""
    assert Standing("srv", ServerState.READY, "").clause() == "lost its connection just now"
