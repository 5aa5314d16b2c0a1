"""The loopback server under every fake provider: plain sockets, one thread per connection.

A provider's fake subclasses `ScriptedServer` and says how a step of its own looks on the wire. It
is kept cheap, because benchmarks share the machine with it.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

__all__ = ["Ending", "Received", "ScriptedServer", "WireStep", "hear_request"]

_STOP_BOUND = 5.0
_OVER = "the fake server has no step left for request {}"


class Ending(Enum):
    COMPLETE = "complete"
    CLOSE = "close"  # complete, and the kept connection is closed without a word
    CUT = "cut"
    STALL = "stall"
    SILENT = "silent"
    ENDLESS = "endless"


class WireStep(Protocol):
    """What the server needs to know of one reply, whatever the wire."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def content_type(self) -> str: ...
    @property
    def delay(self) -> float: ...
    @property
    def ending(self) -> Ending: ...
    @property
    def after_bytes(self) -> int | None: ...


StepT = TypeVar("StepT", bound=WireStep)


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def model(self) -> str:
        """Found without parsing: bodies grow large and the machine is shared."""
        found = re.search(rb'"model": ?"([^"]*)"', self.body)
        return found[1].decode() if found else ""


class ScriptedServer(ABC, Generic[StepT]):
    """Answers the n-th request with the n-th step, which may be a function of the request's JSON;
    with a 500 and a clear message when they run out."""

    def __init__(
        self,
        steps: Sequence[StepT | Callable[[dict[str, Any]], StepT]] = (),
        *,
        record: Path | None = None,
        port: int = 0,
    ) -> None:
        self._steps = list(steps)
        self._record = record
        self._arrived = threading.Condition()
        self._stop = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = int(self._listener.getsockname()[1])
        self.requests: list[Received] = []
        self.connections = 0

    def __enter__(self) -> Self:
        thread = threading.Thread(target=self._accept, daemon=True)
        thread.start()
        self._threads.append(thread)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        with self._arrived:
            sockets = [self._listener, *self._open]
        for sock in sockets:
            _hang_up(sock)
        for thread in self._threads:
            thread.join(_STOP_BOUND)
        self._listener.close()

    @abstractmethod
    def frames(self, step: StepT, index: int, request: Received) -> list[bytes]:
        """The parts of the body of the reply number `index`, in order."""

    @abstractmethod
    def out_of_steps(self, message: str) -> StepT:
        """An error 500 as this wire words it."""

    def endless_at(self, request: Received) -> int:
        """Which frame an endless answer repeats."""
        return 3

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def bodies(self) -> list[bytes]:
        return [request.body for request in self.requests]

    @property
    def digests(self) -> list[str]:
        return [hashlib.sha256(body).hexdigest() for body in self.bodies]

    def wait_for(self, count: int, bound: float = 5.0) -> bool:
        """Whether `count` requests have arrived within `bound` seconds."""
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.requests) >= count, bound)

    def hang_up_idle(self) -> None:
        """Close every open connection from this side, as a server does with kept ones."""
        with self._arrived:
            sockets = list(self._open)
        for sock in sockets:
            _hang_up(sock)

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._arrived:
                self._open.add(sock)
                self.connections += 1
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self, sock: socket.socket) -> None:
        buffer = bytearray()
        try:
            while (request := _read_request(sock, buffer)) is not None:
                step, index = self._take(request)
                if not self._answer(sock, step, index, request):
                    return
        except OSError:
            return  # the client went away, or we were closed
        finally:
            with self._arrived:
                self._open.discard(sock)
            sock.close()

    def _take(self, request: Received) -> tuple[StepT, int]:
        with self._arrived:
            self.requests.append(request)
            index = len(self.requests)
            self._arrived.notify_all()
        if self._record is not None:
            (self._record / f"{index:06d}.json").write_bytes(request.body)
        if index > len(self._steps):
            return self.out_of_steps(_OVER.format(index)), index
        script = self._steps[index - 1]
        return (script(request.json) if callable(script) else script), index

    def _answer(self, sock: socket.socket, step: StepT, index: int, request: Received) -> bool:
        """Send one reply; False when the connection ends with it."""
        if step.ending is Ending.SILENT:
            self._stop.wait(60)
            return False
        frames = self.frames(step, index, request)
        sock.sendall(_head(step, None if step.status == 200 else len(b"".join(frames))))
        if step.status != 200:
            sock.sendall(b"".join(frames))
            return True
        if step.ending is Ending.ENDLESS:
            return self._send_forever(sock, step, frames[: self.endless_at(request) + 1])
        if step.after_bytes is not None:
            frames = [b"".join(frames)[: step.after_bytes]]
        self._send(sock, step, frames)
        if step.ending is Ending.STALL:
            self._stop.wait(60)
        elif step.ending is not Ending.CUT:
            sock.sendall(b"0\r\n\r\n")
        return step.ending is Ending.COMPLETE

    def _send_forever(self, sock: socket.socket, step: StepT, frames: list[bytes]) -> bool:
        self._send(sock, step, frames)
        while not self._stop.is_set():
            sock.sendall(_chunk(frames[-1]) * 50)
        return False

    def _send(self, sock: socket.socket, step: StepT, frames: list[bytes]) -> None:
        if not step.delay:
            sock.sendall(b"".join([_chunk(part) for part in frames if part]))
            return
        for part in frames:
            self._stop.wait(step.delay)
            sock.sendall(_chunk(part))


def _head(step: WireStep, length: int | None) -> bytes:
    lines = [f"HTTP/1.1 {step.status} Status", f"content-type: {step.content_type}"]
    lines += [f"{name}: {value}" for name, value in step.headers]
    lines.append("transfer-encoding: chunked" if length is None else f"content-length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _chunk(part: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(part), part)


def hear_request(sock: socket.socket) -> None:
    """Wait for one whole request: its head and its body may arrive apart."""
    _read_request(sock, bytearray())


def _read_request(sock: socket.socket, buffer: bytearray) -> Received | None:
    """The next request of the connection, or None when the client has closed it."""
    while (end := buffer.find(b"\r\n\r\n")) < 0:
        data = sock.recv(65536)
        if not data:
            return None
        buffer += data
    lines = bytes(buffer[:end]).decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (row.partition(": ") for row in lines[1:])}
    del buffer[: end + 4]
    length = int(headers.get("content-length", "0"))
    while len(buffer) < length:
        data = sock.recv(1 << 20)
        if not data:
            return None
        buffer += data
    body = bytes(buffer[:length])
    del buffer[:length]
    return Received(lines[0].split(" ")[1], headers, body)


def _hang_up(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        sock.close()  # never connected, or gone already
