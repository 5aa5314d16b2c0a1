"""A file with servers: `mcpServers` as an object, `servers` as an object or a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

from induscode.capability_deck.mcp_config.limits import (
    FILE_BYTES,
    PROBLEMS_MOST,
    SERVERS_MOST,
)
from induscode.capability_deck.mcp_config.rows import RowReader, guess, kind, label, shown
from induscode.capability_deck.mcp_config.servers import (
    ConfigProblem,
    Disabled,
    ServerConfig,
    Source,
)
from induscode.capability_deck.mcp_config.variables import Variables
from induscode.kernel.jsontext import JsonProblem, parse_object

__all__ = ["FileReading", "parse_config_file"]

_ROOTS = ("servers", "mcpServers")
_SILENT = ("$schema",)
_BOM = b"\xef\xbb\xbf"


class FileReading(Struct, frozen=True):
    """What a file says, in its order."""

    servers: tuple[ServerConfig | Disabled, ...] = ()
    problems: tuple[ConfigProblem, ...] = ()


def parse_config_file(
    data: bytes, file: str, environ: Mapping[str, str], *, withheld: Collection[str] = ()
) -> FileReading:
    """Never raises. `file` is how problems name it. `environ` is where variables come from, but
    for those that are `withheld`."""
    reading = _Reading(file, environ, withheld)
    reading.read(data)
    return reading.result()


class _Reading:
    def __init__(self, file: str, environ: Mapping[str, str], withheld: Collection[str]) -> None:
        self._file = file
        self._environ = environ
        self._withheld = withheld
        self._found: dict[str, ServerConfig | Disabled] = {}
        self._problems: list[ConfigProblem] = []

    def result(self) -> FileReading:
        told = self._problems[:PROBLEMS_MOST]
        if more := len(self._problems) - len(told):
            told.append(ConfigProblem(self._file, "", f"{more} more problems"))
        return FileReading(tuple(self._found.values()), tuple(told))

    def read(self, data: bytes) -> None:
        if len(data) > FILE_BYTES:
            self._problem("", f"has over {FILE_BYTES} bytes; skipped")
            return
        try:
            whole = parse_object(data.removeprefix(_BOM))[1]
        except JsonProblem as problem:
            self._problem("", f"{problem}; skipped")
            return
        if not any(root in whole for root in _ROOTS):
            self._problem("", "names no servers", 'write {"mcpServers": {"NAME": {...}}}')
        for key in whole:
            if key not in _ROOTS and key not in _SILENT:
                self._problem(label(key), "is not known and not used", guess(key, _ROOTS))
        for place, (row, name, said) in enumerate(self._rows(whole)):
            if place == SERVERS_MOST:
                self._problem(row, f"and what follows is skipped: over {SERVERS_MOST} servers")
                return
            self._row(row, name, said)

    def _rows(self, whole: Mapping[str, Any]) -> Iterator[tuple[str, object, object]]:
        """Each row: how it is called in a problem, the server's name, and what is said of it."""
        for root in _ROOTS:
            found = cast("object", whole.get(root))
            match found:
                case None:
                    continue
                case dict():
                    for name, said in cast("dict[str, object]", found).items():
                        yield f"{root}.{label(name)}", name, said
                case list():
                    for place, said in enumerate(cast("list[object]", found)):
                        row = cast("dict[str, object]", said) if isinstance(said, dict) else {}
                        yield f"{root}[{place}]", row.get("name"), said
                case _:
                    hint = "an object of servers by name, or a list of them"
                    self._problem(root, f"expected servers, found {kind(found)}; skipped", hint)

    def _row(self, row: str, name: object, said: object) -> None:
        if not isinstance(said, dict):
            self._problem(row, f"expected an object, found {kind(said)}; skipped")
            return
        if not isinstance(name, str):
            self._problem(f"{row}.name", "is missing; skipped", "give the server a name")
            return
        if name in self._found:
            self._problem(row, f"there is a server {shown(name)} already; skipped")
            return
        variables = Variables(self._environ, self._withheld)
        source = Source(self._file, row)
        fields = cast("dict[str, Any]", said)
        found = RowReader(source, fields, variables, self._problems.append).read(name)
        if found is not None:
            self._found[name] = found

    def _problem(self, row: str, found: str, hint: str = "") -> None:
        self._problems.append(ConfigProblem(self._file, row, found, hint))
