"""What a component says that it contributes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from induscode.addons.contract import HookEvent, HookKind
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import CONTRIBUTIONS_MOST
from induscode.feature.capability import CapabilityRequest, parse_capability
from induscode.feature.limits import (
    COMMAND_NAME_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    SCHEMA_BYTES,
    TEXT_CHARACTERS,
)
from induscode.kernel.jsontext import JsonProblem, canonical, parse_object

__all__ = [
    "OfferedCommand",
    "OfferedEvent",
    "OfferedInterceptor",
    "OfferedTool",
    "Registration",
    "WantedCapability",
    "parsed",
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


class WantedCapability(Struct, frozen=True, forbid_unknown_fields=True):
    """`name` as people write it, e.g. `scoped-fs(execute)`."""

    name: str
    reason: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARACTERS)]
    required: bool = True

    def request(self) -> CapabilityRequest:
        """Raises ValueError for what is no capability."""
        return CapabilityRequest(parse_capability(self.name), self.reason, self.required)


_Most = Meta(max_length=CONTRIBUTIONS_MOST)


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """Events and interceptors are known by their place in the list."""

    id: _Name | None = None
    version: _Name | None = None
    events: Annotated[tuple[OfferedEvent, ...], _Most] = ()
    interceptors: Annotated[tuple[OfferedInterceptor, ...], _Most] = ()
    commands: Annotated[tuple[OfferedCommand, ...], _Most] = ()
    tools: Annotated[tuple[OfferedTool, ...], _Most] = ()
    capabilities: Annotated[tuple[WantedCapability, ...], _Most] = ()

    def requests(self) -> tuple[CapabilityRequest, ...]:
        return tuple(wanted.request() for wanted in self.capabilities)


def parsed(text: str) -> Registration:
    """Raises `WasmFault`, naming the field."""
    try:
        found = msgspec.convert(parse_object(text)[1], Registration)
        _check(found)
        found.requests()
    except ValueError as error:  # of JSON, of its shape, or of a capability
        raise WasmFault(
            WasmFaultKind.BAD_ANSWER,
            f"register: {error}",
            hint="the world indus:addon@1.0.0 has its shape",
        ) from None
    return found


def _check(found: Registration) -> None:
    _once("commands", (command.name for command in found.commands))
    _once("tools", (tool.name for tool in found.tools))
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
