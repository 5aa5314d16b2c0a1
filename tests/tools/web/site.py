"""A small web site on loopback, and a wire that pretends it is somewhere else."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from typing import Self

from induscode.gateway.line import Line, open_line
from induscode.tools.web.way import Wire

__all__ = ["PUBLIC", "RecordingWire", "Site", "answer"]

PUBLIC = "93.184.216.34"
_BOUND = 5.0
Page = bytes | Callable[[socket.socket], None]


def answer(
    body: bytes | str, kind: str = "text/plain; charset=utf-8", *more: str, status: int = 200
) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(data)}", *more]
    lines += [f"content-type: {kind}"] if kind else []
    return "\r\n".join([*lines, "", ""]).encode() + data


class Site:
    """Serves `pages` by their path; what is not there is a 404. Records what was asked."""

    def __init__(self, pages: dict[str, Page] | None = None, tls: ssl.SSLContext | None = None):
        self.pages: dict[str, Page] = pages or {}
        self.asked: list[str] = []
        self.heads: list[str] = []
        self.bodies: list[str] = []
        self.connections = 0
        self.hung_up = threading.Event()
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._threads: list[threading.Thread] = []

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.place}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in list(self._threads):
            thread.join(_BOUND)
        self._listener.close()

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, sock)

    def _serve(self, plain: socket.socket) -> None:
        plain.settimeout(_BOUND)
        with plain:
            try:
                if self._tls is None:
                    self._answer(plain)
                else:
                    with self._tls.wrap_socket(plain, server_side=True) as secure:
                        self._answer(secure)
            except OSError:
                self.hung_up.set()

    def _answer(self, sock: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = sock.recv(65536)
            if not piece:
                return
            data += piece
        head, _, body = data.decode("latin-1").partition("\r\n\r\n")
        length = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0] or 0)
        while len(body) < length:
            body += sock.recv(65536).decode("latin-1")
        self.bodies.append(body)
        target = head.split(" ")[1]
        self.asked.append(target)
        self.heads.append(head)
        page = self.pages.get(target.partition("?")[0], answer("not here", status=404))
        if isinstance(page, bytes):
            sock.sendall(page)
        else:
            page(sock)


class RecordingWire:
    """Names lead to `addresses`, one list after the other and the last for ever; every connection
    goes to `port` on loopback. Records both."""

    def __init__(self, port: int = 0, *addresses: Sequence[str]) -> None:
        self.looked_up: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self._port = port
        self._addresses = list(addresses) or [[PUBLIC]]

    @property
    def wire(self) -> Wire:
        return Wire(look_up=self._look_up, connect=self._connect)

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        self.looked_up.append(host)
        found = self._addresses[0] if len(self._addresses) == 1 else self._addresses.pop(0)
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "no such host")
        return found

    async def _connect(self, address: str, port: int) -> Line:
        self.connected.append((address, port))
        return await open_line("127.0.0.1", self._port, None)
