"""Work items: small records of what is to be done, kept in the workspace."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from induscode.feature.lending import Lease, lent

__all__ = ["Comment", "Status", "WorkItem", "WorkItems", "WorkItemsPort"]

Status = Literal["open", "doing", "done", "dropped"]


class Comment(Struct, frozen=True):
    at: str
    by: str
    text: str


class WorkItem(Struct, frozen=True):
    id: str
    title: str
    status: Status
    created: str
    changed: str
    body: str = ""
    comments: tuple[Comment, ...] = ()


class WorkItemsPort(Protocol):
    def create(self, title: str, body: str) -> WorkItem: ...

    def comment(self, item: str, text: str) -> WorkItem: ...

    def update(
        self, item: str, *, title: str | None, body: str | None, status: Status | None
    ) -> WorkItem: ...

    def get(self, item: str) -> WorkItem | None: ...

    def items(self) -> tuple[WorkItem, ...]: ...


class WorkItems:
    """Methods raise `ServiceRefused`, `HandleClosed`, LookupError for an unknown item, OSError."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[WorkItemsPort]) -> None:
        self.lease = lease

    def create(self, title: str, body: str = "") -> WorkItem:
        return lent(self.lease).create(title, body)

    def comment(self, item: str, text: str) -> WorkItem:
        return lent(self.lease).comment(item, text)

    def update(
        self,
        item: str,
        *,
        title: str | None = None,
        body: str | None = None,
        status: Status | None = None,
    ) -> WorkItem:
        return lent(self.lease).update(item, title=title, body=body, status=status)

    def get(self, item: str) -> WorkItem | None:
        return lent(self.lease).get(item)

    def items(self) -> tuple[WorkItem, ...]:
        return lent(self.lease).items()
