"""Agents written for other programs: `.claude/agents/*.md`, front matter and a prompt.

What narrows is used: tools, denied tools, permission mode, turns. What cannot be kept is never
widened: a tool that is limited to a pattern is left out, with a word about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from msgspec import Struct

from induscode.capability_deck.agents.files import PROFILE_BYTES, usable_name
from induscode.capability_deck.agents.profile import SubagentProfile
from induscode.errors import ConfigError
from induscode.kernel.yamltext import load_yaml
from induscode.policy.modes import Mode

__all__ = ["ForeignAgent", "KnownModel", "read_foreign"]

KnownModel = Callable[[str], str | None]
"""PROVIDER/MODEL for a name as other programs write it; None when it cannot be used here."""

_FRONT = re.compile(
    r"\A---[ \t]*\r?\n(?P<head>.*?)^---[ \t]*\r?$\n?(?P<body>.*)", re.MULTILINE | re.DOTALL
)
_LINE = re.compile(r"(?P<key>[A-Za-z][A-Za-z_-]*):[ \t]*(?P<value>.*)")
_TOOL = re.compile(r"(?P<name>[^()\s]+)\s*(?P<pattern>\(.*\))?", re.DOTALL)
_MODES = {
    "default": Mode.ASK,
    "plan": Mode.PLAN,
    "acceptEdits": Mode.ACCEPT_EDITS,
    "dontAsk": Mode.ASK,
    "bypassPermissions": None,
    "auto": None,
}
_UNUSED = ("mcpServers", "background", "isolation", "hooks", "skills", "memory")
"""Fields of other programs that mean something and are not kept here."""


class ForeignAgent(Struct, frozen=True):
    """A profile, and sentences about what of its file is not used."""

    profile: SubagentProfile
    faults: tuple[str, ...] = ()


def read_foreign(data: bytes, file: str, stem: str, known_model: KnownModel) -> ForeignAgent:
    """Raises `ConfigError`."""
    if len(data) > PROFILE_BYTES:
        raise _unusable(file, "file", f"it is larger than {PROFILE_BYTES} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise _unusable(file, "file", "it is not UTF-8 text") from None
    parts = _FRONT.match(text)
    if parts is None:
        raise _unusable(file, "front matter", "it does not begin with one between two lines ---")
    return _Reading(file, _fields(parts["head"], file), known_model).of(stem, parts["body"])


def _fields(head: str, file: str) -> Mapping[str, Any]:
    """As YAML; where it is none, as the lines `key: value` that other programs take for it."""
    try:
        found = load_yaml(head)
    except ValueError as error:
        lines = [line for line in map(_LINE.fullmatch, head.splitlines()) if line]
        if not lines:
            raise _unusable(file, "front matter", str(error)) from None
        return {line["key"]: line["value"] for line in lines}
    if not isinstance(found, dict):
        raise _unusable(file, "front matter", "it is not a list of fields")
    return cast("dict[str, Any]", found)


class _Reading:
    def __init__(self, file: str, fields: Mapping[str, Any], known_model: KnownModel) -> None:
        self._file = file
        self._fields = fields
        self._known_model = known_model
        self._faults: list[str] = []

    def of(self, stem: str, body: str) -> ForeignAgent:
        fields = self._fields
        tools = self._tools("tools")
        profile = SubagentProfile(
            name=usable_name(self._text("name") or stem, self._file),
            model=self._model(),
            tool_collection=tools,
            prompt=body.strip() or None,
            description=" ".join(self._text("description").split()),
            mode=self._mode(),
            max_steps=self._turns(),
            without=self._tools("disallowedTools") or (),
            source=self._file,
        )
        for key in _UNUSED:
            if key in fields:
                self._note(key, "not used here; the agent works without it")
        return ForeignAgent(profile, tuple(self._faults))

    def _text(self, key: str) -> str:
        value = self._fields.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise _unusable(self._file, key, "it must be a text")
        return value.strip()

    def _tools(self, key: str) -> tuple[str, ...] | None:
        """None when nothing is said: the agent has what its parent has."""
        value = self._fields.get(key)
        if value is None:
            return None
        words: object = _split(value) if isinstance(value, str) else value
        if not isinstance(words, list):
            raise _unusable(self._file, key, "it must be a list of tools")
        names: list[str] = []
        for word in cast("list[object]", words):
            found = _TOOL.fullmatch(word.strip()) if isinstance(word, str) else None
            if found is None:
                raise _unusable(self._file, key, "it must be a list of tools")
            if key == "tools" and found["pattern"]:
                self._note(key, f"{found[0]!r} is limited to a pattern: the tool is left out")
            elif found["name"] != "*":
                names.append(found["name"])
            elif key == "tools":
                return None
        return tuple(names)

    def _model(self) -> str | None:
        wanted = self._text("model")
        if not wanted or wanted == "inherit":
            return None
        found = self._known_model(wanted)
        if found is None:
            self._note("model", f"{wanted!r} cannot be used here: it works with its parent's")
        return found

    def _mode(self) -> Mode | None:
        wanted = self._text("permissionMode")
        if wanted and wanted not in _MODES:
            known = ", ".join(_MODES)
            raise _unusable(self._file, "permissionMode", f"{wanted!r} is none of {known}")
        return _MODES.get(wanted)

    def _turns(self) -> int | None:
        wanted = self._fields.get("maxTurns")
        if isinstance(wanted, str) and wanted.isdecimal():
            wanted = int(wanted)
        if wanted is not None and (not isinstance(wanted, int) or wanted < 1):
            raise _unusable(self._file, "maxTurns", "it must be a number of at least 1")
        return wanted

    def _note(self, key: str, why: str) -> None:
        self._faults.append(f"{self._file}: {key}: {why}")


def _split(text: str) -> list[str]:
    """At commas that stand in no parentheses."""
    words, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            words.append("")
        else:
            words[-1] += letter
    return [word.strip() for word in words if word.strip()]


def _unusable(file: str, field: str, found: str) -> ConfigError:
    return ConfigError(file, field=field, found=found, hint="mend it, or write a .toml profile")
