from __future__ import annotations

import json
from base64 import b64encode

import pytest
from google import genai
from google.genai import types

from induscode.errors import (
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
from induscode.kernel.model import Answer, Provider, StopReason, Usage
from tests.fakes.gemini_server import GeminiServer
from tests.fakes.gemini_steps import (
    Script,
    Step,
    calls,
    cut,
    fail,
    garbage,
    raw,
    say,
    silent,
    stall,
    wrong_type,
)
from tests.gateway.conversations import Heard, small_request

KEY = "AIza-secret-0123456789"


def provider_at(
    url: str, *, idle: float = 5.0, key: str = KEY, model: str = "gemini-x"
) -> Provider:
    spec = ProviderSpec(
        provider="gemini",
        model=model,
        wire="gemini",
        base_url=url,
        api_key=key,
        idle_timeout=idle,
    )
    return connect(spec, environ={})


async def ask(provider: Provider, heard: Heard | None = None) -> Answer:
    body = provider.encoder().encode(small_request())
    return await provider.exchange(body, heard or Heard(), CancelToken())


async def failure(step: Script, *, idle: float = 5.0) -> tuple[ProviderError, Answer | None]:
    with GeminiServer([step]) as server:
        provider = provider_at(server.url, idle=idle)
        with pytest.raises(ProviderError) as caught:
            await ask(provider)
        await provider.close()
        return caught.value, provider.partial


async def test_an_answer_arrives_whole_and_the_exact_body_was_sent() -> None:
    step = calls(("read", {"path": "x"}), text="I read.", thinking="hm")
    with GeminiServer([step]) as server:
        provider, heard = provider_at(server.url + "/"), Heard()
        body = provider.encoder().encode(small_request())
        answer = await provider.exchange(body, heard, CancelToken())
        await provider.close()

    assert [type(part) for part in answer.content] == [Thinking, Text, ToolCall]
    assert answer.stop is StopReason.TOOLS
    assert answer.model == "gemini-x"
    assert "".join(heard.texts) == "I read."
    assert heard.sent_count == 1
    assert server.bodies == [body.data]
    received = server.requests[0]
    assert received.path == "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"
    assert received.headers["x-goog-api-key"] == KEY
    assert provider.partial is None
    assert provider.wire == "gemini"


async def test_a_model_whose_name_is_not_a_path_is_named_safely() -> None:
    with GeminiServer([say("hi")]) as server:
        provider = provider_at(server.url, model="a b?c#d")
        await ask(provider)
        await provider.close()
    assert server.requests[0].path == ("/v1beta/models/a%20b%3Fc%23d:streamGenerateContent?alt=sse")


@pytest.mark.parametrize(
    "step",
    [
        say("Hello \U0001f600 wörld\n", chunk=3),
        say("", finish="MAX_TOKENS"),
        calls(("read", {"path": "a"}), ("read", {"path": "b", "n": [1, 2.5]}), text="Both."),
        calls(("read", {"path": "a"}), ("ls", {}), ids=True, signature="AAEC"),
        say(
            "Yes.",
            thinking="Should I?",
            signature="AAEC",
            usage={"input": 9, "output": 14, "cache_read": 3, "reasoning": 8},
        ),
        say("no", finish="SAFETY"),
    ],
)
async def test_the_vendors_own_client_reads_the_same_answer(step: Step) -> None:
    with GeminiServer([step, step]) as server:
        provider = provider_at(server.url)
        ours = await ask(provider)
        await provider.close()
        options = types.HttpOptions(base_url=server.url, api_version="v1beta")
        with genai.Client(api_key="k", http_options=options) as client:
            theirs = list(client.models.generate_content_stream(model="gemini-x", contents="hello"))

    assert ours.content == tuple(_merged(theirs, ours))
    last = theirs[-1]
    counted = last.usage_metadata
    assert counted is not None
    cached, thoughts = counted.cached_content_token_count or 0, counted.thoughts_token_count or 0
    assert ours.usage == Usage(
        input=(counted.prompt_token_count or 0) - cached,
        output=(counted.candidates_token_count or 0) + thoughts,
        cache_read=cached,
        reasoning=thoughts,
    )
    assert last.candidates
    stops = {"STOP": {StopReason.END, StopReason.TOOLS}, "MAX_TOKENS": {StopReason.LENGTH}}
    told = last.candidates[0].finish_reason
    assert ours.stop in stops.get(told.name if told else "", {StopReason.REFUSAL})
    assert (ours.model, ours.id) == (last.model_version, "resp_0001")


def _merged(chunks: list[types.GenerateContentResponse], ours: Answer) -> list[object]:
    """The vendor's parts, put together; ids that we made are taken from `ours`."""
    made = iter([block for block in ours.content if isinstance(block, ToolCall)])
    seen: list[object] = []
    for chunk in chunks:
        for part in (chunk.candidates or [])[0].content.parts or []:
            signature = b64encode(part.thought_signature or b"").decode()
            if part.function_call is not None:
                call = next(made)
                assert part.function_call.id in {None, call.id}
                assert part.function_call.args == call.decoded()
                assert (part.function_call.name, signature) == (call.name, call.signature)
                seen.append(call)
            elif signature:
                seen.append(Thinking("", signature))
            elif part.text:
                kind = Thinking if part.thought else Text
                if seen and type(seen[-1]) is kind:
                    seen[-1] = kind(seen[-1].text + part.text)
                else:
                    seen.append(kind(part.text))
    return seen


@pytest.mark.parametrize(
    ("step", "error", "retryable"),
    [
        (
            fail(400, "The input token count (1048577) exceeds the maximum number of tokens"),
            ContextTooLong,
            False,
        ),
        (fail(400, "Invalid JSON payload received."), RequestRejected, False),
        (fail(400, "API key not valid.", reason="API_KEY_INVALID"), KeyRefused, False),
        (fail(400, "API key expired.", reason="API_KEY_INVALID"), KeyRefused, False),
        (fail(401, "no key"), KeyRefused, False),
        (fail(403, "no"), KeyRefused, False),
        (fail(404, "models/gemini-x is not found"), ModelUnknown, False),
        (fail(408, "slow"), Overloaded, True),
        (fail(409, "conflict"), Overloaded, True),
        (fail(429, "limit"), QuotaExceeded, True),
        (fail(500, "oops"), Overloaded, True),
        (fail(503, "The model is overloaded."), Overloaded, True),
        (wrong_type(), RequestRejected, False),
        (garbage(), StreamBroken, True),
        (cut(), StreamBroken, True),
        (cut(after_bytes=0), StreamBroken, True),
        (cut(after_bytes=10), StreamBroken, True),
        (raw(b": nothing\n\n"), StreamBroken, True),
        (say("x", finish="MALFORMED_FUNCTION_CALL"), StreamBroken, True),
    ],
)
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


@pytest.mark.parametrize(
    ("step", "seconds"),
    [
        (fail(429, delay="17.5s"), 17.5),
        (fail(429, delay="3s", retry_after=2), 2.0),
        (fail(429, delay="soon"), None),
        (fail(429), None),
        (fail(503, retry_after=1.5), 1.5),
    ],
)
async def test_a_wish_to_wait_is_found_in_the_header_and_in_the_details(
    step: Step, seconds: float | None
) -> None:
    found, _ = await failure(step)
    assert found.retry_after == seconds


async def test_an_error_that_comes_as_a_list_is_understood() -> None:
    listed = Step(status=400, body=b"[%b]" % (fail(400, "odd field").body or b""))
    found, _ = await failure(listed)
    assert "odd field" in str(found)
    assert "@type" not in str(found)


async def test_a_cut_answer_leaves_what_had_arrived() -> None:
    found, partial = await failure(
        cut(step=say("first half, second half", chunk=10), after_bytes=420)
    )
    assert type(found) is StreamBroken
    assert partial is not None
    assert partial.stop is StopReason.PARTIAL
    assert isinstance(partial.content[0], Text)
    assert partial.content[0].text.startswith("first half")


async def test_a_silent_provider_is_given_up() -> None:
    found, partial = await failure(silent(), idle=0.2)
    assert type(found) is NetworkFailed
    assert "check GOOGLE_GEMINI_BASE_URL" in str(found)
    assert partial is None
    found, partial = await failure(stall(after_bytes=500), idle=0.2)
    assert type(found) is StreamBroken
    assert partial is not None


@pytest.mark.parametrize("step", [fail(400, f"key {KEY} is wrong"), fail(500, KEY), wrong_type()])
async def test_the_key_never_appears_in_a_message(step: Step) -> None:
    found, _ = await failure(step)
    assert KEY not in str(found) + repr(found) + repr(found.__context__)


def test_a_key_that_no_header_can_carry_is_refused_without_showing_it() -> None:
    with pytest.raises(KeyRefused, match="GEMINI_API_KEY") as caught:
        provider_at("http://x", key=f"{KEY}\nx-other: 1")
    assert KEY not in str(caught.value)


async def test_usage_of_twenty_steps_is_exactly_what_the_server_counted() -> None:
    told = [
        {"input": 100 + at, "output": 20 + 3 * at, "cache_read": 7 * at, "reasoning": 2 * at}
        for at in range(20)
    ]
    steps = [calls(("read", {"n": at}), usage=usage) for at, usage in enumerate(told[:-1])]
    with GeminiServer([*steps, say("done", usage=told[-1])]) as server:
        provider = provider_at(server.url)
        answers = [await ask(provider) for _ in range(20)]
        await provider.close()
    assert [answer.usage for answer in answers] == [Usage(**usage) for usage in told]
    assert sum((answer.usage for answer in answers), Usage()) == Usage(
        input=sum(usage["input"] for usage in told),
        output=sum(usage["output"] for usage in told),
        cache_read=sum(usage["cache_read"] for usage in told),
        reasoning=sum(usage["reasoning"] for usage in told),
    )
    assert server.connections == 1
