"""The last lines of a stream: the only part of a long output that stays in memory."""

from __future__ import annotations

import codecs
from collections import deque
from io import IncrementalNewlineDecoder

from induscode.tools.processes.limits import KEPT_LINE_CHARACTERS, KEPT_LINES

__all__ = ["RecentLines"]


class RecentLines:
    """Takes bytes as they come and keeps the last `KEPT_LINES` lines as text. A carriage return
    ends a line, too; a line that is too long is broken.

    Positions count the characters of everything ever kept, so that a reader can come back for what
    is new.
    """

    def __init__(self) -> None:
        self._decoder = IncrementalNewlineDecoder(
            codecs.getincrementaldecoder("utf-8")("replace"), translate=True
        )
        self._lines: deque[str] = deque()
        self._open = ""
        self._start = 0
        self.end = 0

    def feed(self, data: bytes, *, last: bool = False) -> None:
        text = self._decoder.decode(data, final=last)
        *whole, rest = text.split("\n")
        for line in whole:
            self._add(line)
            self._finish()
        self._add(rest)

    def since(self, position: int) -> tuple[str, int]:
        """The text from `position` on, and how much of it is no longer here."""
        missing = max(self._start - position, 0)
        text = "".join((*self._lines, self._open))
        return text[max(position - self._start, 0) :], missing

    def _add(self, text: str) -> None:
        self._open += text
        self.end += len(text)
        while len(self._open) > KEPT_LINE_CHARACTERS:
            rest = self._open[KEPT_LINE_CHARACTERS:]
            self._open = self._open[:KEPT_LINE_CHARACTERS]
            self._finish()
            self._open = rest

    def _finish(self) -> None:
        self._lines.append(f"{self._open}\n")
        self._open = ""
        self.end += 1
        if len(self._lines) > KEPT_LINES:
            self._start += len(self._lines.popleft())
