"""A small forward proxy on loopback: tunnels by CONNECT, and forwards requests in absolute form.

`hosts` maps names to ports on loopback, so that a test can ask for a name that exists nowhere else.
It records who asked for what, and can refuse or want a password.
"""

from __future__ import annotations

import socket
import ssl
import threading
from base64 import b64encode
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

__all__ = ["Asked", "Proxy"]

_BOUND = 5.0


@dataclass(frozen=True)
class Asked:
    """One request as the proxy saw it."""

    method: str
    target: str
    headers: dict[str, str]


class Proxy:
    """`refuse` is the status of every answer; `says` comes instead of any answer."""

    def __init__(
        self,
        hosts: dict[str, int],
        *,
        user: str = "",
        refuse: int = 0,
        says: bytes = b"",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.asked: list[Asked] = []
        self._hosts = hosts
        self._wanted = f"Basic {b64encode(user.encode()).decode()}" if user else ""
        self._refuse = refuse
        self._says = says
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        for sock in [self._listener, *self._open]:
            _hang_up(sock)
        for thread in list(self._threads):
            thread.join(_BOUND)
        self._listener.close()

    def _start(self, work: object, *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(sock)
            self._start(self._serve, sock)

    def _serve(self, plain: socket.socket) -> None:
        try:
            sock = plain if self._tls is None else self._tls.wrap_socket(plain, server_side=True)
        except OSError:
            plain.close()
            return
        self._open.append(sock)
        with sock:
            try:
                self._answer(sock)
            except OSError:
                return  # one of the two sides hung up

    def _answer(self, sock: socket.socket) -> None:
        head, rest = _read_head(sock)
        if not head:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value for name, _, value in (row.partition(": ") for row in lines)}
        self.asked.append(Asked(method, target, headers))
        if self._says:
            sock.sendall(self._says)
        elif self._refuse:
            sock.sendall(b"HTTP/1.1 %d No\r\ncontent-length: 2\r\n\r\nno" % self._refuse)
        elif self._wanted and headers.get("proxy-authorization") != self._wanted:
            told = b"proxy-authenticate: Basic\r\ncontent-length: 0"
            sock.sendall(b"HTTP/1.1 407 Who\r\n%b\r\n\r\n" % told)
        elif method == "CONNECT":
            self._relay(sock, target.rpartition(":")[0], b"", established=True)
        else:
            parts = urlsplit(target)
            lines = [line for line in lines if not line.lower().startswith("proxy-")]
            asked = "\r\n".join([f"{method} {parts.path} HTTP/1.1", *lines]).encode("latin-1")
            self._relay(sock, parts.hostname or "", asked + b"\r\n\r\n" + rest, established=False)

    def _relay(self, sock: socket.socket, host: str, first: bytes, *, established: bool) -> None:
        with socket.create_connection(("127.0.0.1", self._hosts[host])) as there:
            self._open.append(there)
            if established:
                sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            there.sendall(first)
            self._start(_pump, there, sock)
            _pump(sock, there)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    _hang_up(sink)


def _read_head(sock: socket.socket) -> tuple[bytes, bytes]:
    buffer = b""
    while b"\r\n\r\n" not in buffer:
        data = sock.recv(65536)
        if not data:
            return b"", b""
        buffer += data
    head, _, rest = buffer.partition(b"\r\n\r\n")
    return head, rest


def _hang_up(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        sock.close()
