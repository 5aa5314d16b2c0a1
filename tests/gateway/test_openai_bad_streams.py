"""Fifty bad streams of each kind, on each wire: typed errors, and memory that stays small."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable

import pytest

from induscode.errors import ProviderError
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.factory import Wire
from induscode.gateway.http_provider import Account, HttpProvider
from induscode.gateway.openai_chat import provider as chat
from induscode.gateway.openai_responses import provider as responses
from induscode.gateway.sse import MAX_LINE
from induscode.gateway.transport import HttpTransport
from induscode.kernel.model import Provider
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_steps import (
    Step,
    calls,
    cut,
    endless,
    garbage,
    raw,
    say,
    stall,
    wrong_type,
)
from tests.gateway.openai_rig import CHAT, WIRES, ask, provider_at

COUNT = 50
LONG = calls(("read", {"path": "x" * 300}), text="so it is " * 30, thinking="hm " * 40, chunk=9)
SMALL = 24 * 1024 * 1024

KINDS: dict[str, tuple[Callable[[int], Step], set[str]]] = {
    "cut": (lambda n: cut(100 * n, LONG), {"StreamBroken"}),
    "half frames": (lambda n: raw(b'data: {"type":"x","delta' + b"a" * n), {"StreamBroken"}),
    "garbage": (lambda n: garbage() if n % 2 else raw(b"\xff" * 999 + b"\n\n"), {"StreamBroken"}),
    "nonsense that is JSON": (lambda n: raw(b"data: [%d]\n\n" % n), {"StreamBroken"}),
    "wrong type": (lambda _: wrong_type(), {"RequestRejected"}),
    "stalled": (lambda n: stall(40 * n, LONG), {"StreamBroken", "NetworkFailed"}),
    "no event at all": (lambda n: raw(b": ping\n\n" * n), {"StreamBroken"}),
}


def _bounded(wire: Wire, url: str) -> Provider:
    """A provider that gives up after 50,000 bytes."""
    dialect = chat.DIALECT if wire == CHAT else responses.DIALECT
    transport = HttpTransport(Endpoint.parse(url, dialect.path), max_answer=50_000)
    return HttpProvider(dialect, Account("openai", "gpt-x", ""), transport)


async def _endings(
    wire: Wire,
    steps: list[Step],
    *,
    at_once: int,
    make: Callable[[Wire, str], Provider] = provider_at,
) -> tuple[list[str], int]:
    """How each stream ends, so many of them at the same time, and the most memory it took."""
    room = asyncio.Semaphore(at_once)

    async def one(url: str) -> str:
        async with room:
            provider = make(wire, url)
            try:
                await ask(provider)
            except ProviderError as error:
                return f"{type(error).__name__}: {error}"
            finally:
                await provider.close()
        return "fine"

    tracemalloc.start()
    try:
        with OpenAIServer(steps) as server:
            found = await asyncio.gather(*[one(server.base_url) for _ in steps])
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind", KINDS)
async def test_fifty_bad_streams_at_once_end_in_typed_errors(wire: Wire, kind: str) -> None:
    make, families = KINDS[kind]
    wait = 0.5 if kind == "stalled" else 20.0
    found, peak = await _endings(
        wire,
        [make(n) for n in range(COUNT)],
        at_once=COUNT,
        make=lambda wire, url: provider_at(wire, url, idle=wait),
    )
    assert {ending.partition(":")[0] for ending in found} <= families
    assert peak < SMALL


@pytest.mark.parametrize("wire", WIRES)
async def test_fifty_lines_without_end_are_given_up_at_the_limit(wire: Wire) -> None:
    line = Step(body=b"data: " + b"x" * (MAX_LINE + 1024))
    found, peak = await _endings(wire, [line] * COUNT, at_once=2)
    assert found == [f"StreamBroken: a line of the answer is longer than {MAX_LINE} bytes"] * COUNT
    assert peak < 12 * MAX_LINE, "what one stream may hold (and its server) does not pile up"


@pytest.mark.parametrize("wire", WIRES)
async def test_fifty_answers_without_end_are_given_up_at_the_limit(wire: Wire) -> None:
    found, peak = await _endings(wire, [endless()] * COUNT, at_once=2, make=_bounded)
    assert found == ["StreamBroken: the answer is longer than 50000 bytes"] * COUNT
    assert peak < SMALL


@pytest.mark.parametrize("wire", WIRES)
async def test_good_streams_among_bad_ones_arrive(wire: Wire) -> None:
    steps = [say("good") if n % 10 == 0 else garbage() for n in range(COUNT)]
    found, _ = await _endings(wire, steps, at_once=COUNT)
    assert found.count("fine") == COUNT // 10
