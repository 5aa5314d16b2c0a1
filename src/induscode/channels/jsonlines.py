"""JSON mode: one event per line on standard output, the last of type "result"."""

from __future__ import annotations

import sys

import msgspec

from induscode.kernel.events import Event, RunResult

__all__ = ["JsonChannel"]

_encode = msgspec.json.Encoder().encode


class JsonChannel:
    """Writes and flushes each event as it happens, but the result at the `end`: what is heard while
    the session closes comes before it."""

    def __init__(self) -> None:
        self._result: RunResult | None = None

    def show(self, event: Event) -> None:
        if isinstance(event, RunResult):
            self._result = event
        else:
            _write(event)

    def end(self) -> None:
        if self._result is not None:
            _write(self._result)


def _write(event: Event) -> None:
    sys.stdout.buffer.write(_encode(event) + b"\n")
    sys.stdout.buffer.flush()
