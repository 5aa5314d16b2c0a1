from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread

import h11
import pytest

from induscode.errors import (
    Cancelled,
    LogDown,
    NetworkFailed,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.faults import FOREIGN, fault_of
from induscode.gateway.reply import Reply, Sink
from induscode.gateway.transport import HttpTransport, Timeouts
from induscode.kernel.cancel import CancelToken
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import Ending, Step, fail, say
from tests.fakes.http_server import hear_request
from tests.requirements import requirement


class Post:
    """One post and everything that was heard of it."""

    def __init__(self) -> None:
        self.data = b""
        self.sent = 0
        self.cancel = CancelToken()

    def on_sent(self) -> None:
        self.sent += 1

    def feed(self, chunk: bytes) -> bool:
        self.data += chunk
        return b"message_stop" in chunk

    async def go(self, transport: HttpTransport, body: bytes = b"{}") -> Reply:
        return await transport.post(
            [("x-one", "1")], body, on_sent=self.on_sent, feed=self.feed, cancel=self.cancel
        )


def transport_to(url: str, reports: list[str] | None = None, **limits: float) -> HttpTransport:
    return HttpTransport(
        Endpoint.parse(url, "/v1/messages"),
        timeouts=Timeouts(**limits),
        on_reconnect=None if reports is None else reports.append,
    )


@contextmanager
def answering(
    *replies: bytes, hear: Callable[[socket.socket], object] = hear_request
) -> Generator[str]:
    """A server that sends each connection the next reply to its first request, and closes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for reply in replies:
                sock, _ = listener.accept()
                with sock:
                    hear(sock)
                    sock.sendall(reply)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(5)


async def test_a_connection_is_kept_for_the_next_request() -> None:
    with AnthropicServer([say("a"), fail(429), say("b")]) as server:
        transport = transport_to(server.url)
        statuses = [(await Post().go(transport)).status for _ in range(3)]
        await transport.close()
    assert statuses == [200, 429, 200]
    assert server.connections == 1


async def test_a_connection_that_was_closed_meanwhile_is_replaced_and_reported() -> None:
    reports: list[str] = []
    with AnthropicServer([say("a"), say("b")]) as server:
        transport = transport_to(server.url, reports)
        await Post().go(transport)
        server.hang_up_idle()
        post = Post()
        reply = await post.go(transport)
        await transport.close()
    assert (reply.status, post.sent, server.connections) == (200, 1, 2)
    assert len(reports) == 1
    assert reports[0].startswith(f"127.0.0.1:{server.port}: the kept connection")


@requirement("log.pitfall.13-dead-idle-connection")
async def test_a_request_is_sent_twice_only_if_the_kept_connection_was_dead() -> None:
    whole = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 12\r\n\r\n"
    reports: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            sock, _ = listener.accept()
            hear_request(sock)
            sock.sendall(whole + b"message_stop")
            hear_request(sock)  # the second request arrives, and nobody answers it
            sock.close()
            sock, _ = listener.accept()
            hear_request(sock)
            sock.sendall(whole + b"message_stop")
            sock.close()

        thread = Thread(target=serve, daemon=True)
        thread.start()
        transport = transport_to(f"http://127.0.0.1:{listener.getsockname()[1]}", reports)
        await Post().go(transport)
        post = Post()
        assert (await post.go(transport)).status == 200
        await transport.close()
        thread.join(5)
    assert post.sent == 1, "the log is told once, however often the bytes went out"
    assert len(reports) == 1
    assert "the request goes out on a new one" in reports[0]


@requirement("log.pitfall.13-dead-idle-connection")
async def test_a_kept_connection_that_dies_in_the_middle_of_an_answer_is_not_replaced() -> None:
    begun = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 12\r\n\r\n"
    reports: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            sock, _ = listener.accept()
            with sock:
                hear_request(sock)
                sock.sendall(begun + b"message_stop")
                hear_request(sock)
                sock.sendall(begun + b"mess")

        thread = Thread(target=serve, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        transport = transport_to(url, reports, idle=5.0)
        await Post().go(transport)
        with pytest.raises(StreamBroken):
            await Post().go(transport)
        thread.join(5)
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert reports == []


@requirement("log.pitfall.13-dead-idle-connection")
async def test_a_new_connection_that_dies_is_not_tried_again() -> None:
    with answering(b"") as url, pytest.raises(NetworkFailed, match="the connection was closed"):
        await Post().go(transport_to(url))


async def test_a_connection_that_idled_too_long_is_not_trusted() -> None:
    with AnthropicServer([say("a"), say("b")]) as server:
        transport = transport_to(server.url, kept=-1.0)
        await Post().go(transport)
        await Post().go(transport)
        await transport.close()
    assert server.connections == 2


async def test_a_finished_answer_does_not_wait_for_a_message_without_end() -> None:
    step = Step(say("a").blocks, ending=Ending.STALL)
    with AnthropicServer([step, say("b")]) as server:
        transport = transport_to(server.url, settle=0.05)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await Post().go(transport)
        assert loop.time() - begun < 2
        await Post().go(transport)
        await transport.close()
    assert server.connections == 2


async def test_a_large_body_is_sent_whole_before_the_log_is_told() -> None:
    with AnthropicServer([say("a")]) as server:
        transport, post = transport_to(server.url), Post()
        body = b"x" * 20_000_000
        await post.go(transport, body)
        await transport.close()
    assert server.bodies == [body]
    assert post.sent == 1


async def test_a_refusal_that_comes_before_the_body_was_read_is_heard() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            sock, _ = listener.accept()
            sock.recv(1000)
            sock.sendall(b"HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig")
            sock.recv(1)
            done.wait(5)
            sock.close()

        done = Event()
        Thread(target=serve, daemon=True).start()
        transport, post = transport_to(f"http://127.0.0.1:{listener.getsockname()[1]}"), Post()
        reply = await post.go(transport, b"x" * 50_000_000)
        done.set()
    assert (reply.status, reply.body) == (413, b"big")
    assert post.sent == 0, "the body was never handed over"
    with pytest.raises(NetworkFailed, match="refuses the connection"):
        await post.go(transport)  # a line with half a request on it is not used again


async def test_what_the_log_raises_while_it_is_told_ends_the_exchange() -> None:
    with AnthropicServer([say("a")]) as server:
        transport = transport_to(server.url)

        def log_fails() -> None:
            raise LogDown("disk full")

        with pytest.raises(LogDown):
            await transport.post(
                [], b"{}", on_sent=log_fails, feed=lambda _: True, cancel=CancelToken()
            )


async def test_a_cancelled_token_sends_nothing() -> None:
    post = Post()
    post.cancel.cancel("no")
    with AnthropicServer() as server, pytest.raises(Cancelled):
        await post.go(transport_to(server.url))
    assert server.requests == []


async def test_connecting_can_be_cancelled() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        full = [socket.socket() for _ in range(4)]  # the queue is full: connecting waits
        for sock in full:
            sock.setblocking(False)
            sock.connect_ex(("127.0.0.1", port))
        post = Post()
        loop = asyncio.get_running_loop()
        loop.call_later(0.05, post.cancel.cancel)
        begun = loop.time()
        with pytest.raises(Cancelled):
            await post.go(transport_to(f"http://127.0.0.1:{port}"))
        assert loop.time() - begun < 0.5
        with pytest.raises(NetworkFailed, match="in time"):
            await Post().go(transport_to(f"http://127.0.0.1:{port}", connect=0.1))
        for sock in full:
            sock.close()


STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH_9\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000,
        STREAM + b"content-length: 9\r\n\r\nab",
        STREAM + b"transfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
)
async def test_a_server_that_does_not_keep_to_http_is_told_apart(reply: bytes) -> None:
    with answering(reply) as url, pytest.raises(StreamBroken):
        await Post().go(transport_to(url))


async def test_an_answer_that_ends_with_its_connection_is_whole() -> None:
    with answering(STREAM + b"\r\nmessage_stop") as url:
        post = Post()
        assert (await post.go(transport_to(url))).streamed
    assert post.data == b"message_stop"


async def test_tls_is_checked_and_its_failure_is_told() -> None:
    with (
        answering(b"HTTP/1.1 400 Bad\r\n\r\n", hear=lambda sock: sock.recv(65536)) as url,
        pytest.raises(NetworkFailed, match="TLS with 127"),
    ):
        await Post().go(transport_to(url.replace("http", "https")))


async def test_the_text_of_a_refusal_is_bounded_and_may_break_off() -> None:
    endless = b"HTTP/1.1 500 Oops\r\ncontent-length: 900000\r\n\r\n" + b"e" * 900_000
    broken = b"HTTP/1.1 503 Oops\r\ncontent-length: 900\r\n\r\nhalf a reas"
    with answering(endless, broken) as url:
        transport = transport_to(url)
        first = await Post().go(transport)
        second = await Post().go(transport)
    assert (first.status, len(first.body)) == (500, 65536)
    assert (second.status, second.body) == (503, b"half a reas")


def test_an_answer_over_the_limit_breaks_the_stream() -> None:
    sink = Sink(lambda _: False, max_answer=10)
    sink.begin(h11.Response(status_code=200, headers=[("content-type", "text/event-stream")]))
    sink.take(b"x" * 10)
    with pytest.raises(StreamBroken, match="longer than 10 bytes"):
        sink.take(b"x")


def _family(root: type[BaseException]) -> list[type[BaseException]]:
    """The error and those derived from it, of Python and of what the transport speaks with; other
    libraries, which other tests may have loaded, never raise theirs there."""
    found = [root]
    for kind in root.__subclasses__():
        if kind.__module__.partition(".")[0] in {*sys.stdlib_module_names, "h11"}:
            found += _family(kind)
    return found


@pytest.mark.parametrize("answering", [False, True])
def test_every_foreign_error_has_its_place_in_our_own_family(answering: bool) -> None:
    for kind in {member for root in FOREIGN for member in _family(root)}:
        error = kind.__new__(kind)
        assert isinstance(error, Exception)
        found = fault_of(error, where="h:1", hint="check", answering=answering)
        assert isinstance(found, NetworkFailed | StreamBroken | RequestRejected), kind
        assert "\n" not in str(found)
    assert {ssl.SSLError, TimeoutError, socket.gaierror} <= set(_family(OSError))


@pytest.mark.parametrize(
    ("url", "where", "host", "path"),
    [
        ("https://api.example.com", "api.example.com:443", "api.example.com", "/v1/messages"),
        ("http://[::1]:8080/", "::1:8080", "[::1]:8080", "/v1/messages"),
        ("http://me:pw@h/prefix/", "h:80", "h", "/prefix/v1/messages"),
    ],
)
def test_a_base_url_may_have_a_port_and_a_path(url: str, where: str, host: str, path: str) -> None:
    endpoint = Endpoint.parse(url, "/v1/messages")
    assert (endpoint.where, endpoint.host_header, endpoint.path) == (where, host, path)
