from __future__ import annotations

import asyncio
import json
import socket
from email.utils import formatdate

import pytest
from anthropic import AsyncAnthropic

from induscode.errors import (
    Cancelled,
    ConfigError,
    ContextTooLong,
    KeyRefused,
    ModelUnknown,
    NetworkFailed,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway import ProviderSpec, connect
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text, Thinking, ToolCall
from induscode.kernel.model import Answer, Provider, StopReason
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import (
    Script,
    Step,
    calls,
    cut,
    endless,
    fail,
    garbage,
    raw,
    say,
    silent,
    stall,
    wrong_type,
)
from tests.gateway.conversations import Heard, small_request

KEY = "sk-ant-secret-0123456789"


def provider_at(url: str, *, idle: float = 5.0, key: str = KEY) -> Provider:
    return connect(
        ProviderSpec(
            provider="anthropic",
            model="claude-x",
            wire="anthropic",
            base_url=url,
            api_key=key,
            idle_timeout=idle,
        )
    )


async def ask(
    provider: Provider, heard: Heard | None = None, cancel: CancelToken | None = None
) -> Answer:
    body = provider.encoder().encode(small_request())
    return await provider.exchange(body, heard or Heard(), cancel or CancelToken())


async def failure(step: Script, *, idle: float = 5.0) -> tuple[ProviderError, Answer | None]:
    with AnthropicServer([step]) as server:
        provider = provider_at(server.url, idle=idle)
        with pytest.raises(ProviderError) as caught:
            await ask(provider)
        await provider.close()
        return caught.value, provider.partial


async def test_an_answer_arrives_whole_and_the_exact_body_was_sent() -> None:
    step = calls(("read", {"path": "x"}), text="I read.", thinking="hm")
    with AnthropicServer([step]) as server:
        provider, heard = provider_at(server.url + "/"), Heard()
        body = provider.encoder().encode(small_request())
        answer = await provider.exchange(body, heard, CancelToken())
        await provider.close()

    assert [type(part) for part in answer.content] == [Thinking, Text, ToolCall]
    assert answer.stop is StopReason.TOOLS
    assert "".join(heard.texts) == "I read."
    assert heard.sent_count == 1
    assert server.bodies == [body.data]
    assert server.digests == [body.sha256]
    received = server.requests[0]
    assert received.path == "/v1/messages"
    assert received.headers["x-api-key"] == KEY
    assert received.headers["anthropic-version"] == "2023-06-01"
    assert received.headers["accept-encoding"] == "identity"
    assert received.headers["user-agent"].startswith("induscode/")
    assert provider.partial is None
    assert provider.wire == "anthropic"


@pytest.mark.parametrize(
    "step",
    [
        say("Hello \U0001f600 wörld\n", chunk=3),
        say("", stop_reason="end_turn"),
        calls(("read", {"path": "a"}), ("read", {"path": "b", "n": [1, 2.5]}), text="Both."),
        say("Yes.", thinking="Should I?", usage={"input": 9, "output": 4, "cache_read": 3}),
    ],
)
async def test_the_vendors_own_client_reads_the_same_answer(step: Step) -> None:
    with AnthropicServer([step, step]) as server:
        provider = provider_at(server.url)
        ours = await ask(provider)
        await provider.close()
        async with (
            AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0) as client,
            client.messages.stream(
                model="claude-x", max_tokens=9, messages=[{"role": "user", "content": "x"}]
            ) as stream,
        ):
            theirs = await stream.get_final_message()

    seen: list[object] = []
    for block in theirs.content:
        match block.type:
            case "text":
                seen.append(Text(block.text))
            case "thinking":
                seen.append(Thinking(block.thinking, block.signature))
            case "tool_use":
                seen.append((block.name, block.input))
            case _:
                raise AssertionError(block)
    assert seen == [
        (part.name, part.decoded()) if isinstance(part, ToolCall) else part for part in ours.content
    ]
    assert ours.usage.input == theirs.usage.input_tokens
    assert ours.usage.output == theirs.usage.output_tokens
    assert ours.usage.cache_read == theirs.usage.cache_read_input_tokens
    stops = {"end_turn": StopReason.END, "tool_use": StopReason.TOOLS}
    assert ours.stop is stops[theirs.stop_reason or ""]


@pytest.mark.parametrize(
    ("step", "error", "retryable"),
    [
        (fail(400, "prompt is too long: 210000 tokens > 200000 maximum"), ContextTooLong, False),
        (fail(400, "messages.3: bad block"), RequestRejected, False),
        (fail(413, "too large"), RequestRejected, False),
        (fail(422, "odd"), RequestRejected, False),
        (fail(301, ""), RequestRejected, False),
        (fail(401, "invalid x-api-key"), KeyRefused, False),
        (fail(403, "no"), KeyRefused, False),
        (fail(404, "model: claude-x"), ModelUnknown, False),
        (fail(408, "slow"), Overloaded, True),
        (fail(409, "conflict"), Overloaded, True),
        (fail(429, "limit"), QuotaExceeded, True),
        (fail(500, "oops"), Overloaded, True),
        (fail(529, "Overloaded"), Overloaded, True),
        (wrong_type(), RequestRejected, False),
        (garbage(), StreamBroken, True),
        (cut(), StreamBroken, True),
        (cut(after_bytes=0), StreamBroken, True),
        (cut(after_bytes=10), StreamBroken, True),
        (raw(b": nothing\n\n"), StreamBroken, True),
    ],
)  # fmt: skip
async def test_every_failure_is_one_line_of_the_right_family(
    step: Step, error: type[ProviderError], retryable: bool
) -> None:
    found, _ = await failure(step)
    assert type(found) is error
    assert found.retryable is retryable
    assert "\n" not in str(found)
    if step.status != 200:
        assert found.status == step.status
        assert json.loads(step.body or b"")["error"]["message"] in str(found)


async def test_a_wish_to_wait_is_understood_as_seconds_and_as_a_date() -> None:
    found, _ = await failure(fail(429, retry_after=1.5))
    assert found.retry_after == 1.5
    found, _ = await failure(fail(429, retry_after=formatdate(usegmt=True)))
    assert found.retry_after is not None
    assert 0 <= found.retry_after < 5
    found, _ = await failure(fail(529, retry_after="whenever"))
    assert found.retry_after is None


async def test_a_cut_answer_leaves_what_had_arrived() -> None:
    found, partial = await failure(
        cut(step=say("first half, second half", chunk=10), after_bytes=900)
    )
    assert type(found) is StreamBroken
    assert partial is not None
    assert partial.stop is StopReason.PARTIAL
    assert isinstance(partial.content[0], Text)
    assert partial.content[0].text.startswith("first half")


async def test_a_silent_provider_is_given_up() -> None:
    found, partial = await failure(silent(), idle=0.2)
    assert type(found) is NetworkFailed
    assert "sent nothing for 0.2 s" in str(found)
    assert partial is None
    found, partial = await failure(stall(after_bytes=700), idle=0.2)
    assert type(found) is StreamBroken
    assert partial is not None


async def test_an_endless_answer_can_be_stopped_at_once() -> None:
    with AnthropicServer([endless()]) as server:
        provider, cancel = provider_at(server.url), CancelToken()
        loop = asyncio.get_running_loop()

        class Stopping(Heard):
            def text(self, delta: str) -> None:
                super().text(delta)
                if len(self.texts) == 100:
                    stopped.append(loop.time())
                    loop.call_soon(cancel.cancel, "enough")

        stopped: list[float] = []
        with pytest.raises(Cancelled, match="enough"):
            await ask(provider, Stopping(), cancel)
        assert loop.time() - stopped[0] < 0.1
        assert provider.partial is not None
        assert provider.partial.stop is StopReason.PARTIAL


async def test_waiting_for_a_first_byte_can_be_stopped_at_once() -> None:
    with AnthropicServer([silent()]) as server:
        provider, cancel = provider_at(server.url), CancelToken()
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(ask(provider, None, cancel))
        assert await asyncio.to_thread(server.wait_for, 1)
        begun = loop.time()
        cancel.cancel()
        with pytest.raises(Cancelled):
            await task
        assert loop.time() - begun < 0.1
        assert provider.partial is None


async def test_an_unreachable_provider_is_named_with_what_to_check() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    provider = provider_at(f"http://127.0.0.1:{port}")
    with pytest.raises(NetworkFailed) as caught:
        await ask(provider)
    assert str(caught.value) == (
        f"127.0.0.1:{port} refuses the connection; check ANTHROPIC_BASE_URL or your network"
    )


async def test_a_host_that_does_not_exist_is_a_network_failure() -> None:
    for host in ("does-not-exist.invalid", "x" * 70 + ".invalid"):
        with pytest.raises(NetworkFailed, match="invalid"):
            await ask(provider_at(f"http://{host}"))


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://x", "http://", "http://x:port"])
def test_an_address_that_is_none_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        provider_at(url)


@pytest.mark.parametrize("step", [fail(401, f"key {KEY} is wrong"), fail(500, KEY), wrong_type()])
async def test_the_key_never_appears_in_a_message_or_a_repr(step: Step) -> None:
    found, _ = await failure(step)
    spec = ProviderSpec(provider="a", model="m", wire="anthropic", base_url="http://x", api_key=KEY)
    shown = [str(found), repr(found), repr(found.__cause__), repr(found.__context__), repr(spec)]
    shown += [str(spec), repr(provider_at("http://x"))]
    assert not [text for text in shown if KEY in text]


def test_a_key_that_no_header_can_carry_is_refused_without_showing_it() -> None:
    for bad in (f"{KEY}\nx-other: 1", f"{KEY}\u20ac"):
        with pytest.raises(KeyRefused) as caught:
            provider_at("http://x", key=bad)
        assert KEY not in str(caught.value)
        assert "ANTHROPIC_API_KEY" in str(caught.value)


async def test_a_local_server_that_wants_no_key_gets_none() -> None:
    with AnthropicServer([say("hi")]) as server:
        provider = provider_at(server.url, key="")
        await ask(provider)
        await provider.close()
    assert "x-api-key" not in server.requests[0].headers
