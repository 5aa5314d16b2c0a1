"""A disk that fails: it is said, nothing with an effect starts, and work goes on when it can."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from induscode.errors import LogDown
from induscode.kernel.content import Text
from induscode.kernel.events import Fault
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.session.entries import Result
from tests.conductor.rig import Model, Rig, Tool, acts, assert_valid, bounded, calls, reads, say


class Disk:
    """The system's calls, failing as long as `bad` is set; `hits` counts the failures."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
        self.bad = False
        self.hits = 0
        self.on_hit: Callable[[], None] = lambda: None
        for name in names:
            monkeypatch.setattr(os, name, self._failing(getattr(os, name)))

    def _failing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if self.bad:
                self.hits += 1
                self.on_hit()
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*arguments)

        return call


@pytest.fixture(params=["pwrite", "fdatasync"])
def disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch, request.param)


def failing_when_asked(disk: Disk, answer: Any) -> Any:
    """The disk fails from the moment on at which the model answers."""

    async def scene(*_: object) -> Any:
        disk.bad = True
        return answer

    return scene


async def test_no_effect_starts_while_the_log_is_down_and_it_recovers(rig: Rig, disk: Disk) -> None:
    def recover() -> None:
        assert tool.runs == []
        if disk.hits > 3:
            disk.bad = False

    tool = Tool("work")
    rig.tools = [acts(tool)]
    disk.on_hit = recover
    model = Model(failing_when_asked(disk, calls(("work", {}))), say("Made it."))
    outcome = await bounded(rig.open(model).submit([Text("go")]))

    assert outcome.text == "Made it."
    assert len(tool.runs) == 1
    messages = [fault.message for fault in rig.heard(Fault)]
    assert "No space left on device" in messages[0]
    assert "the session log can be written again" in messages
    assert not any(fault.fatal for fault in rig.heard(Fault))
    assert_valid(model.request())
    assert rig.replay().passed


async def test_it_gives_up_after_its_patience_and_starts_nothing(rig: Rig, disk: Disk) -> None:
    tool = Tool("work")
    rig.tools, rig.patience = [acts(tool)], 0.3
    model = Model(failing_when_asked(disk, calls(("work", {}))))
    with pytest.raises(LogDown, match="free space or fix the disk") as caught:
        await bounded(rig.open(model).submit([Text("go")]))
    assert caught.value.exit_code == 1
    assert tool.runs == []

    disk.bad = False
    again = Model(say("Back."))
    await bounded(rig.open(again).submit([Text("now?")]))
    assert_valid(again.request())
    assert rig.replay().passed


async def test_reads_side_by_side_fail_as_one_and_say_which_way(rig: Rig, disk: Disk) -> None:
    begun = [asyncio.Event(), asyncio.Event()]

    async def look(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        begun[arguments["n"]].set()
        await bounded(begun[1 - arguments["n"]].wait())
        disk.bad = True
        return ToolResult.text("seen")

    rig.tools, rig.patience = [reads(Tool("look", look))], 0.3
    model = Model(calls(("look", {"n": 0}), ("look", {"n": 1})), say())
    with pytest.raises(LogDown):
        await bounded(rig.open(model).submit([Text("go")]))
    disk.bad = False
    again = Model(say("Back."))
    await bounded(rig.open(again).submit([Text("now?")]))
    assert_valid(again.request())


async def test_a_new_session_that_cannot_be_written_says_so_and_sends_nothing(
    rig: Rig, disk: Disk
) -> None:
    disk.bad, rig.patience = True, 0.3
    model = Model(say())
    with pytest.raises(LogDown):
        await bounded(rig.open(model).submit([Text("go")]))
    assert model.bodies == []


async def test_content_that_cannot_be_stored_is_waited_for_too(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch, "write")

    def recover() -> None:
        disk.bad = disk.hits < 2

    async def long(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        disk.bad = True
        return ToolResult.text("long " * 20_000)

    disk.on_hit = recover
    rig.tools = [reads(Tool("look", long))]
    assert (await bounded(rig.run(calls(("look", {})), say("Seen.")))).text == "Seen."
    assert disk.hits == 2
    assert len(rig.entries(Result)) == 1
    assert "cannot store session content" in rig.heard(Fault)[0].message
    assert rig.replay().passed


async def test_stopping_while_the_log_is_down_starts_nothing_and_leaves_it_valid(
    rig: Rig, disk: Disk
) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    conductor = rig.open(Model(failing_when_asked(disk, calls(("work", {})))))

    def stop() -> None:
        conductor.cancel()
        disk.bad = disk.hits < 3

    disk.on_hit = stop
    with pytest.raises(Exception, match="stopped by the user"):
        await bounded(conductor.submit([Text("go")]))
    assert tool.runs == []
    assert rig.replay().passed
