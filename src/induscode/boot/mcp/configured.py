"""Which servers a run has: those of the person, and those of a workspace as far as it is trusted.

Nothing of the reader is imported where no file could name a server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from induscode.boot.surroundings import Surroundings
from induscode.boot.trusted_files import TrustedFiles
from induscode.briefing.files import Refused
from induscode.errors import UsageError
from induscode.policy.belongings import Kind
from induscode.policy.places import inside

if TYPE_CHECKING:
    from induscode.capability_deck.mcp_config.discovery import LoadedServers

__all__ = ["OFF", "configured", "ledger_file"]

OFF = "off"
_FILE = "mcp.json"
_XDG = ".config"
_ELSEWHERE = "indusvx"
_LEGACY = ".indusvx"


def ledger_file(around: Surroundings) -> Path:
    """Where the events of this workspace's tools are kept."""
    from induscode.session.store import workspace_key

    return around.places.data / "mcp" / f"{workspace_key(around.workspace)}.jsonl"


def configured(around: Surroundings, wanted: str | None) -> LoadedServers | None:
    """None when there is no file at all, or `wanted` says that there should be no servers; else it
    may name a file more, which decides before the others. Raises `UsageError` when that file
    cannot be read."""
    if wanted == OFF or not (wanted or _any_file(around)):
        return None
    from induscode.capability_deck.mcp_config.discovery import (
        ConfigPlace,
        Origin,
        discover_servers,
        mcp_places,
    )

    files = _Files(TrustedFiles(around.door))
    places = mcp_places(around.workspace, around.environ, config=around.places.config)
    if wanted:
        named = _named(around, wanted)
        files = _Files(files.trusted, named)
        places = (ConfigPlace(named.path, Origin.NAMED), *places)
    return discover_servers(places, files, around.environ, withheld=frozenset(_keys(around)))


def _any_file(around: Surroundings) -> bool:
    if any(item.kind is Kind.MCP for item in around.door.items):
        return True
    home = Path(around.environ.get("HOME", ""))
    settings = Path(around.environ.get("XDG_CONFIG_HOME") or home / _XDG)
    own = (around.places.config / _FILE, settings / _ELSEWHERE / _FILE, home / _LEGACY / "agent")
    return any(path.exists() for path in own)


class _Named(Struct, frozen=True):
    """A file that the person named, with its content."""

    path: Path
    data: bytes


class _Files:
    """What may be read of all places, and a file that was named."""

    def __init__(self, trusted: TrustedFiles, named: _Named | None = None) -> None:
        self.trusted = trusted
        self._named = named

    def read(self, path: Path, most: int) -> bytes | Refused | None:
        if self._named is not None and path == self._named.path:
            return self._named.data
        return self.trusted.read(path, most)


def _named(around: Surroundings, wanted: str) -> _Named:
    path = Path(os.path.realpath(around.cwd / Path(wanted).expanduser()))
    if inside(around.workspace, path) and not around.trust.trusted:
        raise UsageError(
            f"--mcp {wanted}: the file is part of a workspace that you have not trusted",
            hint="look: indus trust show; accept: indus trust grant, or add --trust",
        )
    try:
        return _Named(path, path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"--mcp {wanted}: {error.strerror or error}",
            hint='name a file with "mcpServers", or "off" for no servers',
        ) from error


def _keys(around: Surroundings) -> Iterator[str]:
    """Variables with keys that are ours: no file of a workspace is given them."""
    for key in around.config.settings:
        if key.endswith((".api_key_env", ".value_env")) and (name := around.config.text(key)):
            yield name
