"""What a handler is given besides its arguments: its call, and the host."""

from __future__ import annotations

import threading
from typing import Any

from indus_addon.wire import Wire

__all__ = ["Call", "Host"]


class Host:
    """What the person granted; `granted` has the names. Anything else raises `HostRefused`. Each
    waits for the host's answer, so call it from a handler, not while registering."""

    def __init__(self, wire: Wire, granted: frozenset[str]) -> None:
        self._wire = wire
        self.granted = granted

    def send_message(self, text: str) -> None:
        self._wire.ask("send_message", {"text": text})

    def set_model(self, model: str) -> None:
        self._wire.ask("set_model", {"model": model})

    def set_thinking(self, level: str) -> None:
        self._wire.ask("set_thinking", {"level": level})

    def exec(self, command: str) -> dict[str, Any]:
        """`stdout`, `stderr` and `code`, which is None when it did not end by itself."""
        return self._wire.ask("exec", {"command": command})

    def notify(self, text: str) -> None:
        self._wire.ask("notify", {"text": text})

    def state_get(self, key: str) -> str | None:
        return self._wire.ask("state/get", {"key": key})["value"]

    def state_set(self, key: str, value: str | None) -> None:
        """None removes it."""
        self._wire.ask("state/set", {"key": key, "value": value})

    def log(self, text: str, level: str = "info") -> None:
        self._wire.send({"method": "log", "params": {"level": level, "text": text}})


class Call:
    """One call of a handler. When it is `cancelled` nobody waits for its answer any more: look
    there, or wait with `wait`, wherever the work takes long."""

    def __init__(self, number: int, params: dict[str, Any], wire: Wire, host: Host) -> None:
        self.id = number
        self.params = params
        self.host = host
        self._wire = wire
        self._stop = threading.Event()

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep, but wake when it is cancelled; returns whether it is."""
        return self._stop.wait(seconds)

    def progress(self, text: str) -> None:
        self._wire.send({"method": "progress", "params": {"call": self.id, "text": text}})

    def cancel(self) -> None:
        self._stop.set()
