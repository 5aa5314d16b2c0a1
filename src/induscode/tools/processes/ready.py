"""When a process counts as ready: by what it said, a port that accepts, an address that answers."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import Spawned
from induscode.tools.processes.limits import ANSWER_SECONDS
from induscode.tools.search.ripgrep import search

__all__ = ["Ready", "ready_of"]

_EMPTY = Path(os.devnull)
_HERE = ("127.0.0.1", "::1")
_SERVER_TROUBLE = 500
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})")
_BAD_PATTERN = 2


class Ready(Struct):
    """Conditions that are still to be met; each needs to be met once. Empty ones are met."""

    output: str = ""
    port: int = 0
    url: str = ""
    _looked: int = -1

    async def problem(self, cancel: CancelToken) -> str:
        """What is wrong with them before anything is started, "" when nothing is. A port that
        somebody else serves would look ready, and a request is sent only to what was started."""
        if self.output and (wrong := await _pattern_problem(self.output, cancel)):
            return f"The argument `ready.output` of process is no regular expression: {wrong}."
        if self.url and not _is_here(self.url):
            return (
                "The argument `ready.url` of process must be http://, on localhost, as in "
                "http://localhost:3000/."
            )
        for port in {self.port, _port(self.url)} - {0}:
            if await _accepts(port):
                return f"Port {port} is already served by another process; nothing was started."
        return ""

    async def met(self, spawned: Spawned, cancel: CancelToken) -> bool:
        if self.output and await self._said(spawned, cancel):
            self.output = ""
        if self.port and await _accepts(self.port):
            self.port = 0
        if self.url and await _answers(self.url):
            self.url = ""
        return not (self.output or self.port or self.url)

    def missing(self) -> str:
        """What was not met, for a sentence."""
        told = [
            f"its output did not match {self.output!r}" if self.output else "",
            f"port {self.port} did not accept" if self.port else "",
            f"{self.url} did not answer" if self.url else "",
        ]
        return " and ".join(part for part in told if part)

    async def _said(self, spawned: Spawned, cancel: CancelToken) -> bool:
        """Looked for by ripgrep, which takes time in proportion whatever the expression is."""
        output = spawned.outputs[0]
        end, before, self._looked = output.end, self._looked, output.end
        if end == before:
            return False
        words = ("--quiet", "--text", f"--regexp={self.output}")
        file = output.file
        outcome = await search(
            words, f"./{file.name}", cwd=file.parent, take=_unread, cancel=cancel
        )
        return outcome.code == 0


def ready_of(arguments: Mapping[str, Any]) -> Ready | None:
    """The conditions of a call, None when it has none."""
    given: Mapping[str, Any] | None = arguments.get("ready")
    if given is None:
        return None
    return Ready(given.get("output", ""), given.get("port", 0), given.get("url", ""))


async def _pattern_problem(pattern: str, cancel: CancelToken) -> str:
    try:
        outcome = await search(
            ("--quiet", f"--regexp={pattern}"),
            f"./{_EMPTY.name}",
            cwd=_EMPTY.parent,
            take=_unread,
            cancel=cancel,
        )
    except ValueError as error:
        return str(error)
    if outcome.code != _BAD_PATTERN:
        return ""
    lines = [line.strip() for line in outcome.complaint.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else "ripgrep does not take it"


def _unread(_: bytes) -> bool:
    return False


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return parts if parts.scheme == "http" and parts.port != 0 else None
    except ValueError:
        return None


def _is_here(url: str) -> bool:
    parts = _split(url)
    if parts is None or re.search(r"[\x00-\x20\x7f-\U0010ffff]", url):
        return False
    return bool(_hosts(parts.hostname or ""))


def _hosts(name: str) -> tuple[str, ...]:
    """The addresses to try, none when the name is not this machine."""
    if name == "localhost":
        return _HERE
    try:
        return (name,) if ipaddress.ip_address(name).is_loopback else ()
    except ValueError:
        return ()


def _port(url: str) -> int:
    parts = _split(url) if url else None
    return (parts.port or 80) if parts is not None else 0


async def _accepts(port: int) -> bool:
    for host in _HERE:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                _, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError):
            continue
        writer.transport.abort()
        return True
    return False


async def _answers(url: str) -> bool:
    """Whether a request gets an answer that is no server's trouble; redirects are not followed."""
    parts = _split(url)
    if parts is None:
        return False
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    request = f"GET {target} HTTP/1.1\r\nHost: {parts.netloc.rpartition('@')[2]}\r\n"
    request += "Accept: */*\r\nConnection: close\r\n\r\n"
    for host in _hosts(parts.hostname or ""):
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                reader, writer = await asyncio.open_connection(host, _port(url))
                try:
                    writer.write(request.encode("ascii"))
                    found = _STATUS.match(await reader.readline())
                finally:
                    writer.transport.abort()
        except (OSError, TimeoutError, ValueError):
            continue
        if found and int(found[1]) < _SERVER_TROUBLE:
            return True
    return False
