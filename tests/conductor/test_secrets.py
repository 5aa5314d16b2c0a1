"""What the model sees, what the person sees and what the log holds are the same redacted words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from induscode.conductor.hooks import Continue, Hooks
from induscode.errors import Overloaded, ProviderError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Json, Text, Thinking, ToolCall
from induscode.kernel.events import Alert, TextDelta, ThinkingDelta, ToolEnded
from induscode.kernel.model import Answer, Body, ExchangeListener
from induscode.kernel.person import PersonAnswer
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.redaction import Secrets
from induscode.session.entries import Input, Response, Result
from tests.conductor.rig import (
    Model,
    Rig,
    Rules,
    Someone,
    Tool,
    acts,
    asking,
    bounded,
    calls,
    say,
)
from tests.conductor.test_hooks import Gate

KEY = "sk-canary-9f2c41d7e8"
MARK = "[redacted: MY_KEY]"


def known() -> Secrets:
    return Secrets([("MY_KEY", KEY)])


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """Redacts where things are heard; nothing stands before the disk."""
    return Rig(tmp_path, secrets=known())


@pytest.fixture
def late(tmp_path: Path) -> Rig:
    """Redacts nowhere but before the disk."""
    return Rig(tmp_path, scrubber=known())


def clean_on_disk(rig: Rig) -> bool:
    files = [path for path in rig.home.rglob("*") if path.is_file()]
    return bool(files) and not any(KEY.encode() in path.read_bytes() for path in files)


async def leak(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    """Says the key in every way a result has."""
    blocks = (Text(f"text {KEY}"), Json(Raw(b'{"json":"' + KEY.encode() + b'"}')))
    return ToolResult(blocks, display=f"shown {KEY}", details={KEY: [KEY]})


async def test_a_result_is_redacted_in_content_display_and_details(rig: Rig) -> None:
    rig.tools = [acts(Tool("leak", leak))]
    model = Model(calls(("leak", {})), say())
    await bounded(rig.open(model).submit([Text("go")]))

    [result] = rig.entries(Result)
    assert result.content == [Text(f"text {MARK}"), Json(Raw(b'{"json":"%b"}' % MARK.encode()))]
    assert (result.display, result.details) == (f"shown {MARK}", {MARK: [MARK]})
    assert [event.text for event in rig.heard(ToolEnded)] == [f"shown {MARK}"]
    assert KEY.encode() not in b"".join(body.data for body in model.bodies)
    assert clean_on_disk(rig)
    assert rig.replay().passed


async def test_an_unexpected_failure_does_not_tell_the_key(rig: Rig) -> None:
    async def fails(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        raise ValueError(KEY)

    rig.tools = [acts(Tool("fails", fails))]
    await rig.run(
        calls(("fails", {})), calls((f"no_{KEY}", {})), calls(("fails", f'{{"{KEY}')), say()
    )
    assert clean_on_disk(rig)
    assert rig.replay().passed


async def test_a_hook_can_neither_see_the_key_nor_put_it_back(rig: Rig) -> None:
    seen: list[ToolResult] = []

    async def put_back(view: object, result: ToolResult) -> ToolResult:
        seen.append(result)
        return ToolResult.text(f"again {KEY}")

    rig.tools = [acts(Tool("leak", leak))]
    rig.hooks = Hooks(tool=(Gate("addon:x", leave=put_back),))
    await rig.run(calls(("leak", {})), say())
    assert KEY not in repr(seen)
    assert rig.entries(Result)[0].content == [Text(f"again {MARK}")]
    assert clean_on_disk(rig)


async def test_a_reason_that_a_person_gives_is_redacted(rig: Rig) -> None:
    rig.rules, rig.tools = Rules(asking), [acts(Tool("act"))]
    rig.person = Someone(PersonAnswer("no", f"use {KEY} instead"))
    model = Model(calls(("act", {})), say())
    await bounded(rig.open(model).submit([Text("go")]))
    assert KEY.encode() not in model.bodies[-1].data
    assert MARK.encode() in model.bodies[-1].data


async def test_what_a_person_says_is_redacted_and_they_are_told(rig: Rig) -> None:
    heard: list[str] = []

    class Listens:
        by = "addon:ears"

        async def submit(self, text: str) -> Continue:
            heard.append(text)
            return Continue()

    rig.hooks = Hooks(input=(Listens(),))
    await rig.run(say(), said=f"my key is {KEY}")
    assert rig.entries(Input)[0].content == [Text(f"my key is {MARK}")]
    assert heard == [f"my key is {MARK}"]
    assert "was redacted" in rig.heard(Alert)[0].text
    await rig.run(say(), said="nothing secret")
    assert len(rig.heard(Alert)) == 1


async def test_a_steering_message_is_redacted_and_the_person_is_told(rig: Rig) -> None:
    async def steered(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        assert rig.conductor is not None
        await rig.conductor.steer(f"take {KEY}")
        return ToolResult.text("ok")

    rig.tools = [acts(Tool("work", steered))]
    await rig.run(calls(("work", {})), say())
    assert rig.entries(Input)[-1].content == [Text(f"take {MARK}")]
    assert len(rig.heard(Alert)) == 1
    assert clean_on_disk(rig)


def in_pieces(answer: Answer, size: int) -> Any:
    async def scene(
        model: Model, body: Body, listener: ExchangeListener, cancel: CancelToken
    ) -> Answer:
        listener.note(f"note {KEY}")
        for block in answer.content:
            if isinstance(block, Text | Thinking):
                tell = listener.text if isinstance(block, Text) else listener.thinking
                for at in range(0, len(block.text), size):
                    tell(block.text[at : at + size])
        return answer

    return scene


@pytest.mark.parametrize("size", [1, 3, 7, 100])
async def test_an_answer_in_pieces_is_redacted_as_a_whole(rig: Rig, size: int) -> None:
    said = say(f"it is {KEY}, s", thinking=f"hm {KEY}")
    outcome = await rig.run(in_pieces(said, size))
    assert "".join(event.text for event in rig.heard(TextDelta)) == f"it is {MARK}, s"
    assert "".join(event.text for event in rig.heard(ThinkingDelta)) == f"hm {MARK}"
    assert outcome.text == f"it is {MARK}, s"
    [response] = rig.entries(Response)
    assert response.content == [Thinking(f"hm {MARK}"), Text(f"it is {MARK}, s")]
    assert response.notes == [f"note {MARK}"]
    assert clean_on_disk(rig)


async def test_what_a_model_asks_for_runs_as_it_is_recorded(rig: Rig) -> None:
    tool = Tool("act")
    rig.tools = [acts(tool)]
    await rig.run(calls(("act", {"text": f"use {KEY}", "deep": [{"n": KEY}]})), say())
    assert tool.runs == [{"text": f"use {MARK}", "deep": [{"n": MARK}]}]
    call = rig.entries(Response)[0].content[0]
    assert isinstance(call, ToolCall)
    assert call.decoded() == tool.runs[0]
    assert clean_on_disk(rig)
    assert rig.replay().passed


async def test_an_error_of_the_provider_is_redacted_wherever_it_goes(rig: Rig) -> None:
    with pytest.raises(ProviderError) as caught:
        await rig.run(*[Overloaded(f"no {KEY}") for _ in range(9)])
    assert KEY not in str(caught.value)
    assert KEY not in repr(rig.events)
    assert rig.entries(Response)[0].error == f"no {MARK}"
    assert clean_on_disk(rig)
    assert rig.replay().passed


async def test_when_only_the_disk_is_guarded_the_log_still_explains_every_request(
    late: Rig,
) -> None:
    tool = Tool("leak", leak, description=f"Uses {KEY}.")
    late.tools = [acts(tool)]
    model = Model(
        calls(("leak", {"key": KEY}), text=KEY), say(f"so {KEY}", thinking=f"hm {KEY}"), say("x")
    )
    conductor = late.open(model)
    await bounded(conductor.submit([Text(f"go {KEY}")]))
    await bounded(conductor.notify(f"note {KEY}", by="builtin:test"))
    await bounded(conductor.submit([Text("y" * 70_000 + KEY)]))
    assert clean_on_disk(late)
    assert KEY.encode() not in b"".join(body.data for body in model.bodies)
    assert late.replay().passed
    late.tools = [acts(Tool("leak", leak, description=f"Uses {KEY}."))]
    await late.run(say("z"))
    assert late.types().count("toolset") == 1
    assert late.replay().passed
