"""An https server on loopback that answers every request with one event stream."""

from __future__ import annotations

import socket
import ssl
import threading
from typing import Self

__all__ = ["REPLY", "TlsServer"]

REPLY = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 12\r\n\r\nmessage_stop"
)


class TlsServer:
    """Serves one connection after the other; a handshake that fails is counted."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.bodies: list[bytes] = []
        self.heads: list[bytes] = []
        self.connections = 0
        self.refused = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            plain.settimeout(5)
            self.connections += 1
            try:
                with self._context.wrap_socket(plain, server_side=True) as sock:
                    while self._answer(sock):
                        pass
            except OSError:
                self.refused += 1

    def _answer(self, sock: ssl.SSLSocket) -> bool:
        data = bytearray()
        while b"\r\n\r\n" not in data:
            piece = sock.recv(65536)
            if not piece:
                return False
            data += piece
        head, _, body = bytes(data).partition(b"\r\n\r\n")
        whole = bytearray(body)
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(whole) < length:
            whole += sock.recv(1 << 20)
        self.heads.append(head)
        self.bodies.append(bytes(whole))
        sock.sendall(REPLY)
        return True
