"""Where sessions live: `<home>/sessions/<workspace>/<id>.jsonl`, blobs beside them.

`<workspace>` is the real path of the workspace made into one readable, unique folder name.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from induscode.errors import SessionNotFound
from induscode.kernel.clock import Clock
from induscode.kernel.ids import IdMint
from induscode.kernel.jsontext import digest
from induscode.kernel.scrubbing import Scrubber
from induscode.session.blobs import BlobStore
from induscode.session.entries import SessionStart
from induscode.session.line import read_line
from induscode.session.log import OpenReport, SessionLog

__all__ = ["LOG_SUFFIX", "SessionStore", "workspace_key"]

LOG_SUFFIX = ".jsonl"
_READABLE = 48
_FIRST_LINE = 64 * 1024


def workspace_key(workspace: Path) -> str:
    """One folder name per real path: its readable end, and a digest that tells twins apart."""
    text = os.path.realpath(workspace)
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[-_READABLE:].lstrip("-.")
    return f"{words or 'root'}-{digest(os.fsencode(text))[:8]}"


class SessionStore:
    """All sessions of one home. The `scrubber` keeps secrets out of what is written."""

    def __init__(
        self, home: Path, clock: Clock, mint: IdMint, scrubber: Scrubber | None = None
    ) -> None:
        self.root = home / "sessions"
        self.blobs = BlobStore(home / "blobs", scrubber)
        self._scrubber = scrubber
        self.spill_root = home / "spill"
        self._clock = clock
        self._mint = mint

    def create(self, workspace: Path) -> SessionLog:
        """A new log for a workspace; its file appears with the first entry."""
        name = self._mint.mint() + LOG_SUFFIX
        path = self.folder(workspace) / name
        return SessionLog.create(path, self._clock, self._mint, scrubber=self._scrubber)

    def open(self, path: Path) -> tuple[SessionLog, OpenReport]:
        return SessionLog.open(path, self._clock, self._mint, scrubber=self._scrubber)

    def folder(self, workspace: Path) -> Path:
        return self.root / workspace_key(workspace)

    def find(self, wanted: str, workspace: Path) -> Path:
        """The log that `wanted` names: an id, a unique prefix of one, or `last`.

        `last` is the newest session of this workspace that is not a delegate's; ids are looked for
        in all workspaces.
        Raises `SessionNotFound`.
        """
        if wanted == "last":
            return self._last(workspace)
        if not re.fullmatch(r"[0-9a-z]+", wanted):
            raise SessionNotFound(
                f"{wanted!r} is not a session id", hint="list them with: indus sessions"
            )
        matches = sorted(self.root.glob(f"*/{wanted}*{LOG_SUFFIX}"))
        if not matches:
            raise SessionNotFound(f"no session {wanted!r}", hint="list them with: indus sessions")
        if len(matches) > 1:
            some = ", ".join(path.stem for path in matches[:3])
            raise SessionNotFound(
                f"{len(matches)} sessions begin with {wanted!r}: {some}",
                hint="give more characters of the id",
            )
        return matches[0]

    def _last(self, workspace: Path) -> Path:
        found: list[tuple[int, str]] = []
        with contextlib.suppress(FileNotFoundError), os.scandir(self.folder(workspace)) as rows:
            logs = [row for row in rows if row.name.endswith(LOG_SUFFIX) and row.is_file()]
            found = [(row.stat().st_mtime_ns, row.path) for row in logs]
        found.sort(reverse=True)
        newest = next((path for _, path in found if not _of_delegate(Path(path))), None)
        if newest is None:
            raise SessionNotFound(
                f"no session yet in {workspace}", hint='start one with: indus -p "your question"'
            )
        return Path(newest)


def _of_delegate(log: Path) -> bool:
    """Whether a session worked for another one: its first entry says so."""
    try:
        with log.open("rb") as file:
            first = read_line(file.readline(_FIRST_LINE).rstrip(b"\n"))
    except OSError:
        return False
    return isinstance(first, SessionStart) and first.delegator is not None
