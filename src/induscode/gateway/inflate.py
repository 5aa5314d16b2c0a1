"""Compressed answers, for servers that compress although nobody asked them to."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from induscode.errors import StreamBroken

__all__ = ["ENCODINGS", "Inflate"]

ENCODINGS = frozenset({"deflate", "gzip", "x-gzip"})
_PIECE = 64 * 1024
_HEADER = 2
_GZIP = b"\x1f\x8b"
_DEFLATED = 8
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS


class Inflate:
    """Give it what arrives; it gives back what that stands for, in pieces of bounded size, so that
    a small answer that stands for a huge one is noticed in time."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._start: bytes | None = b""  # until it tells what follows

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Raises `StreamBroken` for what cannot be decompressed."""
        if self._start is not None:
            data = self._start + data
            self._start = data if len(data) < _HEADER else None
            if self._start is not None:
                return
            if not _is_marked(data):
                self._stream = zlib.decompressobj(_RAW)
        while data:
            piece = self._next(data)
            if piece:
                yield piece
            data = self._stream.unconsumed_tail
            if self._stream.eof:  # another member may follow
                data = self._stream.unused_data
                self._stream = zlib.decompressobj(_GZIP_OR_ZLIB)

    def _next(self, data: bytes) -> bytes:
        try:
            return self._stream.decompress(data, _PIECE)
        except zlib.error:
            raise StreamBroken("the compressed answer cannot be read") from None


def _is_marked(data: bytes) -> bool:
    """Whether a stream begins as gzip or zlib do. Some take "deflate" to mean neither."""
    return data[:2] == _GZIP or (data[0] & 0x0F == _DEFLATED and (data[0] << 8 | data[1]) % 31 == 0)
