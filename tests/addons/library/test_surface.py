"""The surface an addon registers on: it writes down, and nothing more."""

from __future__ import annotations

import pytest

from induscode.addons.contract import (
    AddonApi,
    AnyTool,
    CommandContext,
    Continue,
    ExecOutcome,
    FrameworkHandles,
    HookEvent,
    NamedTool,
    RegisteredManifest,
    ToolEnterContext,
    ToolExitContext,
)
from induscode.addons.host import RecordingSurface
from induscode.errors import HandleClosed
from induscode.kernel.cancel import CancelToken
from tests.addons.library.parts import ONE, Echo, gate
from tests.requirements import requirement


async def run(context: CommandContext) -> str:
    raise AssertionError("recording runs nothing")


async def enter(context: ToolEnterContext) -> Continue:
    raise AssertionError("recording runs nothing")


async def leave(context: ToolExitContext) -> Continue:
    raise AssertionError("recording runs nothing")


async def stay(cancel: CancelToken) -> None:
    raise AssertionError("recording runs nothing")


async def execute(line: str) -> ExecOutcome:
    raise AssertionError("recording runs nothing")


HANDLES = FrameworkHandles(exec=execute)


@pytest.fixture
def surface() -> RecordingSurface:
    return RecordingSurface(ONE, HANDLES)


@requirement("addons.surface.recording-surface", "addons.api.id", "addons.api.handles")
def test_it_is_what_an_addon_sees_of_the_host(surface: RecordingSurface) -> None:
    seen: AddonApi = surface
    assert seen.id == "one"
    assert seen.handles() is HANDLES
    with pytest.raises(AttributeError):
        seen.id = "two"
    public = {name for name in dir(surface) if not name.startswith("_")}
    assert public == {
        "id", "on", "intercept_tool", "add_command", "add_tool", "add_task", "handles", "manifest",
    }  # fmt: skip


@requirement("addons.surface.seeded-empty")
def test_a_fresh_surface_holds_nothing(surface: RecordingSurface) -> None:
    assert surface.manifest() == RegisteredManifest.empty()


@requirement(
    "addons.api.on",
    "addons.api.intercept-tool",
    "addons.api.add-command",
    "addons.api.add-tool",
    "addons.surface.stamps-owner",
    "addons.records-never-mutates",
)
def test_each_call_is_recorded_under_the_addons_id_and_nothing_runs(
    surface: RecordingSurface,
) -> None:
    stop, tool = gate(stop=True), Echo()
    surface.on(HookEvent.TOOL_BEFORE, stop)
    surface.intercept_tool(NamedTool("bash"), enter, leave)
    surface.intercept_tool(AnyTool(), None, leave)
    surface.add_command("/deploy", "ship it", run)
    surface.add_tool(tool)
    surface.add_task("watch", stay, "watches", restarts=2)
    found = surface.manifest()
    (heard,), (named, every), (command,) = found.subscriptions, found.interceptors, found.commands
    assert (heard.addon, heard.event, heard.handler) == (ONE, HookEvent.TOOL_BEFORE, stop)
    assert (named.addon, named.match, named.enter, named.exit) == (
        ONE, NamedTool("bash"), enter, leave,
    )  # fmt: skip
    assert (every.addon, every.match, every.enter) == (ONE, AnyTool(), None)
    assert (command.addon, command.name, command.summary) == (ONE, "deploy", "ship it")
    assert command.run is run
    assert found.tools[0] is tool
    (task,) = found.tasks
    assert (task.addon, task.name, task.description, task.restarts) == (ONE, "watch", "watches", 2)
    assert task.run is stay


@requirement("addons.surface.no-conflict-resolution")
def test_a_name_may_be_recorded_twice(surface: RecordingSurface) -> None:
    surface.add_command("help", "mine", run)
    surface.add_command("help", "mine again", run)
    assert [command.summary for command in surface.manifest().commands] == ["mine", "mine again"]


@requirement("addons.api.manifest-consumes")
@pytest.mark.parametrize(
    "record",
    [
        lambda s: s.on(HookEvent.TURN_END, gate(stop=False)),
        lambda s: s.intercept_tool(AnyTool()),
        lambda s: s.add_command("x", "", run),
        lambda s: s.add_tool(Echo()),
        lambda s: s.add_task("x", stay),
        lambda s: s.manifest(),
    ],
    ids=["on", "intercept_tool", "add_command", "add_tool", "add_task", "manifest"],
)
def test_after_the_manifest_was_taken_nothing_more_is_recorded(record, surface) -> None:
    taken = surface.manifest()
    with pytest.raises(HandleClosed, match="one: its registration is over"):
        record(surface)
    assert taken == RegisteredManifest.empty()


@pytest.mark.parametrize(
    "record",
    [
        lambda s: s.on("tool:befor", gate(stop=True)),
        lambda s: s.on(HookEvent.TURN_END, run),
        lambda s: s.intercept_tool("bash", enter),
        lambda s: s.add_command(7, "", run),
    ],
    ids=["event", "handler", "match", "name"],
)
def test_what_is_no_contribution_is_refused(record, surface) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)):
        record(surface)
    assert surface.manifest() == RegisteredManifest.empty()


def test_an_event_may_be_written_as_its_wire_name(surface: RecordingSurface) -> None:
    surface.on("tool:after", gate(stop=False))
    assert surface.manifest().subscriptions[0].event is HookEvent.TOOL_AFTER
