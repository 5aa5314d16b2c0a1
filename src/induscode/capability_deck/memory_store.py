"""The notes that `memory` keeps: a Markdown file per workspace and one per user.

They lie outside of every workspace, for nobody but their user to read, and are replaced as a whole
under a lock: two sessions that append lose nothing. A person may edit them at any time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from induscode.capability_deck.contract import DeckFault, MemoryScope, deck_fault
from induscode.errors import ConfigError
from induscode.policy.private_file import read_private, update_private

__all__ = ["MEMORY_CHARACTERS", "FileMemoryStore", "appended", "checked_size"]

MEMORY_CHARACTERS = 24_000
"""How long the notes of one scope may be: one result of a tool shows all of them."""

_KEY = re.compile(r"[A-Za-z0-9_.-]{1,200}")
_USER = "user"


def checked_size(content: str) -> str:
    """`content` if there is room for it. Raises `DeckFault` with the remedy."""
    if len(content) > MEMORY_CHARACTERS:
        raise deck_fault(
            "backend",
            f"the notes would have {len(content):,} characters, and at most "
            f"{MEMORY_CHARACTERS:,} are kept; nothing was changed. Read them, and replace them by "
            "a shorter text",
        )
    return content


def appended(before: str, content: str) -> str:
    """`content` on a line of its own after what there is."""
    return f"{before}\n{content}" if before and not before.endswith("\n") else f"{before}{content}"


class FileMemoryStore:
    """A `MemoryStore` in `folder`: `user.md`, and `<workspace>.md`, where `workspace` is a key that
    no other workspace has. Raises ValueError for a key that is no plain name, or is `user`."""

    def __init__(self, folder: Path, workspace: str) -> None:
        if not _KEY.fullmatch(workspace) or workspace.lower() == _USER:
            raise ValueError(f"{workspace!r} cannot be the key of a workspace")
        self._folder = folder
        self._workspace = workspace

    def read(self, scope: MemoryScope = MemoryScope.WORKSPACE) -> str:
        file = self._file(scope)
        try:
            return _text(file, read_private(file))
        except ConfigError as error:
            raise _fault(error) from error

    def replace(self, content: str, scope: MemoryScope = MemoryScope.WORKSPACE) -> None:
        self._change(scope, lambda _: content)

    def append(self, content: str, scope: MemoryScope = MemoryScope.WORKSPACE) -> None:
        file = self._file(scope)
        self._change(scope, lambda before: appended(_text(file, before), content))

    def _change(self, scope: MemoryScope, change: Callable[[bytes | None], str]) -> None:
        def encoded(before: bytes | None) -> bytes:
            return checked_size(change(before)).encode()

        try:
            update_private(self._file(scope), encoded)
        except ConfigError as error:
            raise _fault(error) from error
        except UnicodeEncodeError as error:
            told = "the text holds half a character and cannot be kept; nothing was changed"
            raise deck_fault("backend", told, error) from None

    def _file(self, scope: MemoryScope) -> Path:
        match scope:
            case MemoryScope.WORKSPACE:
                name = self._workspace
            case MemoryScope.USER:
                name = _USER
            case _:
                assert_never(scope)
        return self._folder / f"{name}.md"


def _text(file: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        told = f"{file} is not UTF-8 text; save it as UTF-8, or remove it"
        raise deck_fault("backend", told, error) from None


def _fault(error: ConfigError) -> DeckFault:
    return deck_fault("backend", str(error), error)
