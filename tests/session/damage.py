"""Ways to hurt a log file, and to change one behind its checksum's back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from induscode.session.line import encode_fields


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1]


def spans(data: bytes) -> list[tuple[int, int]]:
    """Start and end (behind the newline) of each line."""
    found: list[tuple[int, int]] = []
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        found.append((start, end + 1))
        start = end + 1
    return found


def zeroed(data: bytes, offset: int, length: int) -> bytes:
    stop = min(len(data), offset + length)
    return data[:offset] + bytes(stop - offset) + data[stop:]


def resealed(path: Path, index: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change one entry and give it a correct checksum."""
    rows = lines(path)
    fields = json.loads(rows[index])
    del fields["sum"]
    change(fields)
    rows[index] = encode_fields(fields)[:-1]
    path.write_bytes(b"".join(row + b"\n" for row in rows))


def without(path: Path, index: int) -> None:
    rows = lines(path)
    del rows[index]
    path.write_bytes(b"".join(row + b"\n" for row in rows))
