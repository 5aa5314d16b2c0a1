"""Which servers a run has: those of the person, and those of a workspace as far as it is trusted.

Nothing of the reader is imported where no file could name a server.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.secrets import key_variables
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
        path = _named(around, wanted, [place.path for place in places])
        own = next((place for place in places if place.path == path), None)
        files = _Files(files.trusted, None if own else path)
        places = (own or ConfigPlace(path, Origin.NAMED), *(p for p in places if p is not own))
    ours = frozenset(key_variables(around.config))  # no file of a workspace is given these
    return discover_servers(places, files, around.environ, withheld=ours)


def _any_file(around: Surroundings) -> bool:
    if any(item.kind is Kind.MCP for item in around.door.items):
        return True
    home = Path(around.environ.get("HOME", ""))
    settings = Path(around.environ.get("XDG_CONFIG_HOME") or home / _XDG)
    own = (around.places.config / _FILE, settings / _ELSEWHERE / _FILE, home / _LEGACY / "agent")
    return any(path.exists() for path in own)


class _Files:
    """What may be read of all places, and a file that the person named."""

    def __init__(self, trusted: TrustedFiles, named: Path | None = None) -> None:
        self.trusted = trusted
        self._named = named

    def read(self, path: Path, most: int) -> bytes | Refused | None:
        if path != self._named:
            return self.trusted.read(path, most)
        try:
            with path.open("rb") as file:
                return file.read(most + 1)
        except OSError as error:
            raise UsageError(
                f"--mcp {path}: {error.strerror or error}",
                hint='name a file with "mcpServers", or "off" for no servers',
            ) from error


def _named(around: Surroundings, wanted: str, known: Sequence[Path]) -> Path:
    """Of a workspace's files only those that its trust speaks of, with the content it speaks of."""
    path = Path(os.path.normpath(around.cwd / Path(wanted).expanduser()))
    real = Path(os.path.realpath(path))
    within = inside(around.workspace, path) or inside(around.workspace, real)
    if not within or path in known or not real.exists():
        return path
    raise UsageError(
        f"--mcp {wanted}: the file is part of this workspace, and nothing binds your trust to it",
        hint="name it .indus/mcp.json and accept it with: indus trust grant",
    )
