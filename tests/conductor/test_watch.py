"""Calls under watch: begun before anything happens, ended whatever happens, recorded before the
result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from induscode.conductor.ports import Step, Watch
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.subject import CallView
from induscode.session.entries import Checkpoint
from induscode.session.file_states import REWINDER, FileChange
from tests.conductor.rig import Model, Rig, Rules, Tool, acts, bounded, calls, denying, say


class Watching:
    """Says of every call what was seen of it."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def begin(self, call: str, view: CallView) -> Step:
        self.told.append(f"begin {view.tool}")
        return _Step(self, call, view.tool)

    async def close(self) -> None:
        self.told.append("close")


class _Step:
    def __init__(self, watch: Watching, call: str, tool: str) -> None:
        self._watch, self._call, self._tool = watch, call, tool

    async def end(self) -> Sequence[Checkpoint]:
        self._watch.told.append(f"end {self._tool}")
        return [Checkpoint([FileChange("a")], self._call, self._tool, by=REWINDER)]


def watched(rig: Rig, watch: Watch) -> Rig:
    rig.watch = watch
    return rig


async def test_what_a_call_changed_is_recorded_between_its_intent_and_its_result(rig: Rig) -> None:
    watch = Watching()

    async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        watch.told.append("work")
        return ToolResult.text("did it")

    rig.tools = [acts(Tool("do", work))]
    await watched(rig, watch).run(calls(("do", {})), say())
    assert watch.told == ["begin do", "work", "end do"]
    types = rig.types()
    assert types[types.index("intent") :][:3] == ["intent", "checkpoint", "result"]
    (entry,) = rig.entries(Checkpoint)
    assert entry.by == REWINDER
    assert rig.replay().passed


async def test_a_call_that_fails_unexpectedly_is_ended_all_the_same(rig: Rig) -> None:
    async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        raise RuntimeError("burst")

    watch = Watching()
    rig.tools = [acts(Tool("do", work))]
    await watched(rig, watch).run(calls(("do", {})), say())
    assert watch.told == ["begin do", "end do"]
    assert len(rig.entries(Checkpoint)) == 1


async def test_a_call_that_is_denied_is_never_begun(rig: Rig) -> None:
    watch = Watching()
    rig.tools, rig.rules = [acts(Tool("do"))], Rules(denying)
    await watched(rig, watch).run(calls(("do", {})), say())
    assert watch.told == []


async def test_the_watch_is_closed_with_the_session(rig: Rig) -> None:
    watch = Watching()
    conductor = watched(rig, watch).open(Model(say()))
    await bounded(conductor.submit([Text("hi")]))
    await bounded(conductor.close())
    rig.conductor = None
    assert watch.told == ["close"]
