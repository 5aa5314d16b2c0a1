"""Handles that lead to the host only through the host.

A feature is given small objects: registrars, sinks, services. None of them holds what does the
work; each holds a lease, an empty token, and the host knows what it stands for. So nothing of the
session can be reached by following a handle, and a handle that was kept after its time is refused.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from induscode.errors import HandleClosed

__all__ = ["Errand", "Lease", "lend", "lent", "no_errand", "take_back", "under"]

Port = TypeVar("Port")
Handle = TypeVar("Handle")


class Lease(Generic[Port]):
    """Stands for a port of the host. Holds nothing."""

    __slots__ = ("__weakref__",)


_LENT: WeakKeyDictionary[Lease[Any], Any] = WeakKeyDictionary()
_UNDER: WeakKeyDictionary[Lease[Any], WeakSet[Lease[Any]]] = WeakKeyDictionary()
_LOCK = RLock()  # handles are used from threads too, and from finalizers


class Errand:
    """A stretch of a feature's own running that the host can declare over: from then on every
    handle is refused to the asyncio tasks that were started in it, also one that is still good
    elsewhere. A bare thread is not followed; what it holds is refused when that is taken back."""

    __slots__ = ("over",)

    def __init__(self) -> None:
        self.over = False

    def begin(self) -> None:
        """In the current context, and in whatever is started from it."""
        _ERRAND.set(self)


_ERRAND: ContextVar[Errand | None] = ContextVar("errand", default=None)


@contextmanager
def no_errand() -> Generator[None]:
    """The host's own work, though a feature called for it: what it starts may outlive the caller's
    errand."""
    before = _ERRAND.set(None)
    try:
        yield
    finally:
        _ERRAND.reset(before)


def lend(port: Port) -> Lease[Port]:
    lease: Lease[Port] = Lease()
    with _LOCK:
        _LENT[lease] = port
    return lease


def lent(lease: Lease[Port]) -> Port:
    """The port. Raises `HandleClosed` once it was taken back, or the caller's errand is over."""
    errand = _ERRAND.get()
    port = _LENT.get(lease)
    if port is None or (errand is not None and errand.over):
        raise _closed()
    return port


def under(parent: Lease[Any], handle: Handle) -> Handle:
    """The handle, taken back with `parent` from now on; other values are returned as they are.
    Raises `HandleClosed` when the parent was taken back in the meantime."""
    lease: Lease[Any] | None = getattr(handle, "lease", None)
    if lease is None:
        return handle
    with _LOCK:
        if parent in _LENT:
            _UNDER.setdefault(parent, WeakSet()).add(lease)
            return handle
        _LENT.pop(lease, None)
    raise _closed()


def take_back(lease: Lease[Any]) -> None:
    """And with it what was lent under it."""
    with _LOCK:
        gone = [lease]
        while gone:
            one = gone.pop()
            _LENT.pop(one, None)
            gone += _UNDER.pop(one, ())


def _closed() -> HandleClosed:
    return HandleClosed(
        "this handle was taken back by the host",
        hint="use it only while the install, the call or the task it was given for runs",
    )
