"""The least that a program needs to speak the protocol, so that each breaks it in its own way."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

GATE = [{"event": "tool:before", "kind": "gate"}]


def say(text: str | bytes) -> None:
    data = memoryview(text.encode() if isinstance(text, str) else text)
    while data:
        data = data[os.write(1, data) :]


def send(**message: Any) -> None:
    say(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def heard() -> Iterator[dict[str, Any]]:
    for line in sys.stdin.buffer:
        yield json.loads(line)


def introduced(events: list[dict[str, str]] | None = None) -> Iterator[dict[str, Any]]:
    """Shake hands as a gate, then hand on what comes."""
    messages = heard()
    first = next(messages)
    register = {"events": GATE if events is None else events}
    send(id=first["id"], result={"protocol": 1, "name": "bad", "register": register})
    return messages


def allow(message: dict[str, Any]) -> None:
    send(id=message["id"], result={"stop": False})
