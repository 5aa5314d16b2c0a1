"""What an addon says that it contributes, when it is asked to begin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from induscode.addons.contract import HookEvent, HookKind
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.limits import CONTRIBUTIONS_MOST, PROTOCOL
from induscode.feature.limits import (
    COMMAND_NAME_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    SCHEMA_BYTES,
    TEXT_CHARACTERS,
)
from induscode.kernel.jsontext import JsonProblem, canonical

__all__ = [
    "OfferedCommand",
    "OfferedEvent",
    "OfferedInterceptor",
    "OfferedTask",
    "OfferedTool",
    "Registration",
    "registration_of",
]

_TOOL = r"^[A-Za-z][A-Za-z0-9_-]{0,63}$"
_Name = Annotated[str, Meta(min_length=1, max_length=COMMAND_NAME_CHARACTERS, pattern=r"^\S+$")]
_Sentence = Annotated[str, Meta(max_length=TEXT_CHARACTERS)]


class OfferedEvent(Struct, frozen=True, forbid_unknown_fields=True):
    event: HookEvent
    kind: HookKind


class OfferedInterceptor(Struct, frozen=True, forbid_unknown_fields=True):
    """Without a `tool` it is about every tool."""

    tool: _Name | None = None
    enter: bool = False
    exit: bool = False


class OfferedCommand(Struct, frozen=True, forbid_unknown_fields=True):
    name: _Name
    summary: _Sentence = ""


class OfferedTool(Struct, frozen=True, forbid_unknown_fields=True):
    """`parameters` is a JSON schema of type object."""

    name: Annotated[str, Meta(pattern=_TOOL)]
    description: Annotated[str, Meta(min_length=1, max_length=DESCRIPTION_CHARACTERS)]
    parameters: dict[str, Any]


class OfferedTask(Struct, frozen=True, forbid_unknown_fields=True):
    name: _Name
    description: _Sentence = ""


_Most = Meta(max_length=CONTRIBUTIONS_MOST)


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """In the order in which the addon said it: a handler is known by its place in the list."""

    events: Annotated[tuple[OfferedEvent, ...], _Most] = ()
    interceptors: Annotated[tuple[OfferedInterceptor, ...], _Most] = ()
    commands: Annotated[tuple[OfferedCommand, ...], _Most] = ()
    tools: Annotated[tuple[OfferedTool, ...], _Most] = ()
    tasks: Annotated[tuple[OfferedTask, ...], _Most] = ()


class _Spoken(Struct, frozen=True):
    protocol: int


class _Answer(Struct, frozen=True):
    protocol: int
    name: _Sentence
    version: _Sentence = ""
    register: Registration = Registration()


def registration_of(answer: Raw) -> Registration:
    """What the answer to `initialize` registers. Raises `ProcessFault`, naming the field."""
    try:
        spoken = msgspec.json.decode(answer, type=_Spoken)
        if spoken.protocol != PROTOCOL:
            raise ProcessFault(
                ProcessFaultKind.WRONG_PROTOCOL,
                f"it speaks version {spoken.protocol} of the protocol",
                hint=f"this host speaks version {PROTOCOL}",
            )
        found = msgspec.json.decode(answer, type=_Answer).register
        _check(found)
    except (msgspec.MsgspecError, JsonProblem, RecursionError, ValueError) as error:
        raise ProcessFault(
            ProcessFaultKind.BAD_REGISTRATION,
            f"its answer to initialize: {error}",
            hint="docs/addon-protocol.md has its shape",
        ) from None
    return found


def _check(found: Registration) -> None:
    _once("commands", (command.name for command in found.commands))
    _once("tools", (tool.name for tool in found.tools))
    _once("tasks", (task.name for task in found.tasks))
    for tool in found.tools:
        if tool.parameters.get("type") != "object":
            raise JsonProblem(f"the parameters of {tool.name} are no schema of type object")
        if len(canonical(tool.parameters)) > SCHEMA_BYTES:
            raise JsonProblem(f"the parameters of {tool.name} have over {SCHEMA_BYTES} bytes")


def _once(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise JsonProblem(f"{what}: {name} is there twice")
        seen.add(name)
