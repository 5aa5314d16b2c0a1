"""Tier 0: an addon that is data. A `manifest.toml` is parsed, checked and recorded; nothing of the
addon runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.addons.contract import (
    AddonApi,
    AddonId,
    AddonManifest,
    CommandContext,
    CommandFn,
    Gate,
    GateDecision,
    HookEvent,
    HookKind,
    LoaderError,
    LoaderErrorKind,
    Payload,
    ToolPayload,
)
from induscode.addons.discovery import (
    MANIFEST_BYTES,
    MANIFEST_FILENAME,
    Tier,
    package_entry,
    read_bounded,
    tier_of,
    usable_id,
)
from induscode.addons.offers import (
    OfferedCommand,
    OfferedEvent,
    OfferedTask,
    OfferedTool,
    Offers,
    WantedCapability,
)
from induscode.addons.paths import resolve_path
from induscode.addons.programs import (
    HookDescriptor,
    TaskDescriptor,
    ToolDescriptor,
    matched_tool,
)
from induscode.addons.tables import ManifestError, ManifestErrorKind, Table, read_toml
from induscode.feature.capability import CapabilityRequest, parse_capability
from induscode.feature.limits import COMMAND_NAME_CHARACTERS, TEXT_CHARACTERS
from induscode.policy.aliases import means, tool_name

__all__ = [
    "MANIFEST_BYTES",
    "MANIFEST_FILENAME",
    "AddonDescriptor",
    "CommandDescriptor",
    "DeclarativeLoader",
    "GateDescriptor",
    "HookDescriptor",
    "ManifestError",
    "ManifestErrorKind",
    "TaskDescriptor",
    "ToolDescriptor",
    "usable_command",
    "usable_id",
]

_VERSION = COMMAND_NAME_CHARACTERS
_ID_HINT = "up to 64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"


def usable_command(name: str) -> bool:
    """Whether `/name` at a prompt can mean this command."""
    if not 0 < len(name) <= COMMAND_NAME_CHARACTERS or "/" in name:
        return False
    return name.isprintable() and not any(letter.isspace() for letter in name)


class CommandDescriptor(Struct, frozen=True):
    """`exec` is a line for the shell, run as a person's own command would be."""

    name: str
    summary: str = ""
    exec: str | None = None

    @classmethod
    def read(cls, table: Table) -> CommandDescriptor:
        name = table.text("name", hint="what is typed after the slash")
        if not usable_command(name):
            raise table.wrong(
                "name", repr(name[:80]), "visible characters, and neither white space nor a slash"
            )
        hint = "one line for the list of commands"
        summary = table.maybe_text("summary", hint=hint, most=TEXT_CHARACTERS) or ""
        line = table.maybe_text("exec", hint="a line for the shell")
        if line is not None and not line.strip():
            raise table.wrong("exec", "is empty", "leave it out for a command that does nothing")
        table.finish()
        return cls(name, summary, line)

    def runner(self) -> CommandFn:
        """Runs the line with what was typed after the name appended as it is. Without a line, or
        without a handle to run it, nothing happens."""

        async def run(context: CommandContext) -> str | None:
            if self.exec is None or context.handles.exec is None:
                return None
            line = f"{self.exec} {context.args}" if context.args else self.exec
            outcome = await context.handles.exec(line)
            ended = "" if outcome.code == 0 else f"[exit code {outcome.code}]"
            if outcome.code is None:
                ended = "[it was ended]"
            parts = (outcome.stdout.rstrip("\n"), outcome.stderr.rstrip("\n"), ended)
            return "\n".join(part for part in parts if part)

        return run


class GateDescriptor(Struct, frozen=True):
    """Stops the event: every time, or only for one tool, which other payloads do not name."""

    event: HookEvent
    reason: str
    match_tool: str | None = None

    @classmethod
    def read(cls, table: Table) -> GateDescriptor:
        event = table.choice("event", HookEvent)
        tool = matched_tool(table)
        made = cls(event, table.text("reason", hint="say why, the model is told"), tool)
        table.finish()
        return made

    def stops(self, payload: Payload) -> bool:
        if self.match_tool is None:
            return True
        if not isinstance(payload, ToolPayload):
            return False
        return means(tool_name(self.match_tool), tool_name(payload.name))

    def gate(self) -> Gate:
        async def decide(payload: Payload) -> GateDecision:
            if self.stops(payload):
                return GateDecision(stop=True, reason=self.reason)
            return GateDecision(stop=False)

        return Gate(decide)


class AddonDescriptor(Struct, frozen=True):
    """A manifest as it was read. Commands and gates are recorded by `into_manifest`; requests,
    tools, hooks and tasks need a grant and a runner, and are the host's to install."""

    id: str
    version: str | None = None
    commands: tuple[CommandDescriptor, ...] = ()
    gates: tuple[GateDescriptor, ...] = ()
    name: str | None = None
    description: str | None = None
    requests: tuple[CapabilityRequest, ...] = ()
    tools: tuple[ToolDescriptor, ...] = ()
    hooks: tuple[HookDescriptor, ...] = ()
    tasks: tuple[TaskDescriptor, ...] = ()

    @classmethod
    def parse(cls, text: str | bytes, file: str = MANIFEST_FILENAME) -> AddonDescriptor:
        """Raises `ManifestError`."""
        table = Table(read_toml(text, file), file)
        name = table.text("id", hint=_ID_HINT)
        if not usable_id(name):
            raise table.wrong("id", f"{name[:80]!r} is no id of an addon", _ID_HINT)
        made = cls(
            id=name,
            version=table.maybe_text("version", hint='write version = "1.0.0"', most=_VERSION),
            commands=tuple(map(CommandDescriptor.read, table.tables("command"))),
            gates=tuple(map(GateDescriptor.read, table.tables("gate"))),
            name=table.maybe_text("name", hint="a name for people", most=TEXT_CHARACTERS),
            description=table.maybe_text(
                "description", hint="a sentence for people", most=TEXT_CHARACTERS
            ),
            requests=tuple(map(_request, table.tables("capability"))),
            tools=tuple(map(ToolDescriptor.read, table.tables("tool"))),
            hooks=tuple(map(HookDescriptor.read, table.tables("hook"))),
            tasks=tuple(map(TaskDescriptor.read, table.tables("task"))),
        )
        table.finish()
        made.check(file)
        return made

    def check(self, file: str) -> None:
        """Raises `ManifestError` for what is more than an addon may offer, or is there twice."""
        try:
            msgspec.convert(msgspec.to_builtins(self.offers()), Offers).check()
        except ValueError as error:
            found, _, field = str(error).partition(" - at `$.")
            raise ManifestError(
                ManifestErrorKind.INVALID, file, field=field.rstrip("`"), found=found
            ) from None

    def offers(self) -> Offers:
        """Everything that it declares; its events are the gates and then the hooks."""
        return Offers(
            self.id,
            self.version or "",
            self.description or self.name or "",
            events=(
                *(OfferedEvent(gate.event, HookKind.GATE, gate.match_tool) for gate in self.gates),
                *(
                    OfferedEvent(hook.event, hook.kind, hook.match_tool, program=True)
                    for hook in self.hooks
                ),
            ),
            commands=tuple(
                OfferedCommand(command.name, command.summary, command.exec or "")
                for command in self.commands
            ),
            tools=tuple(
                OfferedTool(tool.name, tool.description, tool.parameters) for tool in self.tools
            ),
            tasks=tuple(
                OfferedTask(task.id, task.description, task.restarts) for task in self.tasks
            ),
            capabilities=tuple(
                WantedCapability(one.capability.text(), one.reason, one.is_required)
                for one in self.requests
            ),
        )

    def into_manifest(self) -> AddonManifest:
        """What records the commands and gates, on whatever surface and as often as it is asked."""

        async def register(api: AddonApi) -> None:
            for command in self.commands:
                api.add_command(command.name, command.summary, command.runner())
            for gate in self.gates:
                api.on(gate.event, gate.gate())

        return AddonManifest(register, AddonId(self.id), self.version, self.requests)


class DeclarativeLoader:
    """Loads a folder that holds a `manifest.toml`, or that file itself; it keeps nothing between
    two loads. `read` gets the file's content, and raises `LoaderError`."""

    def __init__(self, read: Callable[[Path], bytes] = read_bounded) -> None:
        self._read = read

    async def load(self, path: Path) -> AddonManifest:
        return self.describe(path).into_manifest()

    def describe(self, path: Path) -> AddonDescriptor:
        """What the manifest says. Raises `LoaderError`."""
        place = resolve_path(str(path))
        if place.name != MANIFEST_FILENAME:
            place = _manifest_in(place)
        try:
            return AddonDescriptor.parse(self._read(place), str(place))
        except ManifestError as error:
            raise LoaderError(
                LoaderErrorKind.INVALID,
                place,
                error.message.removeprefix(f"{place}: "),
                hint=error.hint,
            ) from error


def _manifest_in(place: Path) -> Path:
    """The manifest of a folder. Raises `LoaderError` for what another tier must load."""
    if place.is_symlink():
        raise LoaderError(
            LoaderErrorKind.UNREADABLE, place, "it is a link", hint="put the folder itself there"
        )
    if place.is_dir():
        if tier_of(place) is Tier.DECLARATIVE:
            return place / MANIFEST_FILENAME
        place = package_entry(place) or place
    tier = tier_of(place)
    if tier is None and not place.exists():
        raise LoaderError(LoaderErrorKind.UNREADABLE, place, "there is nothing at this path")
    if tier is None:
        raise LoaderError.unsupported(
            place,
            "it is no addon of any tier",
            hint=f"for {Tier.DECLARATIVE} write a folder with a {MANIFEST_FILENAME}",
        )
    raise LoaderError.unsupported(
        place,
        "it is a program, and tier 0 runs none",
        hint=f"load it with {tier}, or write a {MANIFEST_FILENAME}",
    )


def _request(table: Table) -> CapabilityRequest:
    text = table.text("name", hint="a capability, e.g. scoped-fs(read)")
    hint = "say to the person why it is needed"
    reason = table.text("reason", hint=hint, most=TEXT_CHARACTERS)
    is_required = table.flag("required", default=True)
    table.finish()
    try:
        return CapabilityRequest(parse_capability(text), reason, is_required)
    except ValueError as error:
        raise table.wrong("name", str(error)) from None
