"""What a connection came to: the first reason why it is over, and the moment it is."""

from __future__ import annotations

import asyncio

from induscode.interop.faults import ServerFault

__all__ = ["Watch"]


class Watch:
    """Told by whoever notices first; later reasons are consequences and do not count. `status` is
    what an address last answered that was no success, 0 when nothing did."""

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self.fault: ServerFault | None = None
        self.status = 0

    def end(self, fault: ServerFault) -> None:
        if self.fault is None:
            self.fault = fault
        self.over.set()
