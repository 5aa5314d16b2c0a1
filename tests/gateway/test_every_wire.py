"""What holds for every wire alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from induscode.errors import Overloaded
from induscode.gateway.encoders import encoder_for
from induscode.gateway.http_provider import Account, HttpProvider
from induscode.gateway.reply import Reply
from induscode.gateway.transport import Headers, Transport
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text
from induscode.kernel.model import Encoder
from induscode.kernel.request import Message, NeutralRequest
from tests.fakes.anthropic_steps import say
from tests.gateway.conversations import (
    READ,
    Heard,
    assistant,
    head,
    request,
    result,
    small_request,
    tool_use,
    user,
)
from tests.requirements import requirement

VERSIONS = ["anthropic/1", "gemini/1", "neutral/1", "openai-chat/1", "openai-responses/1"]
WITH_MESSAGES = ["anthropic/1", "neutral/1", "openai-chat/1"]
OVER_HTTP = ["anthropic", "gemini", "openai-chat", "openai-responses"]
MARK = b'"cache_control":'


def made(version: str) -> Encoder:
    encoder = encoder_for(version)
    assert encoder is not None
    return encoder


@requirement("log.body-messages-last")
@pytest.mark.parametrize("version", VERSIONS)
def test_messages_are_the_last_key_of_a_body_that_has_them(version: str) -> None:
    everything = request(
        user("look"),
        assistant(tool_use("c1", "read", path="a")),
        head=head("S.", tools=[READ], thinking="low", max_output=8192, zeta=1, alpha=[2]),
        tail=user(result("c1", "A")),
    )
    body = json.loads(made(version).encode(everything).data)
    assert ("messages" in body) is (version in WITH_MESSAGES)
    assert list(body)[-1] == {"gemini/1": "contents", "openai-responses/1": "input"}.get(
        version, "messages"
    )


def talk(length: int) -> list[Message]:
    """So many messages, calls and results among them."""
    messages: list[Message] = []
    for at in range(length):
        if at % 2 == 0:
            messages.append(user(result(f"c{at - 1}", f"found {at}") if at else f"question {at}"))
        else:
            messages.append(assistant(f"step {at}", tool_use(f"c{at}", "read", path=f"{at}.py")))
    return messages


def unmarked(message: dict[str, Any]) -> dict[str, Any]:
    """A message of a body without its mark, wherever on its blocks that stands."""
    blocks = [
        {key: value for key, value in block.items() if key != "cache_control"}
        for block in message["content"]
    ]
    return {**message, "content": blocks}


@requirement("log.cache-marks")
def test_marks_that_slide_change_no_fragment_and_no_byte_of_a_replay() -> None:
    top, conversation = head("S.", tools=[READ]), talk(41)
    sliding, sealed = made("anthropic/1"), list[Message]()
    before: list[dict[str, Any]] = []
    for at in range(0, 41, 2):
        asked = NeutralRequest(head=top, sealed=sealed, tail=conversation[at], revision=0)
        body = sliding.encode(asked)
        replayed = made("anthropic/1").encode(asked)

        assert body == replayed, "an encoder that has slid so far and a fresh one agree"
        messages = json.loads(body.data)["messages"]
        marked = [n for n, message in enumerate(messages) if MARK in _compact(message)]
        assert marked == [n for n in (at - 2, at) if n >= 0], "the marks have moved on"
        now = [unmarked(message) for message in messages]
        assert now[: len(before)] == before, "what was said before is said again, unchanged"
        before = now
        sealed += conversation[at : at + 2]


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


class CannedTransport:
    """No network: remembers what is posted, and answers with these bytes."""

    def __init__(self, status: int, answer: bytes) -> None:
        self._status = status
        self._answer = answer
        self.posts: list[tuple[dict[str, str], bytes]] = []
        self.closed = False

    async def post(
        self,
        headers: Headers,
        body: bytes,
        *,
        on_sent: Callable[[], None],
        feed: Callable[[bytes], bool],
        cancel: CancelToken,
    ) -> Reply:
        self.posts.append((dict(headers), body))
        on_sent()
        if self._status != 200:
            return Reply(status=self._status, headers={}, body=self._answer, streamed=False)
        feed(self._answer)
        return Reply(status=200, headers={}, body=b"", streamed=True)

    async def close(self) -> None:
        self.closed = True


def over(wire: str, transport: Transport) -> HttpProvider:
    module = import_module(f"induscode.gateway.{wire.replace('-', '_')}.provider")
    return HttpProvider(module.DIALECT, Account("mine", "m", "k"), transport)


@requirement("log.transport-protocol")
@pytest.mark.parametrize("wire", OVER_HTTP)
async def test_another_transport_carries_the_very_bytes_of_the_encoder(wire: str) -> None:
    transport = CannedTransport(503, b"busy")
    provider = over(wire, transport)
    body = made(f"{wire}/1").encode(small_request())

    with pytest.raises(Overloaded, match="busy"):
        await provider.exchange(provider.encoder().encode(small_request()), Heard(), CancelToken())
    await provider.close()

    ((headers, posted),) = transport.posts
    assert posted == body.data
    assert "k" in " ".join(headers.values()).split()
    assert transport.closed


@requirement("log.transport-protocol")
async def test_an_answer_over_another_transport_is_an_answer() -> None:
    transport = CannedTransport(200, b"".join(say("Hello.").frames(1, "m")))
    provider, heard = over("anthropic", transport), Heard()
    body = provider.encoder().encode(small_request())
    answer = await provider.exchange(body, heard, CancelToken())
    assert answer.content == (Text("Hello."),)
    assert ("".join(heard.texts), heard.sent_count) == ("Hello.", 1)
