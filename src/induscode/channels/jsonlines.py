"""JSON mode: one event per line on standard output, the last of type "result"."""

from __future__ import annotations

import sys

import msgspec

from induscode.kernel.events import Event

__all__ = ["JsonChannel"]

_encode = msgspec.json.Encoder().encode


class JsonChannel:
    """Writes and flushes each event as it happens."""

    def show(self, event: Event) -> None:
        sys.stdout.buffer.write(_encode(event) + b"\n")
        sys.stdout.buffer.flush()
