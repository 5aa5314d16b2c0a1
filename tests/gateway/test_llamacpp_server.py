"""The server of llama.cpp, which nobody of us wrote, as a judge of every wire it speaks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from induscode.errors import ContextTooLong
from induscode.gateway import ProviderSpec, connect
from induscode.gateway.factory import Wire
from induscode.gateway.local.installation import INSTALL, find
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text, ToolCall
from induscode.kernel.model import Answer, StopReason
from induscode.kernel.request import NeutralRequest
from tests.gateway.conversations import (
    READ,
    Heard,
    assistant,
    head,
    request,
    result,
    tool_use,
    user,
)

WIRES: dict[Wire, str] = {"anthropic": "", "openai-chat": "/v1", "openai-responses": "/v1"}
SERVER = """
import sys
import xllamacpp
asked = xllamacpp.CommonParams()
asked.model.path = sys.argv[1]
asked.n_ctx, asked.n_parallel, asked.verbosity, asked.ui = 2048, 1, -1, False
asked.sampling.temp, asked.cache_prompt = 0, False
asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(asked)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    found = find()
    assert found is not None, f"the local model is missing; run: make local, or {INSTALL}"
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(found.model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


async def ask(wire: Wire, address: str, asked: NeutralRequest, heard: Heard) -> Answer:
    provider = connect(
        ProviderSpec(
            provider="llamacpp", model="smollm2", wire=wire, base_url=address + WIRES[wire]
        )
    )
    try:
        body = provider.encoder().encode(asked)
        return await provider.exchange(body, heard, CancelToken())
    finally:
        await provider.close()


@pytest.mark.parametrize("wire", WIRES)
async def test_it_answers_in_words_and_counts_them(wire: Wire, address: str) -> None:
    heard = Heard()
    asked = request(
        head=head("You answer in one word.", max_output=64),
        tail=user("What is the capital of France?"),
    )
    answer = await ask(wire, address, asked, heard)

    assert [type(block) for block in answer.content] == [Text]
    said = answer.content[0]
    assert isinstance(said, Text)
    assert said.text == "".join(heard.texts)
    assert said.text.strip()
    assert answer.stop is StopReason.END
    assert answer.usage.input + answer.usage.cache_read > 20
    assert 0 < answer.usage.output <= 64


@pytest.mark.parametrize("wire", ["anthropic", "openai-chat"])  # its responses are always complete
async def test_an_answer_that_is_cut_off_says_so(wire: Wire, address: str) -> None:
    asked = request(head=head(max_output=5), tail=user("Tell me a long story about a ship."))
    answer = await ask(wire, address, asked, Heard())

    assert answer.stop is StopReason.LENGTH
    assert answer.usage.output == 5


@pytest.mark.parametrize("wire", WIRES)
async def test_it_takes_a_history_of_calls_and_results(wire: Wire, address: str) -> None:
    asked = request(
        user("What is in a.txt?"),
        assistant("I look.", tool_use("call_1", "read", path="a.txt"), wire="other"),
        head=head("You are helpful.", tools=[READ], max_output=48),
        tail=user(result("call_1", "A list of ships.")),
    )
    answer = await ask(wire, address, asked, Heard())

    assert answer.content
    for block in answer.content:
        assert isinstance(block, Text | ToolCall)
        assert not isinstance(block, ToolCall) or block.name == "read"


@pytest.mark.parametrize("wire", WIRES)
async def test_what_does_not_fit_is_refused_in_its_own_words(wire: Wire, address: str) -> None:
    asked = request(head=head(max_output=5), tail=user("ship " * 4000))
    with pytest.raises(ContextTooLong, match="4031 tokens"):
        await ask(wire, address, asked, Heard())
