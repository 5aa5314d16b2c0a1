"""What one user accepted of which workspace, kept where no workspace can write.

`trust.json` says per workspace which items were accepted, with the digest of each of their files;
`trust-texts` keeps the short texts among them, so that a difference can be shown later.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.errors import ConfigError
from induscode.kernel.jsontext import digest
from induscode.policy.belongings import Kind
from induscode.policy.contents import FileMark, Seen
from induscode.policy.glance import Glance, glance, standing
from induscode.policy.private_file import read_private, update_private

__all__ = ["Accepted", "ItemRecord", "TrustStore", "WorkspaceRecord"]

_VERSION = 1
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class ItemRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """One item as it was accepted. The record stays when the item goes."""

    kind: Kind
    at: str
    digest: str
    files: dict[str, FileMark]


class WorkspaceRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """Items by their path from the workspace; `at` is when the workspace was first trusted."""

    at: str
    items: dict[str, ItemRecord]


class _Book(Struct, forbid_unknown_fields=True):
    version: int
    workspaces: dict[str, WorkspaceRecord]


class Accepted(Struct, frozen=True):
    """An item as somebody accepts it now."""

    kind: Kind
    seen: Seen


class TrustStore:
    """The decisions of one user. Methods raise `ConfigError` for a store that cannot be used: one
    that is damaged, or that somebody else owns or may write. A text of which `secret` says that it
    holds one is not kept: a later difference is told without its lines."""

    def __init__(self, folder: Path, secret: Callable[[bytes], bool] = lambda _: False) -> None:
        self.folder = folder
        self._secret = secret
        self.file = folder / "trust.json"
        self._texts = folder / "trust-texts"

    def glance(self) -> Glance:
        """Another one when the decisions, or whether they can be believed, may have changed."""
        return (*glance(self.file), *standing(self.folder))

    def record(self, workspace: Path) -> WorkspaceRecord | None:
        data = read_private(self.file)
        if data is None:
            return None
        self._check_folder()
        return self._decoded(data).workspaces.get(_key(workspace))

    def accept(
        self, workspace: Path, items: Mapping[str, Accepted], *, at: str, replace: bool
    ) -> None:
        """Record these items, by path. Without `replace` what is recorded already stays as it
        was: a difference is never accepted in passing. On disk when this returns."""

        def add(book: _Book) -> None:
            before = book.workspaces.get(_key(workspace), WorkspaceRecord(at, {}))
            records = dict(before.items)
            for path, item in items.items():
                if replace or path not in records:
                    records[path] = ItemRecord(item.kind, at, item.seen.digest, item.seen.files)
                    self._keep_texts(item.seen.texts)
            book.workspaces[_key(workspace)] = WorkspaceRecord(before.at, records)

        self._change(add)

    def forget(self, workspace: Path, paths: Collection[str] | None = None) -> bool:
        """Forget these items, or the workspace and all of them. False when nothing was known."""
        known: list[WorkspaceRecord] = []

        def remove(book: _Book) -> None:
            before = book.workspaces.pop(_key(workspace), None)
            if before is None:
                return
            known.append(before)
            if paths is not None:
                kept = {path: item for path, item in before.items.items() if path not in paths}
                book.workspaces[_key(workspace)] = WorkspaceRecord(before.at, kept)
            self._sweep_texts(book)

        self._change(remove)
        return bool(known)

    def text(self, sha256: str) -> str | None:
        """The accepted text with this digest, if it was kept and is unaltered."""
        try:
            data = (self._texts / sha256).read_bytes()
        except OSError:
            return None
        return data.decode() if digest(data) == sha256 else None

    def _change(self, change: Callable[[_Book], None]) -> None:
        def rewritten(before: bytes | None) -> bytes:
            self._check_folder()
            book = _Book(_VERSION, {}) if before is None else self._decoded(before)
            change(book)
            return msgspec.json.format(msgspec.json.encode(book, order="sorted"), indent=1)

        update_private(self.file, rewritten)

    def _check_folder(self) -> None:
        status = self.folder.stat()
        if status.st_uid not in {os.geteuid(), 0}:
            raise self._unusable("somebody else owns its folder", f"make {self.folder} yours")
        if status.st_mode & _OTHERS_WRITE:
            raise self._unusable("others may write its folder", f"run: chmod go-w {self.folder}")

    def _decoded(self, data: bytes) -> _Book:
        hint = "remove it, and what you trusted must be trusted again"
        try:
            book = msgspec.json.decode(data, type=_Book)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._unusable(f"it is not what we wrote ({error})", hint) from None
        if book.version != _VERSION:
            raise ConfigError(
                str(self.file),
                field="version",
                found=f"{book.version} is not known to this version of indus",
                hint=f"update indus, or {hint}",
            )
        return book

    def _unusable(self, found: str, hint: str) -> ConfigError:
        return ConfigError(str(self.file), field="file", found=found, hint=hint)

    def _keep_texts(self, texts: Mapping[str, bytes]) -> None:
        """Each is whole or absent; the record that names it follows."""
        self._texts.mkdir(mode=0o700, exist_ok=True)
        for name, data in texts.items():
            file = self._texts / name
            if file.exists() or self._secret(data):
                continue
            fresh = self._texts / f"{name}.new"
            fresh.unlink(missing_ok=True)
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as opened:
                opened.write(data)
            fresh.replace(file)

    def _sweep_texts(self, book: _Book) -> None:
        if not self._texts.is_dir():
            return
        named = {
            mark.sha256
            for workspace in book.workspaces.values()
            for item in workspace.items.values()
            for mark in item.files.values()
        }
        for file in self._texts.iterdir():
            if file.name not in named:
                file.unlink(missing_ok=True)


def _key(workspace: Path) -> str:
    """The real path, as text; of one that is no text, its bytes. No path begins like that."""
    text = str(workspace)
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"bytes:{os.fsencode(text).hex()}"
    return text
