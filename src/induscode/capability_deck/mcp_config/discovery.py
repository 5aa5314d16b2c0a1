"""Where servers are configured, and which file wins.

Files are read through a port: whoever calls decides what of a workspace may be read, and a file
that waits for trust is not there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from induscode.briefing.files import Refused
from induscode.capability_deck.bridge_ledger.names import escaped_server
from induscode.capability_deck.mcp_config.limits import FILE_BYTES
from induscode.capability_deck.mcp_config.reading import parse_config_file
from induscode.capability_deck.mcp_config.servers import (
    ConfigProblem,
    Disabled,
    Overridden,
    ServerConfig,
    Source,
)
from induscode.policy.aliases import tool_name

__all__ = [
    "ConfigFiles",
    "ConfigPlace",
    "LoadedServers",
    "Origin",
    "ReadFiles",
    "discover_servers",
    "load_mcp_config",
    "mcp_places",
]

_WORKSPACE = (".indus/mcp.json", ".indusvx/mcp.json", ".mcp.json")
_LEGACY = (".indusvx/agent/mcp.json", ".indusvx/agent/mcp-servers.json")


class ReadFiles(Protocol):
    def read(self, path: Path, most: int) -> bytes | Refused | None:
        """The content, at most `most` bytes of it and one more where it is longer. None when there
        is no such file, or none that may be looked at yet."""
        ...


class ConfigFiles(ReadFiles, Protocol):
    def is_file(self, path: Path) -> bool: ...


class Origin(StrEnum):
    """Whose file it is. `NAMED` is one that the person named for this run."""

    NAMED = "named"
    WORKSPACE = "workspace"
    USER = "user"
    LEGACY = "legacy"


class ConfigPlace(Struct, frozen=True):
    path: Path
    origin: Origin


class LoadedServers(Struct, frozen=True):
    """Servers in the order of precedence. Each name is there once, also to rules, which compare
    names without case, `_` or `-`."""

    servers: tuple[ServerConfig, ...] = ()
    disabled: tuple[Disabled, ...] = ()
    overridden: tuple[Overridden, ...] = ()
    problems: tuple[ConfigProblem, ...] = ()


def mcp_places(
    workspace: Path | None, environ: Mapping[str, str], *, config: Path | None = None
) -> tuple[ConfigPlace, ...]:
    """The files there may be, those that win first: the workspace's, the user's, the legacy ones.
    `config` is our own directory of the user's settings."""
    found: list[ConfigPlace] = []
    if workspace is not None:
        found += (ConfigPlace(workspace / name, Origin.WORKSPACE) for name in _WORKSPACE)
    if config is not None:
        found.append(ConfigPlace(config / "mcp.json", Origin.USER))
    home = environ.get("HOME")
    settings = environ.get("XDG_CONFIG_HOME") or (home and f"{home}/.config")
    if settings:
        found.append(ConfigPlace(Path(settings, "indusvx", "mcp.json"), Origin.USER))
    if home:
        found += (ConfigPlace(Path(home, name), Origin.LEGACY) for name in _LEGACY)
    return tuple(found)


def load_mcp_config(
    path_or_cwd: Path,
    files: ConfigFiles,
    environ: Mapping[str, str],
    *,
    config: Path | None = None,
    withheld: Collection[str] = (),
) -> LoadedServers:
    """The servers of a file when the path is one, else those that are configured for this folder.
    Never raises: what cannot be used is a problem."""
    if files.is_file(path_or_cwd):
        places: Sequence[ConfigPlace] = (ConfigPlace(path_or_cwd, Origin.NAMED),)
    else:
        places = mcp_places(path_or_cwd, environ, config=config)
    return discover_servers(places, files, environ, withheld=withheld)


def discover_servers(
    places: Iterable[ConfigPlace],
    files: ReadFiles,
    environ: Mapping[str, str],
    *,
    withheld: Collection[str] = (),
) -> LoadedServers:
    """The servers of these files, the first that says one deciding. `withheld` are variables that
    a workspace's files are not given. A file that the person named must be there."""
    merged = _Merged()
    for place in places:
        data = files.read(place.path, FILE_BYTES)
        file = str(place.path)
        match data:
            case None:
                if place.origin is Origin.NAMED:
                    merged.problems.append(ConfigProblem(file, "", "there is no such file"))
            case Refused(reason=reason):
                merged.problems.append(ConfigProblem(file, "", f"{reason}; skipped"))
            case bytes():
                kept = withheld if place.origin is Origin.WORKSPACE else ()
                found = parse_config_file(data, file, environ, withheld=kept)
                merged.problems += found.problems
                for server in found.servers:
                    merged.add(server)
    return merged.result()


class _Merged:
    def __init__(self) -> None:
        self.problems: list[ConfigProblem] = []
        self._found: dict[str, ServerConfig | Disabled] = {}
        self._overridden: list[Overridden] = []

    def add(self, server: ServerConfig | Disabled) -> None:
        folded = tool_name(f"{escaped_server(server.name)}__x")
        first = self._found.setdefault(folded, server)
        if first is server:
            return
        if first.name == server.name:
            self._overridden.append(Overridden(server.name, server.source, first.source))
            return
        self.problems.append(_one_to_rules(first, server.name, server.source))

    def result(self) -> LoadedServers:
        found = self._found.values()
        return LoadedServers(
            servers=tuple(each for each in found if not isinstance(each, Disabled)),
            disabled=tuple(each for each in found if isinstance(each, Disabled)),
            overridden=tuple(self._overridden),
            problems=tuple(self.problems),
        )


def _one_to_rules(first: ServerConfig | Disabled, name: str, source: Source) -> ConfigProblem:
    found = f"{name!r} and {first.name!r} ({first.source}) are one name to rules; skipped"
    return ConfigProblem(source.file, source.row, found, "rename one of them")
