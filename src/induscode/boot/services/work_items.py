"""Work items in the workspace: one readable file each, safe from crashes and from each other.

`.indus/work-items/W-0001.json` and so on. Every change happens under one lock and replaces a whole
file, so that two processes lose nothing and a kill at any moment leaves every item readable. A file
that is no item is told about and left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace as changed_copy

from induscode.boot.services.authority import Authority
from induscode.boot.services.durable import locked, read_small, replace
from induscode.boot.services.limits import (
    BODY_CHARACTERS,
    COMMENT_CHARACTERS,
    COMMENTS_MOST,
    ITEM_BYTES,
    ITEMS_MOST,
    TITLE_CHARACTERS,
)
from induscode.errors import ServiceRefused
from induscode.feature.capability import WorkItemStore
from induscode.feature.service_work_items import Comment, Status, WorkItem
from induscode.kernel.clock import Clock, iso
from induscode.tools.anchored import anchored

__all__ = ["WorkItemFiles"]

_READ = WorkItemStore(read=True)
_WRITE = WorkItemStore(write=True)
_FILE = re.compile(r"W-([0-9]{4})\.json")
_ID = re.compile(r"W-[0-9]{4}")
_LAST = 9999
_ORDINARY_FILE = 0o644
_IGNORED = (".gitignore", b".lock\n.new\n")
_SETTLED_NS = 2_000_000_000
"""A file changed more recently is read again each time: its next change may bear the same times."""

_Stamp = tuple[int, int, int, int]


class WorkItemFiles:
    """The port behind `WorkItems`. The grant is looked at in every call. `folder` is an absolute
    path without links; one on the way is refused. May be used from several threads."""

    def __init__(
        self, authority: Authority, wanted: WorkItemStore, folder: Path, clock: Clock
    ) -> None:
        self._authority = authority
        self._wanted = wanted
        self._folder = folder
        self._clock = clock
        self._known: dict[str, tuple[_Stamp, WorkItem]] = {}

    def create(self, title: str, body: str) -> WorkItem:
        with self._writing() as folder:
            numbers = {int(found[1]) for name in _names(folder) if (found := _FILE.fullmatch(name))}
            if len(numbers) >= ITEMS_MOST:
                raise ServiceRefused(f"there are {ITEMS_MOST} work items, and there can be no more")
            now = iso(self._clock.now_ms())
            return self._put(folder, WorkItem(_next_id(numbers), title, "open", now, now, body))

    def comment(self, item: str, text: str) -> WorkItem:
        if not 0 < len(text) <= COMMENT_CHARACTERS:
            raise ServiceRefused(f"a comment has 1 to {COMMENT_CHARACTERS} characters")
        with self._writing() as folder:
            before = self._existing(folder, item)
            if len(before.comments) >= COMMENTS_MOST:
                raise ServiceRefused(f"{item} has {COMMENTS_MOST} comments, and can have no more")
            now = iso(self._clock.now_ms())
            comment = Comment(now, str(self._authority.feature), text)
            comments = (*before.comments, comment)
            return self._put(folder, changed_copy(before, comments=comments, changed=now))

    def update(
        self, item: str, *, title: str | None, body: str | None, status: Status | None
    ) -> WorkItem:
        with self._writing() as folder:
            before = self._existing(folder, item)
            after = changed_copy(
                before,
                title=before.title if title is None else title,
                body=before.body if body is None else body,
                status=before.status if status is None else status,
                changed=iso(self._clock.now_ms()),
            )
            return self._put(folder, after)

    def get(self, item: str) -> WorkItem | None:
        self._granted(_READ)
        if not _ID.fullmatch(item):
            return None
        try:
            with anchored(self._folder) as folder:
                return self._read(folder, f"{item}.json")
        except FileNotFoundError:
            return None

    def items(self) -> tuple[WorkItem, ...]:
        """All that can be read, by id. What did not change on disk is not read again."""
        self._granted(_READ)
        try:
            with anchored(self._folder) as folder:
                names = sorted(name for name in _names(folder) if _FILE.fullmatch(name))
                if len(names) > ITEMS_MOST:
                    more = f"there are {len(names)} work items; the first {ITEMS_MOST} are read"
                    self._authority.note(more, "runtime")
                found = [self._read(folder, name) for name in names[:ITEMS_MOST]]
        except FileNotFoundError:
            return ()
        return tuple(item for item in found if item is not None)

    def _granted(self, needed: WorkItemStore) -> None:
        if not self._wanted.covers(needed):
            raise ServiceRefused(
                f"this handle is for {self._wanted.text()}", hint=f"ask for {needed.text()}"
            )
        self._authority.check(needed)

    @contextmanager
    def _writing(self) -> Generator[int]:
        self._granted(_WRITE)
        with anchored(self._folder, make=True) as folder, locked(folder, _ORDINARY_FILE):
            name, content = _IGNORED
            if not os.access(name, os.F_OK, dir_fd=folder, follow_symlinks=False):
                replace(folder, name, content, _ORDINARY_FILE)
            yield folder

    def _existing(self, folder: int, item: str) -> WorkItem:
        found = self._read(folder, f"{item}.json") if _ID.fullmatch(item) else None
        if found is None:
            raise LookupError(f"there is no work item {item} that can be read")
        return found

    def _put(self, folder: int, item: WorkItem) -> WorkItem:
        tidy, data = _encoded(item)
        replace(folder, f"{item.id}.json", data, _ORDINARY_FILE)
        return tidy

    def _read(self, folder: int, name: str) -> WorkItem | None:
        """None when it is not there, and when it is no item, which is told."""
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            known = self._known.get(name)
            if known is not None and known[0] == stamp:
                return known[1]
            item = _decoded(name, read_small(folder, name, ITEM_BYTES))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            message = f"the work item {name} is damaged and was left alone: {error}"
            self._authority.note(message, "runtime")
            return None
        if self._clock.now_ms() * 1_000_000 - status.st_mtime_ns > _SETTLED_NS:
            self._known[name] = (stamp, item)
        return item


def _names(folder: int) -> list[str]:
    handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        with os.scandir(handle) as entries:
            return [entry.name for entry in entries]
    finally:
        os.close(handle)


def _next_id(numbers: set[int]) -> str:
    after = max(numbers, default=0) + 1
    if after > _LAST:
        after = next(number for number in range(1, _LAST) if number not in numbers)
    return f"W-{after:04}"


def _encoded(item: WorkItem) -> tuple[WorkItem, bytes]:
    """The item as it will be read again, and its file. Raises `ServiceRefused` for one that is
    over a bound or holds what is no text."""
    try:
        tidy = changed_copy(item, title=" ".join(item.title.split()))
        data = msgspec.json.format(msgspec.json.encode(tidy), indent=2) + b"\n"
        tidy = _decoded(f"{item.id}.json", data)
    except (AttributeError, TypeError, ValueError) as error:
        raise ServiceRefused(f"this is no work item: {error}") from None
    if not 0 < len(tidy.title) <= TITLE_CHARACTERS:
        raise ServiceRefused(f"a title has 1 to {TITLE_CHARACTERS} characters")
    if len(tidy.body) > BODY_CHARACTERS:
        raise ServiceRefused(f"a body has at most {BODY_CHARACTERS} characters")
    if len(data) > ITEM_BYTES:
        raise ServiceRefused(f"{item.id} would have over {ITEM_BYTES} bytes")
    return tidy, data


def _decoded(name: str, data: bytes) -> WorkItem:
    """Raises ValueError for what is no item, or has another's id."""
    item = msgspec.json.decode(data, type=WorkItem)
    if name != f"{item.id}.json":
        raise ValueError(f"it says that it is {item.id!r}")
    return item
