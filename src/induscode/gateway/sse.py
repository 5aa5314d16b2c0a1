"""Server-sent events out of bytes, however those are cut.

Written for speed over the one thing that matters (a long run of `data:` lines), and complete where
the standard is: three kinds of line ends, comments, a byte order mark, data over several lines. An
event that the stream ends in the middle of is not delivered.
"""

from __future__ import annotations

from typing import NamedTuple

from induscode.errors import StreamBroken

__all__ = ["MAX_LINE", "EventSplitter", "ServerEvent"]

MAX_LINE = 10 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """`name` is empty when the stream gave none."""

    name: bytes
    data: bytes


class EventSplitter:
    """Feed it the stream; it returns the events that became complete."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max_line = max_line
        self._unfinished: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._first_line = True
        self._name = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Raises `StreamBroken` for a line longer than the limit."""
        chunk = self._with_line_feeds(chunk)
        self._unfinished.append(chunk)
        self._size += len(chunk)
        if b"\n" not in chunk:
            self._refuse_longer_than_limit(self._size)
            return []
        *lines, rest = b"".join(self._unfinished).split(b"\n")
        if self._size > self._max_line:
            self._refuse_longer_than_limit(max(map(len, [*lines, rest])))
        self._unfinished = [rest]
        self._size = len(rest)
        if self._first_line:
            self._first_line = False
            lines[0] = lines[0].removeprefix(_BOM)
        return self._take(lines)

    def _with_line_feeds(self, chunk: bytes) -> bytes:
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" not in chunk:
            return chunk
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _take(self, lines: list[bytes]) -> list[ServerEvent]:
        events: list[ServerEvent] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(_value(line, 5))
            elif not line:
                if self._data:
                    events.append(ServerEvent(self._name, b"\n".join(self._data)))
                    self._data = []
                self._name = b""
            elif line.startswith(b"event:"):
                self._name = _value(line, 6)
            elif line == b"data":
                self._data.append(b"")
        return events

    def _refuse_longer_than_limit(self, size: int) -> None:
        if size > self._max_line:
            raise StreamBroken(f"a line of the answer is longer than {self._max_line} bytes")


def _value(line: bytes, start: int) -> bytes:
    return line[start + 1 :] if line[start : start + 1] == b" " else line[start:]
