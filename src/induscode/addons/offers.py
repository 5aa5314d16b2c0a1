"""What a program or component says that it contributes, in the words that all tiers share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, Struct

from induscode.addons.contract import HookEvent, HookKind
from induscode.feature.limits import (
    COMMAND_NAME_CHARACTERS,
    DESCRIPTION_CHARACTERS,
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
    "OfferedTool",
    "Offers",
    "Sentence",
    "each_once",
]

CONTRIBUTIONS_MOST = 200
"""Of one kind, from one addon."""

_TOOL = r"^[A-Za-z][A-Za-z0-9_-]{0,63}$"
Name = Annotated[str, Meta(min_length=1, max_length=COMMAND_NAME_CHARACTERS, pattern=r"^\S+$")]
Sentence = Annotated[str, Meta(max_length=TEXT_CHARACTERS)]
Most = Meta(max_length=CONTRIBUTIONS_MOST)


class OfferedEvent(Struct, frozen=True, forbid_unknown_fields=True):
    event: HookEvent
    kind: HookKind


class OfferedInterceptor(Struct, frozen=True, forbid_unknown_fields=True):
    """Without a `tool` it is about every tool."""

    tool: Name | None = None
    enter: bool = False
    exit: bool = False


class OfferedCommand(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    summary: Sentence = ""


class OfferedTool(Struct, frozen=True, forbid_unknown_fields=True):
    """`parameters` is a JSON schema of type object."""

    name: Annotated[str, Meta(pattern=_TOOL)]
    description: Annotated[str, Meta(min_length=1, max_length=DESCRIPTION_CHARACTERS)]
    parameters: dict[str, Any]


class Offers(Struct, frozen=True, forbid_unknown_fields=True):
    """In the order in which the addon said it: a handler is known by its place in the list."""

    events: Annotated[tuple[OfferedEvent, ...], Most] = ()
    interceptors: Annotated[tuple[OfferedInterceptor, ...], Most] = ()
    commands: Annotated[tuple[OfferedCommand, ...], Most] = ()
    tools: Annotated[tuple[OfferedTool, ...], Most] = ()

    def check(self) -> None:
        """Raises `JsonProblem` for what the shape alone does not tell."""
        each_once("commands", (command.name for command in self.commands))
        each_once("tools", (tool.name for tool in self.tools))
        for tool in self.tools:
            if tool.parameters.get("type") != "object":
                raise JsonProblem(f"the parameters of {tool.name} are no schema of type object")
            if len(canonical(tool.parameters)) > SCHEMA_BYTES:
                raise JsonProblem(f"the parameters of {tool.name} have over {SCHEMA_BYTES} bytes")


def each_once(what: str, names: Iterable[str]) -> None:
    """Raises `JsonProblem` for a name that is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise JsonProblem(f"{what}: {name} is there twice")
        seen.add(name)
