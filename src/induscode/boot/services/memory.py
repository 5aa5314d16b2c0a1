"""The notes of the workspace, for a feature that may read or change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from induscode.boot.services.authority import Authority
from induscode.capability_deck.contract import DeckFault
from induscode.capability_deck.contract import MemoryStore as Store
from induscode.errors import ServiceRefused
from induscode.feature.capability import MemoryStore

__all__ = ["Memory"]

Value = TypeVar("Value")


class Memory:
    """The port behind `Notes`: as much of the store as was asked for, each use with its grant."""

    def __init__(self, authority: Authority, wanted: MemoryStore, store: Store) -> None:
        self._authority = authority
        self._wanted = wanted
        self._store = store

    def read(self) -> str:
        self._check(MemoryStore(read=True))
        return _told(self._store.read)

    def replace(self, content: str) -> None:
        self._check(MemoryStore(write=True))
        _told(lambda: self._store.replace(content))

    def append(self, content: str) -> None:
        self._check(MemoryStore(write=True))
        _told(lambda: self._store.append(content))

    def _check(self, use: MemoryStore) -> None:
        if not self._wanted.covers(use):
            raise ServiceRefused(
                f"this handle is for {self._wanted.text()}", hint=f"ask for {use.text()}"
            )
        self._authority.check(use)


def _told(work: Callable[[], Value]) -> Value:
    try:
        return work()
    except (DeckFault, OSError) as error:
        raise ServiceRefused(str(error), hint="see what `memory` keeps") from None
