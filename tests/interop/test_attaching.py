"""The deck's way to servers: attached to a ledger, asked how they stand, and detached."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from induscode.capability_deck import (
    BridgeEntry,
    BridgeLedger,
    BridgeOp,
    ToolOutcome,
    attach_bridge_capabilities,
    bridge_config,
    bridge_status,
    bridge_tool_counts,
    bridge_tool_names,
    detach_bridge,
    empty_bridge_ledger,
    live_capabilities,
)
from induscode.capability_deck.bridge_ledger.judging import FirstSight
from induscode.capability_deck.bridge_ledger.network import AttachResult, Mount
from induscode.capability_deck.mcp_config.servers import ServerConfig
from induscode.interop.mounting import mounting
from induscode.kernel.content import Text
from tests.interop.harbour import Harbour, local, odd, raw, until
from tests.requirements import requirement


def enrolments(ledger: BridgeLedger) -> list[str]:
    return [
        each.capability.name
        for each in ledger.log
        if isinstance(each, BridgeEntry) and each.op is BridgeOp.ENROLL and each.capability
    ]


async def attached(
    harbour: Harbour, *servers: ServerConfig, ledger: BridgeLedger | None = None
) -> AttachResult:
    config = bridge_config(servers, mounting(harbour.ground()))
    return await attach_bridge_capabilities(ledger or empty_bridge_ledger(), config)


@requirement(
    "ledger.attach.enrols",
    "ledger.attach.result-fields",
    "ledger.status.fleet",
    "ledger.detach.all",
)
async def test_servers_are_mounted_and_each_tool_enrolled_once(harbour: Harbour) -> None:
    before = empty_bridge_ledger()
    result = await attached(harbour, odd("one"), raw("plain", "two"), ledger=before)
    assert result.fault is None
    assert before == empty_bridge_ledger()
    names = bridge_tool_names(result.ledger)
    assert enrolments(result.ledger) == names
    assert result.enrolled == len(names) == sum(bridge_tool_counts(result.ledger).values())
    assert "one__echo" in names
    assert [(each.server, each.state) for each in result.status] == [
        ("one", "ready"),
        ("two", "ready"),
    ]
    (echo,) = (tool for tool in live_capabilities(result.ledger) if tool.name == "one__echo")
    assert (await echo.execute({"text": "hello"})).content == (Text("hello"),)

    left = await detach_bridge(result.ledger, result.fleet)
    assert bridge_tool_names(left) == []
    assert {each.state for each in bridge_status(result.fleet)} == {"closed"}


@requirement("ledger.attach.empty-config")
async def test_without_servers_the_ledger_flows_through() -> None:
    ledger = empty_bridge_ledger()
    result = await attach_bridge_capabilities(ledger, bridge_config([]))
    assert result == AttachResult(ledger)
    assert result.ledger is ledger
    assert await detach_bridge(result.ledger, result.fleet) is ledger


@requirement("ledger.attach.failing-server-absent", "ledger.status.fleet")
async def test_a_server_that_fails_is_absent_and_the_others_are_there(harbour: Harbour) -> None:
    result = await attached(harbour, local("gone", "/nonexistent/program"), odd("one"))
    assert result.fault is None
    assert set(bridge_tool_counts(result.ledger)) == {"one"}
    gone, one = bridge_status(result.fleet)
    assert (gone.state, one.state) == ("failed", "ready")
    assert "/nonexistent/program" in gone.clause()
    await detach_bridge(result.ledger, result.fleet)


async def test_a_server_that_is_gone_today_keeps_what_it_had(harbour: Harbour) -> None:
    first = await attached(harbour, odd("one"))
    await detach_bridge(first.ledger, first.fleet, servers=[])
    again = await attached(harbour, local("one", "/nonexistent/program"), ledger=first.ledger)
    assert again.ledger is first.ledger
    assert again.enrolled == 0
    await detach_bridge(again.ledger, again.fleet)


async def test_what_was_approved_otherwise_is_enrolled_and_held(harbour: Harbour) -> None:
    first = await attached(harbour, odd("one"))
    await detach_bridge(first.ledger, first.fleet, servers=[])
    changed = msgspec.structs.replace(odd("one"), launch="sha256:other")
    again = await attached(harbour, changed, ledger=first.ledger)
    assert again.enrolled == first.enrolled
    assert bridge_tool_names(again.ledger) == []
    assert len(again.ledger.snapshot.held) == first.enrolled
    await detach_bridge(again.ledger, again.fleet)


async def test_first_sight_need_not_be_approval(harbour: Harbour) -> None:
    config = bridge_config([odd("one")], mounting(harbour.ground()))
    result = await attach_bridge_capabilities(empty_bridge_ledger(), config, first=FirstSight.HOLD)
    assert result.enrolled
    assert bridge_tool_names(result.ledger) == []
    await detach_bridge(result.ledger, result.fleet)


@requirement("ledger.attach.wholesale-failure-carried")
async def test_a_mount_that_fails_as_a_whole_is_a_fault_of_the_result() -> None:
    ledger = empty_bridge_ledger()
    broken = RuntimeError("the bridge fell")

    async def fail(servers: Sequence[ServerConfig], /) -> Any:
        raise broken

    result = await attach_bridge_capabilities(ledger, bridge_config([odd()], fail))
    assert (result.ledger, result.fleet, result.enrolled) == (ledger, None, 0)
    assert result.fault is not None
    assert result.fault.kind == "bridge"
    assert result.fault.cause is broken
    assert "the bridge fell" in result.fault.message


async def unreachable(servers: Sequence[ServerConfig], /) -> Any:
    raise AssertionError("nothing of an invalid configuration is mounted")


@requirement("ledger.attach.config-fault")
@pytest.mark.parametrize(
    ("names", "mount", "told"),
    [
        (("one", "one"), unreachable, "two MCP servers are named 'one'"),
        (("\u043ene",), unreachable, "U\\+043E"),
        (("",), unreachable, "is empty"),
        (("one",), None, "nothing was said of how"),
    ],
    ids=["twice", "homoglyph", "empty", "no way"],
)
async def test_an_invalid_configuration_is_a_fault_of_the_result(
    names: tuple[str, ...], mount: Mount | None, told: str
) -> None:
    ledger = empty_bridge_ledger()
    config = bridge_config([odd(name) for name in names], mount)
    result = await attach_bridge_capabilities(ledger, config)
    assert result.ledger is ledger
    assert result.fault is not None
    assert result.fault.kind == "bridge"
    with pytest.raises(type(result.fault), match=told):
        raise result.fault


@requirement("ledger.detach.named", "ledger.detach.tears-down")
async def test_named_servers_are_detached_and_the_fleet_is_closed(harbour: Harbour) -> None:
    result = await attached(harbour, odd("one"), raw("plain", "two"))
    left = await detach_bridge(result.ledger, result.fleet, ["one"])
    assert set(bridge_tool_counts(left)) == {"two"}
    assert {each.state for each in bridge_status(result.fleet)} == {"closed"}


class Stuck:
    """A fleet that cannot be closed."""

    def descriptors(self) -> Sequence[Mapping[str, Any]]:
        return ()

    def launches(self) -> Mapping[str, str]:
        return {}

    def standings(self) -> Sequence[Any]:
        return ()

    async def run(self, *words: Any) -> ToolOutcome:
        raise AssertionError("nobody calls it")

    async def close(self) -> None:
        raise OSError("it does not let go")


@requirement("ledger.detach.tears-down")
async def test_a_fleet_that_cannot_be_closed_does_not_keep_anybody() -> None:
    ledger = empty_bridge_ledger()
    assert await detach_bridge(ledger, Stuck()) is ledger


async def test_a_mount_that_is_cancelled_leaves_no_program(
    harbour: Harbour, tmp_path: Path
) -> None:
    mark = tmp_path / "pid"
    script = f"echo $$ > {mark}; exec sleep 600"
    mount = mounting(harbour.ground())
    task = asyncio.ensure_future(mount([local("slow", "/bin/sh", "-c", script)]))
    await until(lambda: mark.exists() and mark.read_text().strip())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not Path("/proc", mark.read_text().strip()).exists())
