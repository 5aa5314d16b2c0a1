"""What a program or component says that it contributes, in the words that all tiers share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, Struct

from induscode.addons.contract import HookEvent, HookKind
from induscode.addons.discovery import usable_id
from induscode.feature.capability import CapabilityRequest, parse_capability
from induscode.feature.limits import (
    COMMAND_NAME_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    RESTARTS_MOST,
    SCHEMA_BYTES,
    TEXT_CHARACTERS,
)
from induscode.kernel.jsontext import JsonProblem, canonical

__all__ = [
    "CONTRIBUTIONS_MOST",
    "Most",
    "Name",
    "OfferedCommand",
    "OfferedEvent",
    "OfferedInterceptor",
    "OfferedTask",
    "OfferedTool",
    "Offers",
    "Sentence",
    "Version",
    "WantedCapability",
    "each_once",
]

CONTRIBUTIONS_MOST = 200
"""Of one kind, from one addon."""

_TASK = r"^[a-z0-9][a-z0-9._-]{0,63}$"
_TOOL = r"^[A-Za-z][A-Za-z0-9_-]{0,63}$"
Name = Annotated[str, Meta(min_length=1, max_length=COMMAND_NAME_CHARACTERS, pattern=r"^\S+$")]
Sentence = Annotated[str, Meta(max_length=TEXT_CHARACTERS)]
Version = Annotated[str, Meta(max_length=COMMAND_NAME_CHARACTERS)]
Most = Meta(max_length=CONTRIBUTIONS_MOST)


class OfferedEvent(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """With a `tool` it is heard for calls of that tool only. `program` says that a program of the
    package is run for it each time, which needs a grant of its own."""

    event: HookEvent
    kind: HookKind
    tool: Name | None = None
    program: bool = False


class OfferedInterceptor(Struct, frozen=True, forbid_unknown_fields=True):
    """Without a `tool` it is about every tool."""

    tool: Name | None = None
    enter: bool = False
    exit: bool = False


class OfferedCommand(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`exec` is the one line for the shell that a manifest fixes; programs have none."""

    name: Name
    summary: Sentence = ""
    exec: str = ""


class OfferedTool(Struct, frozen=True, forbid_unknown_fields=True):
    """`parameters` is a JSON schema of type object."""

    name: Annotated[str, Meta(pattern=_TOOL)]
    description: Annotated[str, Meta(min_length=1, max_length=DESCRIPTION_CHARACTERS)]
    parameters: dict[str, Any]


class OfferedTask(Struct, frozen=True, forbid_unknown_fields=True):
    """What runs beside the session; started again `restarts` times at most after it failed."""

    name: Annotated[str, Meta(pattern=_TASK)]
    description: Sentence = ""
    restarts: Annotated[int, Meta(ge=0, le=RESTARTS_MOST)] = 0


class WantedCapability(Struct, frozen=True, forbid_unknown_fields=True):
    """`name` as people write it, e.g. `scoped-fs(execute)`."""

    name: str
    reason: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARACTERS)]
    required: bool = True

    def request(self) -> CapabilityRequest:
        """Raises ValueError for what is no capability."""
        return CapabilityRequest(parse_capability(self.name), self.reason, self.required)


class Offers(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All that an addon says about itself, in every tier. Lists are in the order in which it said
    them: a handler is known by its place. `capabilities` are what the person is asked to grant."""

    id: Name | None = None
    version: Version = ""
    description: Sentence = ""
    events: Annotated[tuple[OfferedEvent, ...], Most] = ()
    interceptors: Annotated[tuple[OfferedInterceptor, ...], Most] = ()
    commands: Annotated[tuple[OfferedCommand, ...], Most] = ()
    tools: Annotated[tuple[OfferedTool, ...], Most] = ()
    tasks: Annotated[tuple[OfferedTask, ...], Most] = ()
    capabilities: Annotated[tuple[WantedCapability, ...], Most] = ()

    def requests(self) -> tuple[CapabilityRequest, ...]:
        """Raises ValueError for what is no capability."""
        return tuple(wanted.request() for wanted in self.capabilities)

    def check(self) -> None:
        """Raises ValueError for what the shape alone does not tell."""
        if self.id is not None and not usable_id(self.id):
            raise JsonProblem(f"{self.id!r} is no id of an addon")
        self.requests()
        each_once("tasks", (task.name for task in self.tasks))
        each_once("commands", (command.name for command in self.commands))
        each_once("tools", (tool.name for tool in self.tools))
        for tool in self.tools:
            if tool.parameters.get("type") != "object":
                raise JsonProblem(f"the parameters of {tool.name} are no schema of type object")
            if len(canonical(tool.parameters)) > SCHEMA_BYTES:
                raise JsonProblem(f"the parameters of {tool.name} have over {SCHEMA_BYTES} bytes")

    def check_spoken(self) -> None:
        """The same for what a program or component says of itself, which cannot say everything that
        a manifest can. Raises ValueError."""
        self.check()
        for command in self.commands:
            if command.exec:
                raise JsonProblem(f"the command {command.name} has an exec: only a manifest's has")
        if any(event.program for event in self.events):
            raise JsonProblem("an event has a program: only a manifest's has")

    def same(self, other: Offers) -> bool:
        """Whether both say the same, to the letter."""
        return canonical(self) == canonical(other)


def each_once(what: str, names: Iterable[str]) -> None:
    """Raises `JsonProblem` for a name that is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise JsonProblem(f"{what}: {name} is there twice")
        seen.add(name)
