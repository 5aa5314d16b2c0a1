from __future__ import annotations

import asyncio
import json
import socket

import pytest

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
    QuotaSpent,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.factory import Wire
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text, ToolCall
from induscode.kernel.model import StopReason
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_steps import (
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
from tests.gateway.openai_rig import CHAT, KEY, PATHS, WIRES, ask, failure, provider_at

both = pytest.mark.parametrize("wire", WIRES)


@both
async def test_an_answer_arrives_whole_and_the_exact_body_was_sent(wire: Wire) -> None:
    with OpenAIServer([calls(("read", {"path": "x"}), text="I read.", thinking="hm")]) as server:
        provider, heard = provider_at(wire, server.base_url + "/"), Heard()
        body = provider.encoder().encode(small_request())
        answer = await provider.exchange(body, heard, CancelToken())
        await provider.close()

    assert [type(part) for part in answer.content][1:] == [Text, ToolCall]
    assert answer.stop is StopReason.TOOLS
    assert "".join(heard.texts) == "I read."
    assert "".join(heard.thoughts) == "hm"
    assert heard.sent_count == 1
    assert (server.bodies, server.digests) == ([body.data], [body.sha256])
    received = server.requests[0]
    assert received.path == PATHS[wire]
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["user-agent"].startswith("induscode/")
    assert provider.partial is None
    assert provider.wire == wire
    assert provider.encoder().version == f"{wire}/1"


@both
async def test_a_connection_serves_many_answers(wire: Wire) -> None:
    with OpenAIServer([say(f"{n}") for n in range(5)]) as server:
        provider = provider_at(wire, server.base_url)
        answers = [await ask(provider) for _ in range(5)]
        await provider.close()
        assert server.connections == 1
    assert [answer.content for answer in answers] == [(Text(f"{n}"),) for n in range(5)]


@both
@pytest.mark.parametrize(
    ("step", "error", "retryable"),
    [
        (fail(400, "bad", code="context_length_exceeded"), ContextTooLong, False),
        (fail(400, "This model's maximum context length is 9"), ContextTooLong, False),
        (fail(400, "messages.3: bad block"), RequestRejected, False),
        (fail(422, "odd"), RequestRejected, False),
        (fail(401, "no", code="invalid_api_key"), KeyRefused, False),
        (fail(404, "gone", code="model_not_found"), ModelUnknown, False),
        (fail(408, "slow"), Overloaded, True),
        (fail(429, "limit", code="rate_limit_exceeded"), QuotaExceeded, True),
        (fail(429, "pay", code="insufficient_quota"), QuotaSpent, False),
        (fail(500, "oops"), Overloaded, True),
        (fail(503, "busy"), Overloaded, True),
        (wrong_type(), RequestRejected, False),
        (garbage(), StreamBroken, True),
        (cut(), StreamBroken, True),
        (cut(after_bytes=0), StreamBroken, True),
        (raw(b": nothing\n\n"), StreamBroken, True),
    ],
)  # fmt: skip
async def test_every_failure_is_one_line_of_the_right_family(
    wire: Wire, step: Step, error: type[ProviderError], retryable: bool
) -> None:
    found, _ = await failure(wire, step)
    assert type(found) is error
    assert found.retryable is retryable
    assert "\n" not in str(found)
    if step.status != 200:
        assert found.status == step.status
        assert json.loads(step.body or b"")["error"]["message"] in str(found)


@both
async def test_a_spent_quota_says_what_to_do(wire: Wire) -> None:
    message = "You exceeded your current quota"
    step = fail(429, message, code="insufficient_quota", retry_after=1)
    found, _ = await failure(wire, step)
    assert str(found) == (
        "the quota of the account at openai is used up: You exceeded your current quota"
        " (insufficient_quota); check your plan and billing"
    )
    assert not found.retryable


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"error":"no model loaded"}', "no model loaded"),
        (b'{"object":"error","message":"too hot","type":"BadRequestError","code":400}', "too hot"),
        (b'{"detail":[{"msg":"field required"}]}', "field required"),
        (b'[{"error":{"code":400,"message":"a list","status":"INVALID"}}]', "a list"),
        (b"<html>Bad gateway</html>", "Bad gateway"),
        (b'"text"', "text"),
    ],
)
async def test_errors_of_servers_that_imitate_are_told_in_their_words(
    body: bytes, told: str
) -> None:
    found, _ = await failure(CHAT, Step(status=400, content_type="application/json", body=body))
    assert type(found) is RequestRejected
    assert told in str(found)


@both
async def test_a_wish_to_wait_is_understood(wire: Wire) -> None:
    found, _ = await failure(wire, fail(429, retry_after=1.5))
    assert found.retry_after == 1.5


@both
async def test_a_cut_answer_leaves_what_had_arrived(wire: Wire) -> None:
    found, partial = await failure(wire, cut(1800, say("first half, second half " * 40, chunk=10)))
    assert type(found) is StreamBroken
    assert partial is not None
    assert partial.stop is StopReason.PARTIAL
    assert isinstance(partial.content[0], Text)
    assert partial.content[0].text.startswith("first half")


@both
async def test_a_silent_provider_is_given_up(wire: Wire) -> None:
    found, partial = await failure(wire, silent(), idle=0.2)
    assert type(found) is NetworkFailed
    assert partial is None
    found, partial = await failure(wire, stall(1500), idle=0.2)
    assert type(found) is StreamBroken
    assert partial is not None


@both
async def test_an_endless_answer_can_be_stopped_at_once(wire: Wire) -> None:
    with OpenAIServer([endless()]) as server:
        provider, cancel = provider_at(wire, server.base_url), CancelToken()
        loop = asyncio.get_running_loop()
        stopped: list[float] = []

        class Stopping(Heard):
            def text(self, delta: str) -> None:
                super().text(delta)
                if len(self.texts) == 100:
                    stopped.append(loop.time())
                    loop.call_soon(cancel.cancel, "enough")

        with pytest.raises(Cancelled, match="enough"):
            await ask(provider, Stopping(), cancel)
        assert loop.time() - stopped[0] < 0.1
        assert provider.partial is not None
        assert provider.partial.stop is StopReason.PARTIAL


@both
async def test_an_unreachable_provider_is_named_with_what_to_check(wire: Wire) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for name, hint in (("openai", "OPENAI_BASE_URL"), ("mine", "base_url of [providers.mine]")):
        with pytest.raises(NetworkFailed) as caught:
            await ask(provider_at(wire, f"http://127.0.0.1:{port}/v1", name=name))
        assert caught.value.hint == f"check {hint} or your network"


@both
async def test_the_key_never_appears_in_a_message_or_a_repr(wire: Wire) -> None:
    provider = provider_at(wire, "http://x")
    found = [
        (await failure(wire, step))[0]
        for step in (
            fail(401, f"key {KEY} is wrong"),
            fail(429, KEY, code="insufficient_quota"),
            fail(500, KEY),
        )
    ]
    shown = [repr(provider), *[str(each) for each in found], *[repr(each) for each in found]]
    shown += [repr(each.__context__) for each in found]
    assert not [text for text in shown if KEY in text]


@both
async def test_a_local_server_that_wants_no_key_gets_none(wire: Wire) -> None:
    with OpenAIServer([say("hi")]) as server:
        provider = provider_at(wire, server.base_url, key="")
        await ask(provider)
        await provider.close()
    assert "authorization" not in server.requests[0].headers


@both
def test_what_cannot_be_used_is_refused_before_anything_is_sent(wire: Wire) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        provider_at(wire, "localhost:8080")
    with pytest.raises(KeyRefused, match="OPENAI_API_KEY"):
        provider_at(wire, "http://x", key=f"{KEY}\nx-other: 1")
