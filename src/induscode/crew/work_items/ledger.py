"""What the feature knows of the items: enough to tell another's change from its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from threading import Lock

from msgspec.structs import replace

from induscode.feature.service_work_items import Status, WorkItem, WorkItems

__all__ = ["WorkItemLedger"]


class WorkItemLedger:
    """Shared by the tools, the hook and the watcher of one installation. The methods that reach
    the store block, and may be called from any thread.

    A change of our own is made and noted under one lock, so that the watcher never sees the one
    without the other. What somebody else changed just before is not lost by that: it is kept for
    the watcher."""

    def __init__(self, store: WorkItems) -> None:
        """Takes note of how the items are now. Raises as the store does."""
        self.calls: Counter[str] = Counter()
        self._store = store
        self._lock = Lock()
        self._seen = {item.id: item for item in store.items()}
        self._untold: dict[str, str] = {}

    def create(self, title: str, body: str) -> WorkItem:
        with self._lock:
            item = self._store.create(title, body)
            self._seen[item.id] = item
            return item

    def comment(self, item: str, text: str) -> WorkItem:
        with self._lock:
            after = self._store.comment(item, text)
            known = self._seen.get(item)
            if known is not None:
                known = replace(known, comments=known.comments + after.comments[-1:])
            self._note(known, after)
            return after

    def update(
        self, item: str, *, title: str | None, body: str | None, status: Status | None
    ) -> WorkItem:
        with self._lock:
            after = self._store.update(item, title=title, body=body, status=status)
            known = self._seen.get(item)
            if known is not None:
                known = replace(
                    known,
                    title=known.title if title is None else after.title,
                    body=known.body if body is None else after.body,
                    status=known.status if status is None else after.status,
                )
            self._note(known, after)
            return after

    def get(self, item: str) -> WorkItem | None:
        return self._store.get(item)

    def items(self) -> tuple[WorkItem, ...]:
        return self._store.items()

    def news(self, store: WorkItems) -> dict[str, str]:
        """What others changed and was not told yet, by item. Raises as the store does."""
        with self._lock:
            now = {item.id: item for item in store.items()}
            before, self._seen = self._seen, now
            for name in before.keys() | now.keys():
                self._keep(name, _difference(before.get(name), now.get(name)))
            return dict(sorted(self._untold.items()))

    def told(self, news: Mapping[str, str]) -> None:
        """These were told and are not news any more."""
        with self._lock:
            for name, change in news.items():
                rest = self._untold.pop(name, "").removeprefix(change).removeprefix("; ")
                self._keep(name, rest)

    def _note(self, expected: WorkItem | None, after: WorkItem) -> None:
        """Take `after` as known; where it is not what our own change makes of what was known,
        somebody else was there too."""
        self._seen[after.id] = after
        self._keep(after.id, _difference(expected, after))

    def _keep(self, item: str, change: str) -> None:
        if change:
            earlier = self._untold.get(item)
            self._untold[item] = f"{earlier}; {change}" if earlier else change


def _difference(before: WorkItem | None, after: WorkItem | None) -> str:
    """In words; "" when there is none that matters."""
    if after is None:
        return "it was removed, or cannot be read any more"
    if before is None:
        return f"new, {after.status}: {after.title!r}"
    changes: list[str] = []
    if before.status != after.status:
        changes.append(f"status {before.status} became {after.status}")
    if before.title != after.title:
        changes.append(f"title is now {after.title!r}")
    if before.body != after.body:
        changes.append("its body was changed")
    if before.comments != after.comments:
        count = len(after.comments) - len(before.comments)
        new = f"{count} new comment{'s' if count > 1 else ''}"
        changes.append(new if count > 0 else "its comments were changed")
    return ", ".join(changes)
