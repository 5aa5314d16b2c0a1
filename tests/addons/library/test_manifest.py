"""Tier 0: what a manifest says, and what it does when it is heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.addons.contract import (
    CommandContext,
    ExecOutcome,
    FrameworkHandles,
    GateDecision,
    HookEvent,
    HookKind,
    InputPayload,
    LifecyclePayload,
    RegisteredManifest,
    ToolPayload,
)
from induscode.addons.dispatch import EventDispatcher
from induscode.addons.host import RecordingSurface
from induscode.addons.manifest import (
    MANIFEST_FILENAME,
    AddonDescriptor,
    CommandDescriptor,
    GateDescriptor,
)
from induscode.feature.capability import EmitAlert, ScopedFs
from tests.addons.library.parts import ONE
from tests.requirements import requirement

SAFETY = """\
id = "safety"
version = "1.0.0"
[[command]]
name = "deploy"
summary = "run the project deploy script"
exec = "./scripts/deploy.sh"
[[gate]]
event = "tool:before"
match-tool = "bash"
reason = "blocked by safety addon"
"""


async def recorded(text: str) -> RegisteredManifest:
    surface = RecordingSurface(ONE, FrameworkHandles())
    await AddonDescriptor.parse(text).into_manifest().register(surface)
    return surface.manifest()


class Shell:
    """An `exec` handle that writes down its lines."""

    def __init__(self, outcome: ExecOutcome | None = None) -> None:
        self.lines: list[str] = []
        self.outcome = outcome or ExecOutcome("", "", 0)

    async def exec(self, line: str) -> ExecOutcome:
        self.lines.append(line)
        return self.outcome

    def context(self, args: str = "") -> CommandContext:
        return CommandContext(args, Path("/work"), FrameworkHandles(exec=self.exec))


@requirement("addons.manifest.filename")
def test_a_manifest_has_one_name() -> None:
    assert MANIFEST_FILENAME == "manifest.toml"


@requirement(
    "addons.tier0.example-manifest",
    "addons.manifest.descriptor-fields",
    "addons.manifest.command-fields",
    "addons.manifest.gate-fields",
)
async def test_the_manifest_of_the_document_is_one_command_and_one_gate() -> None:
    made = AddonDescriptor.parse(SAFETY)
    deploy = CommandDescriptor("deploy", "run the project deploy script", "./scripts/deploy.sh")
    no_bash = GateDescriptor(HookEvent.TOOL_BEFORE, "blocked by safety addon", "bash")
    assert made == AddonDescriptor("safety", "1.0.0", (deploy,), (no_bash,))

    found = await recorded(SAFETY)
    assert [(one.name, one.summary) for one in found.commands] == [
        ("deploy", "run the project deploy script")
    ]
    assert [(one.event, one.handler.kind) for one in found.subscriptions] == [
        (HookEvent.TOOL_BEFORE, HookKind.GATE)
    ]
    assert (found.interceptors, found.tools) == ((), ())


def test_only_an_id_is_needed() -> None:
    assert AddonDescriptor.parse('id = "bare"') == AddonDescriptor("bare")
    told = AddonDescriptor.parse(b'id = "bare"\nname = "Bare"\ndescription = "Nothing."\n')
    assert (told.version, told.name, told.description) == (None, "Bare", "Nothing.")


@requirement("addons.tier0.register-replays")
async def test_registering_again_records_the_same_on_another_surface() -> None:
    manifest = AddonDescriptor.parse(SAFETY).into_manifest()
    found: list[RegisteredManifest] = []
    for _ in range(2):
        surface = RecordingSurface(ONE, FrameworkHandles())
        await manifest.register(surface)
        found.append(surface.manifest())
    names = [
        ([one.name for one in each.commands], [one.event for one in each.subscriptions])
        for each in found
    ]
    assert names == [(["deploy"], [HookEvent.TOOL_BEFORE])] * 2


@requirement("addons.manifest.command-args-appended")
@pytest.mark.parametrize(
    ("args", "line"),
    [
        ("", "./scripts/deploy.sh"),
        ("staging", "./scripts/deploy.sh staging"),
        ("  a 'b  c' ; $X ", "./scripts/deploy.sh   a 'b  c' ; $X "),
    ],
)
async def test_what_was_typed_is_appended_as_it_was_typed(args, line) -> None:
    (command,) = (await recorded(SAFETY)).commands
    shell = Shell()
    await command.run(shell.context(args))
    assert shell.lines == [line]


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (ExecOutcome("done\n", "", 0), "done"),
        (ExecOutcome("", "", 0), ""),
        (ExecOutcome("half\n", "no disk\n", 3), "half\nno disk\n[exit code 3]"),
        (ExecOutcome("", "", None), "[it was ended]"),
    ],
)
async def test_a_command_tells_what_its_line_said_and_how_it_ended(outcome, told) -> None:
    (command,) = (await recorded(SAFETY)).commands
    assert await command.run(Shell(outcome).context()) == told


@requirement("addons.manifest.command-without-exec")
async def test_a_command_without_a_line_is_listed_and_does_nothing() -> None:
    (command,) = (await recorded('id = "a"\n[[command]]\nname = "x"\nsummary = "s"')).commands
    shell = Shell()
    assert (command.name, command.summary) == ("x", "s")
    assert await command.run(shell.context("args")) is None
    assert shell.lines == []


@requirement("addons.manifest.command-without-handle")
async def test_a_command_without_a_handle_does_nothing_and_does_not_fail() -> None:
    (command,) = (await recorded(SAFETY)).commands
    context = CommandContext("staging", Path("/work"), FrameworkHandles())
    assert await command.run(context) is None


async def decision(gate: str, event: HookEvent, payload: object) -> GateDecision | None:
    found = await recorded(f'id = "a"\n[[gate]]\n{gate}\nreason = "because"')
    return (await EventDispatcher(found.subscriptions).dispatch(event, payload)).gate


@requirement("addons.manifest.gate-matching-tool")
@pytest.mark.parametrize(
    ("tool", "stops"), [("bash", True), ("read", False), ("bash2", False), ("server__bash", False)]
)
async def test_a_gate_on_a_tool_stops_that_tool_only(tool, stops) -> None:
    gate = 'event = "tool:before"\nmatch-tool = "bash"'
    found = await decision(gate, HookEvent.TOOL_BEFORE, ToolPayload(tool, {}))
    assert found == (GateDecision(stop=True, reason="because") if stops else None)


async def test_a_gate_may_use_the_name_that_other_agents_have_for_a_tool() -> None:
    gate = 'event = "tool:before"\nmatch-tool = "Bash"'
    assert await decision(gate, HookEvent.TOOL_BEFORE, ToolPayload("bash", {})) is not None


@requirement("addons.manifest.gate-unconditional")
@pytest.mark.parametrize(
    ("event", "payload"),
    [
        (HookEvent.TOOL_BEFORE, ToolPayload("anything", {})),
        (HookEvent.INPUT_SUBMIT, InputPayload("hi")),
        (HookEvent.TURN_START, LifecyclePayload()),
    ],
)
async def test_a_gate_without_a_tool_stops_every_time(event, payload) -> None:
    for _ in range(2):
        found = await decision(f'event = "{event}"', event, payload)
        assert found == GateDecision(stop=True, reason="because")


@requirement("addons.manifest.gate-tool-scoped-elsewhere")
async def test_a_gate_on_a_tool_never_stops_what_is_no_tool() -> None:
    gate = 'event = "input:submit"\nmatch-tool = "bash"'
    assert await decision(gate, HookEvent.INPUT_SUBMIT, InputPayload("bash")) is None


@requirement("addons.tier0.extended-manifest")
def test_a_manifest_may_ask_for_capabilities_and_declare_tools_hooks_and_tasks() -> None:
    made = AddonDescriptor.parse("""
        id = "full"
        [[capability]]
        name = "scoped-fs(read, execute)"
        reason = "count lines"
        [[capability]]
        name = "emit-alert"
        reason = "say when it is done"
        required = false
        [[tool]]
        name = "count_lines"
        description = "Count the lines of a file."
        command = ["wc", "-l", "--", "{path}"]
        seconds = 5
        [tool.parameters.properties.path]
        type = "string"
        [[hook]]
        event = "turn:end"
        command = ["./done.sh"]
        [[hook]]
        event = "tool:before"
        kind = "gate"
        match-tool = "bash"
        seconds = 2.5
        command = ["./judge.sh", "--strict"]
        [[task]]
        id = "notifier"
        description = "Tell the team."
        command = ["./notify.sh"]
        restarts = 3
    """)
    fs, alert = made.requests
    assert (fs.capability, fs.reason, fs.is_required) == (
        ScopedFs(read=True, execute=True), "count lines", True,
    )  # fmt: skip
    assert (alert.capability, alert.is_required) == (EmitAlert(), False)
    (tool,) = made.tools
    assert tool.command == ("wc", "-l", "--", "{path}")
    assert tool.parameters == {"type": "object", "properties": {"path": {"type": "string"}}}
    assert tool.seconds == 5
    watch, judge = made.hooks
    assert (watch.event, watch.kind, watch.match_tool) == (
        HookEvent.TURN_END,
        HookKind.OBSERVE,
        None,
    )
    assert (judge.kind, judge.match_tool, judge.seconds) == (HookKind.GATE, "bash", 2.5)
    (task,) = made.tasks
    assert (task.id, task.command, task.restarts) == ("notifier", ("./notify.sh",), 3)
    assert made.into_manifest().requests == made.requests
