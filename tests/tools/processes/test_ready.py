"""When the tool `process` takes a process for ready."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from induscode.errors import Cancelled
from induscode.tools.processes import limits
from tests.tools.processes.conftest import Yard
from tests.tools.processes.escapes import alive, marked, python
from tests.tools.waiting import BOUND, until

SERVER = """
import http.server, sys, time
time.sleep(float(sys.argv[2]))
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(sys.argv[3])); self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Answers).serve_forever()
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


async def test_start_waits_for_words_in_the_output(yard: Yard) -> None:
    command = "echo building; sleep 0.4; echo 'listening on port 3000'; exec sleep 300"
    told = await yard.told("start", command=command, ready={"output": r"listening on .*\d+"})

    assert told.startswith("p1 is running")
    assert "Ready.\nbuilding\nlistening on port 3000\n" in told


async def test_words_before_the_end_of_a_line_count(yard: Yard) -> None:
    told = await yard.told(
        "start", command="printf 'ready> '; exec sleep 300", ready={"output": "ready> $"}
    )

    assert "Ready." in told


async def test_start_waits_for_a_port_and_an_address(yard: Yard) -> None:
    port = free_port()
    ready = {"port": port, "url": f"http://localhost:{port}/health?x=1"}

    told = await yard.told("start", command=f"{python(SERVER)} {port} 0.4 404", ready=ready)

    assert "Ready." in told
    assert "GET /health?x=1" in told


async def test_a_server_in_trouble_is_not_ready(yard: Yard) -> None:
    port = free_port()
    ready = {"url": f"http://127.0.0.1:{port}"}

    told = await yard.failed(
        "start", command=f"{python(SERVER)} {port} 0 503", ready=ready, timeout=1
    )

    assert f"Not ready after 1 s: http://127.0.0.1:{port} did not answer." in told


async def test_all_conditions_must_be_met(yard: Yard) -> None:
    told = await yard.failed(
        "start", command="echo up; sleep 300", ready={"output": "up", "port": 1}, timeout=0.5
    )

    assert "Not ready after 0.5 s: port 1 did not accept. It goes on" in told
    assert "\nup\n" in told
    assert (await yard.told("status", id="p1")).startswith("p1 is running")


async def test_a_process_that_dies_before_it_is_ready_is_told(yard: Yard) -> None:
    began = time.monotonic()
    told = await yard.failed(
        "start", command="echo cannot; sleep 0.3; exit 4", ready={"port": free_port()}
    )

    assert told.startswith("p1 exited with code 4. It ended before it was ready.\ncannot\n")
    assert time.monotonic() - began < limits.READY_SECONDS / 2


async def test_a_port_that_another_serves_starts_nothing(yard: Yard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for ready in ({"port": port}, {"url": f"http://localhost:{port}/delete"}):
            told = await yard.failed("start", command="touch made", ready=ready)
            assert told.startswith(f"Port {port} is already served")
        server.settimeout(0)
        for _ in range(2):
            visitor, _ = server.accept()
            with visitor:
                assert await asyncio.to_thread(visitor.recv, 100) == b"", "it was sent words"
    assert list(yard.cwd.iterdir()) == []


async def test_an_expression_that_takes_for_ever_elsewhere_does_not_hold_us(yard: Yard) -> None:
    began = time.monotonic()
    await yard.failed(
        "start", command=f"echo {'a' * 60}; sleep 300", ready={"output": "(a+)+$b"}, timeout=0.5
    )

    assert time.monotonic() - began < BOUND / 2


async def test_cancelling_a_start_ends_the_process(yard: Yard) -> None:
    command = marked(yard.marker, "setsid sleep 1000 & sleep 1000")
    call = asyncio.create_task(yard.do("start", command=command, ready={"output": "never"}))
    await until(lambda: len(alive(yard.marker)) >= 2)

    yard.cancel.cancel()

    with pytest.raises(Cancelled):
        await asyncio.wait_for(call, BOUND)
    assert alive(yard.marker) == []


async def test_cancelling_a_wait_leaves_the_process(yard: Yard) -> None:
    await yard.told("start", command=marked(yard.marker, "exec sleep 1000"))
    call = asyncio.create_task(yard.do("wait", id="p1"))
    await asyncio.sleep(0)

    yard.cancel.cancel()

    with pytest.raises(Cancelled):
        await asyncio.wait_for(call, BOUND)
    assert len(alive(yard.marker)) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "http://10.0.0.1:80/",
        "http://localhost.example.com/",
        "http://localhost@example.com/",
        "https://localhost/",
        "ftp://localhost/",
        "localhost:3000",
        "http://[::1",
        "http://localhost:0/",
        "http://localhost:99999/",
        "http://localhost/a b",
        "http://localhost/\r\nX: y",
        "http://localhost/é",
    ],
)
async def test_only_addresses_of_this_machine_are_asked(yard: Yard, url: str) -> None:
    told = await yard.failed("start", command="touch made", ready={"url": url})

    assert "`ready.url` of process must be http://, on localhost" in told
    assert list(yard.cwd.iterdir()) == []
