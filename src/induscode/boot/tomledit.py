"""Changing one value of a TOML file and nothing else: comments and order stay as they are."""

from __future__ import annotations

import operator
import re
import tomllib
from functools import reduce
from typing import Any

import msgspec

from induscode.errors import ConfigError

__all__ = ["set_value"]

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def set_value(text: str, key: str, value: str, file: str) -> str:
    """`text` with `key` (dotted) set to `value`: TOML if it reads as such, else a plain string.

    Raises `ConfigError` when the file cannot be changed by changing one line.
    """
    names = key.split(".")
    if not all(_BARE.match(name) for name in names):
        raise ConfigError(
            file, field=key, found="is not a dotted key", hint="e.g. providers.x.wire"
        )
    wanted = _parsed(value)
    line = f"{names[-1]} = {_toml(wanted)}"
    changed = _placed(text, names, line)
    if _lookup(changed, names) != wanted or _others(changed, names) != _others(text, names):
        raise ConfigError(
            file, field=key, found="is written over several lines", hint="edit the file by hand"
        )
    return changed


def _placed(text: str, names: list[str], line: str) -> str:
    # Not splitlines: a string may hold what Python, but not TOML, takes for the end of a line.
    lines = text.removesuffix("\n").split("\n") if text else []
    table = ".".join(names[:-1])
    start, end = _table_range(lines, table)
    if start is None:
        gap = [""] if lines and lines[-1].strip() else []
        return "\n".join([*lines, *gap, f"[{table}]", line]) + "\n"
    assignment = re.compile(rf"\s*{re.escape(names[-1])}\s*=")
    for index in range(start, end):
        if assignment.match(lines[index]):
            lines[index] = line + _comment(lines[index])
            return "\n".join(lines) + "\n"
    place = end
    while place > start and not lines[place - 1].strip():
        place -= 1
    return "\n".join([*lines[:place], line, *lines[place:]]) + "\n"


def _comment(line: str) -> str:
    """The comment at the end of an assignment, with the space before it."""
    for found in re.finditer(r"\s*#", line):
        if "unreadable" not in _load(line[: found.start()]):
            return line[found.start() :]
    return ""


def _table_range(lines: list[str], table: str) -> tuple[int | None, int]:
    """Where the lines of `table` begin and end; the top of the file is the table with no name."""
    start: int | None = 0 if not table else None
    for index, line in enumerate(lines):
        head = re.match(r"\s*\[+([^\]]+)\]+", line)
        if head is None:
            continue
        if start is not None:
            return start, index
        if head.group(1).strip() == table:
            start = index + 1
    return start, len(lines)


def _parsed(value: str) -> Any:
    try:
        return tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        return value


def _toml(value: object) -> str:
    # Strings, numbers, booleans and lists of them are spelled alike in JSON and TOML.
    return msgspec.json.encode(value).decode()


def _lookup(text: str, names: list[str]) -> Any:
    try:
        return reduce(operator.getitem, names, _load(text))
    except (KeyError, TypeError):
        return None


def _others(text: str, names: list[str]) -> Any:
    """All values but the one at `names`; tables left empty by that do not count."""
    found: dict[str, Any] = _load(text)
    chain = [found]
    for name in names[:-1]:
        chain.append(chain[-1].setdefault(name, {}))
    chain[-1].pop(names[-1], None)
    for parent, name in reversed(list(zip(chain, names[:-1], strict=False))):
        if not parent[name]:
            del parent[name]
    return found


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {"unreadable": text}
