from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.errors import Overloaded, ProviderError
from induscode.kernel.content import ToolCall
from induscode.kernel.model import Provider, StopReason
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import Step, call, say
from tests.gateway.conversations import small_request
from tests.gateway.test_anthropic_provider import ask, provider_at

ROOT = Path(__file__).parents[2]


async def _stops(provider: Provider, count: int) -> list[StopReason]:
    return [(await ask(provider)).stop for _ in range(count)]


async def test_a_function_may_decide_the_answer_from_the_request() -> None:
    def decide(body: dict[str, object]) -> Step:
        return call("read", path=str(body["model"]))

    with AnthropicServer([decide]) as server:
        provider = provider_at(server.url)
        answer = await ask(provider)
        await provider.close()
    made = answer.content[0]
    assert isinstance(made, ToolCall)
    assert made.decoded() == {"path": "claude-fake"}


async def test_a_script_that_ran_out_answers_with_a_clear_500() -> None:
    with AnthropicServer([say("only")]) as server:
        provider = provider_at(server.url)
        await ask(provider)
        with pytest.raises(Overloaded, match="no step left for request 2"):
            await ask(provider)
        await provider.close()


async def test_it_runs_as_a_process_and_records_what_it_received(tmp_path: Path) -> None:
    script, record = tmp_path / "steps.json", tmp_path / "bodies"
    script.write_text(
        json.dumps([
            {"call": {"name": "read", "arguments": {"path": "x"}}, "repeat": 2},
            {"say": "done", "chunk": 2},
            {"fail": 529, "message": "busy", "retry_after": 1},
        ])
    )  # fmt: skip
    command = [sys.executable, "-m", "tests.fakes.anthropic_server"]
    process = subprocess.Popen(
        [*command, "--script", str(script), "--record", str(record)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with process:
        assert process.stdout is not None
        assert process.stdin is not None
        provider = provider_at(process.stdout.readline().strip())
        stops = await _stops(provider, 3)
        with pytest.raises(ProviderError, match="busy"):
            await ask(provider)
        await provider.close()
        process.stdin.close()
        assert process.wait(10) == 0
    assert stops == [StopReason.TOOLS, StopReason.TOOLS, StopReason.END]
    bodies = [file.read_bytes() for file in sorted(record.iterdir())]
    expected = provider.encoder().encode(small_request()).sha256
    assert [hashlib.sha256(body).hexdigest() for body in bodies] == [expected] * 4
