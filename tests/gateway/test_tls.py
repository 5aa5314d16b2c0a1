from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from pathlib import Path
from threading import Thread

import pytest

from induscode.errors import NetworkFailed
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.transport import HttpTransport
from induscode.kernel.cancel import CancelToken

REPLY = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 12\r\n\r\nmessage_stop"
)

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]
    name = [
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
    ]
    subprocess.run(
        ["openssl", *made, *name, "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    return key, cert


async def test_a_body_goes_through_tls_to_a_server_that_is_trusted_and_to_no_other(
    certificate: tuple[Path, Path],
) -> None:
    key, cert = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    body = b"x" * 3_000_000
    received = bytearray()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            first, _ = listener.accept()
            with context.wrap_socket(first, server_side=True) as sock:
                while len(received) < len(body):
                    received.extend(sock.recv(1 << 20))
                sock.sendall(REPLY)
            second, _ = listener.accept()
            with second, pytest.raises(OSError):
                context.wrap_socket(second, server_side=True)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        endpoint = Endpoint.parse(f"https://127.0.0.1:{listener.getsockname()[1]}", "/v1/messages")
        trusting = HttpTransport(endpoint, tls=lambda: ssl.create_default_context(cafile=str(cert)))
        sent: list[int] = []
        reply = await trusting.post(
            [],
            body,
            on_sent=lambda: sent.append(1),
            feed=lambda chunk: chunk == b"message_stop",
            cancel=CancelToken(),
        )
        await trusting.close()
        with pytest.raises(NetworkFailed, match=r"certificate of 127\.0\.0\.1:\d+ is refused"):
            await HttpTransport(endpoint).post(
                [], b"", on_sent=lambda: None, feed=lambda _: True, cancel=CancelToken()
            )
        thread.join(5)
    assert reply.streamed
    assert sent == [1]
    assert received.endswith(body)
