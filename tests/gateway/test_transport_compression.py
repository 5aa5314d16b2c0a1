from __future__ import annotations

import gzip
import socket
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from threading import Thread

import pytest

from induscode.errors import ProviderError, RequestRejected, StreamBroken
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.inflate import Inflate
from induscode.gateway.reply import Reply
from induscode.gateway.transport import HttpTransport
from induscode.kernel.cancel import CancelToken
from tests.fakes.http_server import hear_request

STREAM = b"".join(b"data: event %d\n\n" % at for at in range(200)) + b"data: message_stop\n\n"


@contextmanager
def serving(encoding: str, pieces: Sequence[bytes], status: int = 200) -> Generator[str]:
    """One answer in chunks, each as large as the piece it carries."""
    head = (
        f"HTTP/1.1 {status} Status\r\ncontent-type: text/event-stream\r\n"
        f"content-encoding: {encoding}\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            sock, _ = listener.accept()
            with sock:
                hear_request(sock)
                chunks = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece]
                try:
                    sock.sendall(head.encode() + b"".join(chunks) + b"0\r\n\r\n")
                except OSError:
                    return  # the client has heard enough

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(5)


async def heard(url: str, max_answer: int = 1 << 26) -> tuple[bytes, Reply]:
    data = bytearray()

    def feed(chunk: bytes) -> bool:
        data.extend(chunk)
        return data.endswith(b"message_stop\n\n")

    transport = HttpTransport(Endpoint.parse(url, "/"), max_answer=max_answer)
    try:
        reply = await transport.post(
            [], b"{}", on_sent=lambda: None, feed=feed, cancel=CancelToken()
        )
    finally:
        await transport.close()
    return bytes(data), reply


async def failure(url: str, max_answer: int = 1 << 26) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await heard(url, max_answer)
    return caught.value


def deflated(wbits: int, data: bytes = STREAM) -> bytes:
    packer = zlib.compressobj(wbits=wbits)
    return packer.compress(data) + packer.flush()


ENCODED = {
    "gzip": ("gzip", gzip.compress(STREAM)),
    "x-gzip": ("X-GZIP", gzip.compress(STREAM)),
    "several members": ("gzip", gzip.compress(STREAM[:999]) + gzip.compress(STREAM[999:])),
    "deflate": ("deflate", zlib.compress(STREAM)),
    "raw deflate": ("deflate", deflated(-zlib.MAX_WBITS)),
    "identity": ("identity", STREAM),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("size", [1, 7, 100_000])
async def test_a_compressed_stream_is_understood_however_it_is_cut(name: str, size: int) -> None:
    encoding, data = ENCODED[name]
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    with serving(encoding, pieces) as url:
        found, reply = await heard(url)
    assert found == STREAM
    assert reply.streamed


def test_what_was_flushed_comes_at_once() -> None:
    packer, unpack = zlib.compressobj(wbits=31), Inflate()
    for word in (b"data: one\n\n", b"data: two\n\n"):
        sent = packer.compress(word) + packer.flush(zlib.Z_SYNC_FLUSH)
        assert b"".join(unpack.pieces(sent)) == word


async def test_a_small_answer_that_stands_for_a_huge_one_is_stopped_at_the_limit() -> None:
    bomb = gzip.compress(b"x" * 50_000_000)
    assert len(bomb) < 60_000
    with serving("gzip", [bomb]) as url:
        found = await failure(url, max_answer=1_000_000)
    assert type(found) is StreamBroken
    assert "longer than 1000000 bytes" in str(found)
    assert max(map(len, Inflate().pieces(bomb))) <= 65536


async def test_data_that_is_not_compressed_as_told_breaks_the_stream() -> None:
    good = gzip.compress(STREAM)
    for data in (b"data: plain\n\n" * 9, good[:40] + b"\xff" * 40):
        with serving("gzip", [data]) as url:
            found = await failure(url)
        assert type(found) is StreamBroken
        assert "compressed answer cannot be read" in str(found)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br"])
async def test_an_encoding_that_nobody_asked_for_is_named(encoding: str) -> None:
    with serving(encoding, [b"\x8b\x02"]) as url:
        found = await failure(url)
    assert type(found) is RequestRejected
    assert f"encoded as {encoding!r}" in str(found)


async def test_the_text_of_a_refusal_may_be_compressed_and_is_bounded() -> None:
    with serving("gzip", [gzip.compress(b"too many")], status=429) as url:
        _, reply = await heard(url)
    assert (reply.status, reply.body) == (429, b"too many")
    with serving("gzip", [gzip.compress(b"e" * 9_000_000)], status=500) as url:
        _, reply = await heard(url)
    assert (reply.status, len(reply.body)) == (500, 65536)
    with serving("br", [b"\x8b\x02"], status=503) as url:
        _, reply = await heard(url)
    assert (reply.status, reply.body) == (503, b"")
