"""A server whose answers are all wrong, each in its own way, named by the first part of the path.

Made for many connections at once: one event loop, no threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

__all__ = ["KINDS", "bad_streams"]

KINDS = (
    "cut",
    "garbage",
    "half-frame",
    "wrong-type",
    "long-line",
    "endless",
    "endless-line-breaks",
    "stalled",
)
_MEGABYTE = 1024 * 1024
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ntransfer-encoding: chunked\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


class _Server:
    def __init__(self, frames: Sequence[bytes]) -> None:
        self._frames = frames
        self._whole = b"".join(frames)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            kind = head.split(b" ")[1].split(b"/")[1].decode()
            await self._answer(kind, reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client has heard enough
        finally:
            writer.close()

    async def _answer(
        self, kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(_HEAD % (b"text/html" if kind == "wrong-type" else b"text/event-stream"))
        match kind:
            case "cut":
                writer.write(_chunk(self._whole[: len(self._whole) // 2]))
            case "garbage":
                writer.write(_chunk(b"data: \xff\x00{]\n\n" * 50) + b"0\r\n\r\n")
            case "half-frame":
                writer.write(_chunk(self._whole[: len(self._whole) // 2]) + b"0\r\n\r\n")
            case "wrong-type":
                writer.write(_chunk(b"<html>" * 100_000) + b"0\r\n\r\n")
            case "long-line":
                writer.write(_chunk(b"data: "))
                await self._flood(writer, b"x" * 65536, 11 * _MEGABYTE)
                writer.write(_chunk(b"\n\n") + b"0\r\n\r\n")
            case "endless":
                writer.write(_chunk(b"".join(self._frames[:-1])))
                await self._flood(writer, self._frames[-2] * 500)
            case "endless-line-breaks":
                await self._flood(writer, b": still here\n\n" * 5000)
            case "stalled":
                writer.write(_chunk(self._whole[: len(self._whole) // 2]))
                await reader.read()  # until the client hangs up
            case _:
                raise AssertionError(kind)

    async def _flood(
        self, writer: asyncio.StreamWriter, piece: bytes, limit: int = 1 << 40
    ) -> None:
        sent = 0
        while sent < limit and not writer.is_closing():
            writer.write(_chunk(piece))
            await writer.drain()
            sent += len(piece)


@asynccontextmanager
async def bad_streams(frames: Sequence[bytes]) -> AsyncGenerator[str]:
    """`frames` are those of one good answer: the last ends it, the one before may repeat."""
    server = await asyncio.start_server(_Server(frames).serve, "127.0.0.1", 0, backlog=1000)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
