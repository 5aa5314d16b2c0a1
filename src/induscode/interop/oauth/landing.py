"""Where a browser comes back to: a listener on this machine, for one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from induscode.interop.oauth.limits import VISIT_BYTES, VISIT_SECONDS

__all__ = ["Landing"]

_PATH = "/callback"
_PAGE = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>induscode</title>
<p>{}</p>
"""
_THANKS = "Thank you. The terminal says whether the login worked; you can close this page."
_NOTHING = "There is nothing here."
_HEAD = """\
HTTP/1.1 {}\r
content-type: text/html; charset=utf-8\r
content-length: {}\r
content-security-policy: default-src 'none'\r
referrer-policy: no-referrer\r
cache-control: no-store\r
connection: close\r
\r
"""


class Landing:
    """Entered, it listens on the loopback; nobody else's machine reaches it. With a `port` that was
    agreed on it is `localhost`, as other agents register it; otherwise any port that is free."""

    def __init__(self, port: int = 0) -> None:
        self.address = ""
        """Where a browser is to be sent, once this is entered."""
        self._port = port
        self._answer: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()
        self._visits: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        """Raises OSError when the port is taken."""
        self._server = await asyncio.start_server(
            self._visited, "127.0.0.1", self._port, limit=VISIT_BYTES
        )
        host = "localhost" if self._port else "127.0.0.1"
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"http://{host}:{port}{_PATH}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for visit in self._visits:
            visit.cancel()
        if self._visits:
            await asyncio.wait(self._visits)

    async def answer(self) -> Mapping[str, str]:
        """What the browser brought, once it did."""
        return await self._answer

    def read(self, address: str) -> Mapping[str, str] | None:
        """What an address that a browser was sent to says; None when it is no answer."""
        try:
            parts = urlsplit(address.strip())
            pairs = parse_qsl(parts.query, keep_blank_values=True)
        except ValueError:
            return None
        said = dict(pairs)
        once = len(said) == len(pairs)
        if parts.path != _PATH or not once or not ("code" in said or "error" in said):
            return None
        return said

    def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.ensure_future(self._receive(reader, writer))
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(VISIT_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                said = self._asked(head)
                writer.write(_page(found=said is not None))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            writer.close()
        if said is not None and not self._answer.done():
            self._answer.set_result(said)

    def _asked(self, head: bytes) -> Mapping[str, str] | None:
        match head.split(b"\r\n", 1)[0].decode(errors="replace").split(" "):
            case ["GET", target, "HTTP/1.1" | "HTTP/1.0"]:
                return self.read(target)
            case _:
                return None


def _page(*, found: bool) -> bytes:
    body = _PAGE.format(_THANKS if found else _NOTHING).encode()
    return _HEAD.format("200 OK" if found else "404 Not Found", len(body)).encode() + body
