"""A loopback server that speaks the Anthropic Messages streaming format.

In a test, `with AnthropicServer([say("hi")]) as server: server.url, server.bodies`; as a process of
its own, `python -m tests.fakes.anthropic_server --script FILE --record DIR`, which writes its
address as the first line of its output. One thread per connection over plain sockets, because
benchmarks share the machine with it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.fakes.anthropic_steps import Ending, Script, Step, fail, load_script

__all__ = ["AnthropicServer", "Received"]

_STOP_BOUND = 5.0
_OVER = "the fake server has no step left for request {}"


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


class AnthropicServer:
    """Answers the n-th request with the n-th step; a 500 with a clear message when they run out."""

    def __init__(
        self, steps: Sequence[Script] = (), *, record: Path | None = None, port: int = 0
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

    def _take(self, request: Received) -> tuple[Step, int]:
        with self._arrived:
            self.requests.append(request)
            index = len(self.requests)
            self._arrived.notify_all()
        if self._record is not None:
            (self._record / f"{index:06d}.json").write_bytes(request.body)
        if index > len(self._steps):
            return fail(500, _OVER.format(index)), index
        script = self._steps[index - 1]
        return (script if isinstance(script, Step) else script(request.json)), index

    def _answer(self, sock: socket.socket, step: Step, index: int, request: Received) -> bool:
        """Send one reply; False when the connection ends with it."""
        if step.ending is Ending.SILENT:
            self._stop.wait(60)
            return False
        model = "claude-fake" if step.body is not None else _model_of(request)
        frames = step.frames(index, model)
        sock.sendall(_head(step, None if step.status == 200 else len(b"".join(frames))))
        if step.status != 200:
            sock.sendall(b"".join(frames))
            return True
        if step.after_bytes is not None:
            frames = [b"".join(frames)[: step.after_bytes]]
        self._send(sock, step, frames)
        match step.ending:
            case Ending.COMPLETE:
                sock.sendall(b"0\r\n\r\n")
                return True
            case Ending.CLOSE:
                sock.sendall(b"0\r\n\r\n")
            case Ending.STALL:
                self._stop.wait(60)
            case Ending.ENDLESS:
                while not self._stop.is_set():
                    sock.sendall(_chunk(frames[3]) * 50)
            case Ending.CUT | Ending.SILENT:
                pass
        return False

    def _send(self, sock: socket.socket, step: Step, frames: list[bytes]) -> None:
        if step.ending is Ending.ENDLESS:
            frames = frames[:4]
        if not step.delay:
            sock.sendall(b"".join([_chunk(part) for part in frames if part]))
            return
        for part in frames:
            self._stop.wait(step.delay)
            sock.sendall(_chunk(part))


def _head(step: Step, length: int | None) -> bytes:
    lines = [f"HTTP/1.1 {step.status} Status", f"content-type: {step.content_type}"]
    lines += [f"{name}: {value}" for name, value in step.headers]
    lines.append("transfer-encoding: chunked" if length is None else f"content-length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _chunk(part: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(part), part)


def _model_of(request: Received) -> str:
    """Found without parsing: bodies grow large and the machine is shared."""
    found = re.search(rb'"model": ?"([^"]*)"', request.body)
    return found[1].decode() if found else ""


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


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.fakes.anthropic_server")
    parser.add_argument("--script", type=Path, required=True, help="JSON list of steps")
    parser.add_argument("--record", type=Path, help="directory for the bodies received")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(argv)
    if options.record is not None:
        options.record.mkdir(parents=True, exist_ok=True)
    steps = load_script(options.script.read_text())
    with AnthropicServer(steps, record=options.record, port=options.port) as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()  # the starter holds the other end: we end with it


if __name__ == "__main__":
    main()
