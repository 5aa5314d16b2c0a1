"""What a manifest declares as programs: a tool, a hook or a task as a list of words to run.

A declaration is data. Arguments of the model become words of their own, whatever they hold: no
shell ever reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os.path import normpath
from typing import Any, cast

from msgspec import Struct

from induscode.addons.contract import HookEvent, HookKind
from induscode.addons.tables import Table
from induscode.feature.limits import (
    COMMAND_NAME_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    HOOK_SECONDS,
    RESTARTS_MOST,
    SCHEMA_BYTES,
    TEXT_CHARACTERS,
)
from induscode.kernel.jsontext import JsonProblem, canonical

__all__ = [
    "TOOL_SECONDS",
    "TOOL_SECONDS_MOST",
    "HookDescriptor",
    "TaskDescriptor",
    "ToolDescriptor",
    "matched_tool",
]

TOOL_SECONDS = 120.0
TOOL_SECONDS_MOST = 600.0
_TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_TASK_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_PART = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_-]*)\}|([{}])")
_PROGRAM = 'a list of words, the program first: ["./scripts/count.sh", "{path}"]'


class ToolDescriptor(Struct, frozen=True):
    """A tool for the model: `command` with `{property}` where an argument goes."""

    name: str
    description: str
    command: tuple[str, ...]
    parameters: dict[str, Any]
    seconds: float = TOOL_SECONDS

    @classmethod
    def read(cls, table: Table) -> ToolDescriptor:
        name = table.text("name", hint="the name that the model calls")
        if not _TOOL_NAME.fullmatch(name):
            raise table.wrong(
                "name", repr(name[:80]), "a letter and then up to 63 letters, digits, '_' and '-'"
            )
        hint = "say to the model what the tool does"
        description = table.text("description", hint=hint, most=DESCRIPTION_CHARACTERS)
        parameters = _schema(table)
        command = _command(table, frozenset(parameters["properties"]))
        seconds = table.number("seconds", default=TOOL_SECONDS, least=0.1, most=TOOL_SECONDS_MOST)
        table.finish()
        return cls(name, description, command, parameters, seconds)

    def argv(self, arguments: Mapping[str, Any]) -> list[str]:
        """The words to run. A word that names an absent argument is left out; one that is nothing
        but the name of a list becomes one word per member. Raises ValueError for a text that no
        program can be given."""
        made: list[str] = []
        for word in self.command:
            made += _words(word, arguments)
        if any("\0" in word for word in made):
            raise ValueError("an argument holds a NUL character")
        return made


class HookDescriptor(Struct, frozen=True):
    """A program that hears an event: its payload comes as JSON on standard input."""

    event: HookEvent
    command: tuple[str, ...]
    kind: HookKind = HookKind.OBSERVE
    match_tool: str | None = None
    seconds: float = HOOK_SECONDS

    @classmethod
    def read(cls, table: Table) -> HookDescriptor:
        event = table.choice("event", HookEvent)
        kind = table.choice("kind", HookKind, default=HookKind.OBSERVE)
        tool = matched_tool(table)
        seconds = table.number("seconds", default=HOOK_SECONDS, least=0.1, most=HOOK_SECONDS)
        made = cls(event, _fixed_command(table), kind, tool, seconds)
        table.finish()
        return made


class TaskDescriptor(Struct, frozen=True):
    """A program that runs beside the session, and is started again `restarts` times at most."""

    id: str
    command: tuple[str, ...]
    description: str = ""
    restarts: int = 0

    @classmethod
    def read(cls, table: Table) -> TaskDescriptor:
        name = table.text("id", hint="a short name for the task")
        if not _TASK_ID.fullmatch(name):
            raise table.wrong("id", repr(name[:80]), "up to 64 of a-z, 0-9, '.', '_' and '-'")
        hint = "a sentence for people"
        description = table.maybe_text("description", hint=hint, most=TEXT_CHARACTERS) or ""
        restarts = table.number("restarts", default=0, least=0, most=RESTARTS_MOST)
        if restarts != int(restarts):
            raise table.wrong("restarts", f"{restarts}", "a whole number")
        made = cls(name, _fixed_command(table), description, int(restarts))
        table.finish()
        return made


def matched_tool(table: Table) -> str | None:
    """The one tool that something is about, None for no such one."""
    tool = table.maybe_text("match-tool", hint="the name of a tool")
    if tool is not None and not tool.strip():
        raise table.wrong("match-tool", "is empty", "leave it out to mean every one")
    if tool is not None and (len(tool.split()) > 1 or len(tool) > COMMAND_NAME_CHARACTERS):
        raise table.wrong("match-tool", f"{tool[:80]!r} is no name of a tool")
    return tool


def _schema(table: Table) -> dict[str, Any]:
    """An object's schema whose properties are known, small enough to be shown to a model."""
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema.update(table.table("parameters") or {})
    properties: object = schema["properties"]
    if schema["type"] != "object" or not isinstance(properties, dict):
        raise table.wrong(
            "parameters", "is no JSON schema of an object", 'type = "object", and properties'
        )
    known = cast("dict[str, object]", properties)
    required: object = schema.get("required", [])
    named = cast("list[object]", required) if isinstance(required, list) else [None]
    if any(one not in known for one in named):
        raise table.wrong("parameters.required", "names no property", "a list of properties")
    try:
        size = len(canonical(schema))
    except (JsonProblem, TypeError, ValueError) as error:
        raise table.wrong("parameters", f"is not JSON: {error}") from None
    if size > SCHEMA_BYTES:
        raise table.wrong("parameters", f"has over {SCHEMA_BYTES} bytes")
    return schema


def _command(table: Table, properties: frozenset[str]) -> tuple[str, ...]:
    command = table.texts("command", hint=_PROGRAM)
    if not command[0].strip() or _PART.search(command[0]):
        raise table.wrong("command[0]", f"{command[0]!r} is no program", _PROGRAM)
    if "/" in command[0] and normpath(command[0]).startswith(".."):
        raise table.wrong("command[0]", f"{command[0]!r} is not in the package", _PROGRAM)
    for index, word in enumerate(command):
        for part in _PART.finditer(word):
            if part[2] is not None:
                raise table.wrong(
                    f"command[{index}]", f"a lone {part[2]!r} in {word!r}", "write '{{' or '}}'"
                )
            if part[1] is not None and part[1] not in properties:
                known = ", ".join(sorted(properties)) or "none"
                raise table.wrong(
                    f"command[{index}]", f"{part[0]} is no parameter", f"there are: {known}"
                )
        if "\0" in word:
            raise table.wrong(f"command[{index}]", "holds a NUL character")
    return command


def _fixed_command(table: Table) -> tuple[str, ...]:
    """One without arguments, in which '{{' is a '{' as well."""
    return tuple(made for word in _command(table, frozenset()) for made in _words(word, {}))


def _words(word: str, arguments: Mapping[str, Any]) -> list[str]:
    names = [part[1] for part in _PART.finditer(word) if part[1] is not None]
    if any(arguments.get(name) is None for name in names):
        return []
    if names and word == f"{{{names[0]}}}" and isinstance(arguments[names[0]], list):
        return [_text(member) for member in cast("list[object]", arguments[names[0]])]

    def put(part: re.Match[str]) -> str:
        return _text(arguments[part[1]]) if part[1] is not None else part[0][0]

    return [_PART.sub(put, word)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical(value).decode()
