"""The two streams: messages out, answers to our own calls in."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, BinaryIO, cast

__all__ = ["CANCELLED", "FAILED", "UNKNOWN_METHOD", "HostRefused", "Wire"]

UNKNOWN_METHOD = -32601
CANCELLED = -32003
FAILED = -32004


class HostRefused(Exception):
    """The host did not do what it was asked. `name` says why, e.g. `not-granted`."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(str(error.get("message", "the host refused")))
        self.code: int = error.get("code", 0)
        data: object = error.get("data")
        self.name = str(cast("dict[str, Any]", data).get("name")) if isinstance(data, dict) else ""


class _Waiting:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: dict[str, Any] = {}


class Wire:
    """Standard input and output, kept for messages: what the addon prints goes to stderr."""

    def __init__(self) -> None:
        self.incoming: BinaryIO = os.fdopen(os.dup(0), "rb")
        self._outgoing = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._last = 0

    @staticmethod
    def line(message: dict[str, Any]) -> bytes:
        """Raises TypeError or ValueError for what is no JSON."""
        text = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"), allow_nan=False)
        return text.encode() + b"\n"

    def send(self, message: dict[str, Any]) -> None:
        self.write(self.line(message))

    def write(self, line: bytes) -> None:
        data = memoryview(line)
        with self._lock:
            while data:
                data = data[os.write(self._outgoing, data) :]

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """What the host answers. Raises `HostRefused`."""
        waiting = _Waiting()
        with self._lock:
            self._last += 1
            number = self._last
            self._waiting[number] = waiting
        self.send({"id": number, "method": method, "params": params})
        waiting.done.wait()
        if "error" in waiting.answer:
            raise HostRefused(waiting.answer["error"])
        return waiting.answer.get("result")

    def answered(self, message: dict[str, Any]) -> None:
        waiting = self._waiting.pop(message.get("id", 0), None)
        if waiting is not None:
            waiting.answer = message
            waiting.done.set()

    def close(self) -> None:
        """Whoever still waits for the host is told that it is gone."""
        for number in tuple(self._waiting):
            gone = {"code": CANCELLED, "message": "the host is gone"}
            self.answered({"id": number, "error": gone})
