"""What a command says, bounded in memory: the beginning, the end, and a file with everything."""

from __future__ import annotations

import asyncio
import codecs
import os
from pathlib import Path
from typing import BinaryIO

from induscode.kernel.tool import Progress
from induscode.tools.limits import (
    OUTPUT_BYTES,
    OUTPUT_END_BYTES,
    PROGRESS_CHARACTERS,
    PROGRESS_SECONDS,
)

__all__ = ["Capture", "Reporter"]

_CONTINUATION = 0x80


class Capture:
    """Takes bytes as they come. Up to twice `OUTPUT_END_BYTES` all of them stay in memory; from
    then on everything goes to a new file in `directory`, and only both ends stay."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._head = bytearray()
        self._tail = bytearray()
        self._file: BinaryIO | None = None
        self._over = False
        self._total = 0
        self._newlines = 0
        self.spilled: Path | None = None
        self.trouble = ""

    @property
    def full(self) -> bool:
        return self._total > OUTPUT_BYTES

    def feed(self, data: bytes) -> None:
        self._total += len(data)
        self._newlines += data.count(b"\n")
        room = max(OUTPUT_END_BYTES - len(self._head), 0)
        self._head += data[:room]
        self._tail += data[room:]
        if self._over or len(self._tail) > OUTPUT_END_BYTES:
            self._spill(data if self._over else bytes(self._head + self._tail))
            self._over = True
            del self._tail[:-OUTPUT_END_BYTES]

    @property
    def omitted_bytes(self) -> int:
        return self._total - len(self._head) - len(self._tail)

    @property
    def omitted_lines(self) -> int:
        kept = self._head.count(b"\n") + self._tail.count(b"\n")
        return self._newlines - kept if self.omitted_bytes else 0

    def ends(self) -> tuple[str, str]:
        """The text kept: whole and nothing, or beginning and end, cut between characters."""
        if not self.omitted_bytes:
            return (self._head + self._tail).decode("utf-8", "replace"), ""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        start = next((at for at in range(4) if self._tail[at] & 0xC0 != _CONTINUATION), 0)
        return decoder.decode(self._head), self._tail[start:].decode("utf-8", "replace")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _spill(self, data: bytes) -> None:
        if self.trouble:
            return
        try:
            if self._file is None:
                self._directory.mkdir(parents=True, exist_ok=True)
                self.spilled = self._directory / f"output-{os.urandom(8).hex()}.txt"
                self._file = _new_file(self.spilled)
            self._file.write(data)
        except OSError as error:
            self.trouble = f"the whole output could not be kept: {error.strerror}"
            self.close()
            if self.spilled is not None:
                self.spilled.unlink(missing_ok=True)
                self.spilled = None


def _new_file(path: Path) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)


class Reporter:
    """Hands new text on at most every `PROGRESS_SECONDS`, decoded as far as it is complete."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = ""
        self._cut = False
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._last = 0.0

    def feed(self, data: bytes) -> None:
        self._waiting += self._decoder.decode(data)
        if len(self._waiting) > PROGRESS_CHARACTERS:
            self._waiting = self._waiting[-PROGRESS_CHARACTERS:]
            self._cut = True
        if self._timer is not None:
            return
        due = self._last + PROGRESS_SECONDS
        if self._loop.time() >= due:
            self.flush()
        else:
            self._timer = self._loop.call_at(due, self.flush)

    def flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._last = self._loop.time()
        if self._waiting:
            text = f"[...]\n{self._waiting}" if self._cut else self._waiting
            self._waiting, self._cut = "", False
            self._progress(text)
