"""What was typed before: a small file of our own, one JSON string per line, for our eyes only."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

__all__ = ["HISTORY_ENTRIES", "History"]

HISTORY_ENTRIES = 1_000
_SLACK = 200
_LONGEST = 10_000


class History:
    """Kept within `HISTORY_ENTRIES`. A history that cannot be read or kept is none: never an error.

    What begins with a space, and what is longer than anybody would look for, is not kept; `clean`
    takes secrets out of the rest.
    """

    def __init__(self, file: Path, clean: Callable[[str], str] = str) -> None:
        self._file = file
        self._clean = clean
        self._last = ""

    def load(self) -> list[str]:
        """Oldest first. Cuts the file back when it has grown too long."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return []
        kept = [text for line in lines if (text := _entry(line)) is not None][-HISTORY_ENTRIES:]
        if len(lines) > HISTORY_ENTRIES + _SLACK:
            self._rewrite(kept)
        self._last = kept[-1] if kept else ""
        return kept

    def add(self, text: str) -> bool:
        """Keep `text`; returns whether it was worth keeping."""
        if not text.strip() or text[0] == " " or text == self._last or len(text) > _LONGEST:
            return False
        self._last = text
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with _private(self._file, os.O_APPEND) as file:
                file.write(_line(self._clean(text)))
        except OSError:
            return True
        return True

    def _rewrite(self, kept: list[str]) -> None:
        beside = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            with _private(beside, os.O_TRUNC) as file:
                file.write(b"".join(map(_line, kept)))
            beside.replace(self._file)
        except OSError:
            return


def _private(path: Path, flag: int) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flag, 0o600), "ab")


def _line(text: str) -> bytes:
    return msgspec.json.encode(text.encode(errors="replace").decode()) + b"\n"


def _entry(line: bytes) -> str | None:
    try:
        return msgspec.json.decode(line, type=str)
    except ValueError:
        return None
