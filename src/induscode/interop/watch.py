"""What a connection came to: the first reason why it is over, and the moment it is."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus

from induscode.interop.faults import ServerFault

__all__ = ["REFUSED", "Answered", "Watch"]

REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
"""What an address answers to whoever it does not let in."""


class Answered:
    """What an address last answered to one request that was no success; 0 when nothing did."""

    def __init__(self) -> None:
        self.status = 0


_asking: ContextVar[Answered | None] = ContextVar("asking", default=None)


class Watch:
    """Told by whoever notices first; later reasons are consequences and do not count. `status` is
    what an address last answered that was no success and no answer to a request `asking`."""

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self.fault: ServerFault | None = None
        self.status = 0

    def end(self, fault: ServerFault) -> None:
        if self.fault is None:
            self.fault = fault
        self.over.set()

    @contextmanager
    def asking(self) -> Generator[Answered]:
        """Around a request. The SDK sends it from another task, but in the context of whoever
        asked, so that what is answered to it can be told from what others are answered."""
        answered = Answered()
        token = _asking.set(answered)
        try:
            yield answered
        finally:
            _asking.reset(token)

    def answered(self, status: int) -> None:
        """Called where answers come in, in the context of the request. A handshake that is refused
        is tried in an older way, so that a refusal counts for more than what follows it; 0 takes it
        back."""
        one = _asking.get()
        if one is not None:
            one.status = status
        elif self.status not in REFUSED or status == 0:
            self.status = status
