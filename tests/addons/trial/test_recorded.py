"""What an addon is given of a recorded session: everything it would have heard, in its order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from induscode.addons.contract import Continue, HookEvent, ShellPayload, ToolPayload
from induscode.addons.trial.recorded import RecordedSession
from induscode.kernel.content import Text
from induscode.kernel.jsontext import digest
from induscode.kernel.model import StopReason
from induscode.kernel.tool import ToolResult
from induscode.session.entries import (
    Amendment,
    Compaction,
    Hook,
    InstalledFeature,
    Intent,
    Interrupted,
    Operation,
)
from induscode.session.log import read_only
from tests.addons.trial.parts import Sketch, lines, texts, walked
from tests.session.damage import lines as lines_of
from tests.session.damage import resealed, zeroed
from tests.session.recording import CORE, Recording, call

EVERY = tuple(HookEvent)


@pytest.fixture
def it(tmp_path: Path) -> Recording:
    made = Recording(tmp_path)
    made.start()
    made.brief(role="You are terse.")
    made.offer("bash", "read")
    return made


def a_call_of_bash(it: Recording) -> str:
    """One turn with one call; the id of the call."""
    it.say("list it")
    first = it.ask("I look.", call("c1", "bash", b'{"command":"ls"}'))
    id_ = f"{first.id}/1"
    names = {"names": ["HOME", "PATH"], "sha256": digest(b"")}
    it.add(Intent(id_, "bash", digest(b""), effects=True, environment=names))
    it.result(first, 1, "a.txt")
    it.ask("There is a.txt.")
    return id_


async def test_a_turn_is_heard_in_the_order_in_which_it_happened(it: Recording) -> None:
    a_call_of_bash(it)
    sketch = Sketch().observe(*EVERY).enter(lambda _: Continue()).exit()

    await walked(sketch, it)

    assert [occasion for occasion, _ in sketch.heard] == [
        "session:start",
        "input:submit",
        "turn:start",
        "context:build",
        "chat:params",
        "chat:message",
        "enter",
        "tool:before",
        "shell:env",
        "tool:after",
        "exit",
        "context:build",
        "chat:params",
        "chat:message",
        "turn:end",
        "session:end",
    ]


async def test_each_payload_is_what_the_log_says(it: Recording) -> None:
    id_ = a_call_of_bash(it)
    sketch = Sketch().observe(*EVERY).exit()

    await walked(sketch, it)

    heard = dict(reversed(sketch.heard))
    assert heard["input:submit"].text == "list it"
    assert (heard["turn:start"].session, heard["turn:start"].text) == ("session", "list it")
    assert texts(heard["context:build"]) == [("user", "list it")]
    assert heard["chat:params"].params == {"max_output": 1000, "thinking": "off"}
    assert (heard["chat:message"].text, heard["chat:message"].calls) == ("I look.", 1)
    assert heard["tool:before"] == ToolPayload("bash", {"command": "ls"}, id_)
    assert heard["shell:env"] == ShellPayload({"HOME": "", "PATH": ""})
    assert heard["tool:after"].result == ToolResult.text("a.txt")
    assert heard["exit"].result == ToolResult.text("a.txt")
    assert heard["turn:end"].text == "There is a.txt."


async def test_the_context_is_the_one_the_model_saw_with_amendments(it: Recording) -> None:
    said = it.say("my number is 42")
    it.add(Amendment([Operation("replace", said.id, [Text("my number is gone")])]), by="user:x")
    it.add(Amendment(parameters={"temperature": Raw(b"0.5")}), by="user:x")
    it.ask("Fine.")
    sketch = Sketch().observe(HookEvent.CONTEXT_BUILD, HookEvent.CHAT_PARAMS)

    await walked(sketch, it)

    (_, context), (_, params) = sketch.heard
    assert texts(context) == [("user", "my number is gone")]
    assert params.params["temperature"] == 0.5


async def test_a_session_is_followed_although_its_addons_are_not_installed(it: Recording) -> None:
    it.install(InstalledFeature("user:gone", "9.9", "a" * 64, "user", "process"))
    it.note("put there by an addon that is gone", by="user:gone")
    it.say("go on")
    it.ask("Yes.")

    sketch = Sketch().observe(HookEvent.CONTEXT_BUILD)
    await walked(sketch, it)

    ((_, context),) = sketch.heard
    assert texts(context)[0] == ("user", "put there by an addon that is gone")


async def test_a_retry_is_the_same_request_and_a_partial_answer_is_no_answer(
    it: Recording,
) -> None:
    it.say("hello")
    first = it.request()
    it.answer(first, "half", stop=StopReason.PARTIAL)
    it.answer(it.retry(first), "whole")
    sketch = Sketch().observe(HookEvent.CONTEXT_BUILD, HookEvent.CHAT_MESSAGE)

    await walked(sketch, it)

    assert [occasion for occasion, _ in sketch.heard] == ["context:build", "chat:message"]
    assert sketch.heard[1][1].text == "whole"


async def test_a_message_while_the_agent_works_begins_no_turn(it: Recording) -> None:
    it.say("hello")
    it.ask("Working.")
    it.say("faster", steer=True)
    it.ask("Done.")
    sketch = Sketch().observe(HookEvent.INPUT_SUBMIT, HookEvent.TURN_START, HookEvent.TURN_END)

    await walked(sketch, it)

    assert [(occasion, payload.text) for occasion, payload in sketch.heard] == [
        ("input:submit", "hello"),
        ("turn:start", "hello"),
        ("input:submit", "faster"),
        ("turn:end", "Done."),
    ]


async def test_a_turn_that_was_stopped_does_not_end_and_one_that_goes_on_begins(
    it: Recording,
) -> None:
    it.say("hello")
    it.answer(it.request(), "half", stop=StopReason.PARTIAL)
    it.note("[The turn ended here: stopped by the user.]", by=CORE)
    it.ask("Gone on.")
    sketch = Sketch().observe(HookEvent.TURN_START, HookEvent.TURN_END)

    await walked(sketch, it)

    assert [(occasion, payload.text) for occasion, payload in sketch.heard] == [
        ("turn:start", "hello"),
        ("turn:start", ""),
        ("turn:end", "Gone on."),
    ]


async def test_a_compaction_is_heard_before_and_while_its_summary_is_built(it: Recording) -> None:
    said = it.say("hello")
    last = it.ask("Hello.")
    it.note("Condense this.", by=CORE, only="compaction")
    asked = it.request(purpose="compaction")
    it.answer(asked, "They greeted.")
    it.add(Compaction(said.id, last.id, "They greeted.", [], asked.id))
    it.say("and now?")
    it.ask("Now this.")
    events = (
        HookEvent.TURN_END,
        HookEvent.COMPACT_BEFORE,
        HookEvent.COMPACT_BUILD,
        HookEvent.CHAT_MESSAGE,
        HookEvent.CONTEXT_BUILD,
    )
    sketch = Sketch().observe(*events)

    await walked(sketch, it)

    assert [occasion for occasion, _ in sketch.heard] == [
        "context:build",
        "chat:message",
        "turn:end",
        "compact:before",
        "compact:build",
        "context:build",
        "chat:message",
        "turn:end",
    ]
    assert sketch.heard[4][1].summary == "They greeted."
    assert "They greeted." in texts(sketch.heard[5][1])[0][1]


@pytest.mark.parametrize("outcome", ["denied", "refused", "invalid"])
async def test_a_call_that_the_host_refused_is_not_asked_about(it: Recording, outcome: str) -> None:
    it.say("list it")
    first = it.ask(call("c1", "bash"))
    it.result(first, 0, "Not without a person.", outcome=outcome)
    sketch = Sketch().gate(HookEvent.TOOL_BEFORE, lambda _: "no").enter(lambda _: Continue()).exit()

    steps = await walked(sketch, it)

    assert sketch.heard == []
    assert lines(steps) == ["tool:before bash skipped", "enter bash skipped"]
    assert "the host refused the call" in steps[0].reason


async def test_a_call_that_another_addon_stopped_is_asked_about_and_has_no_result(
    it: Recording,
) -> None:
    it.say("list it")
    first = it.ask(call("c1", "bash"), call("c2", "read"))
    it.add(Hook("pre-tool", "deny", f"{first.id}/0", "no"), by="user:other")
    stopped = it.result(first, 0, "Blocked by other: no", outcome="denied")
    it.add(Interrupted(f"{first.id}/1", "read", started=False, text="Not run."))
    sketch = Sketch().observe(HookEvent.TOOL_BEFORE, HookEvent.TOOL_AFTER)

    steps = await walked(sketch, it)

    assert [(occasion, payload.name) for occasion, payload in sketch.heard] == [
        ("tool:before", "bash")
    ]
    assert steps[0].entry == stopped.id
    assert (steps[1].outcome, steps[1].reason) == ("skipped", "the call was never started")


async def test_a_damaged_log_is_followed_as_far_as_it_can_be_read(it: Recording) -> None:
    a_call_of_bash(it)
    data = it.path.read_bytes()
    it.path.write_bytes(zeroed(data, data.index(b'"type":"model"'), 8))
    sketch = Sketch().observe(HookEvent.CONTEXT_BUILD, HookEvent.TOOL_BEFORE)

    await walked(sketch, it)

    assert [occasion for occasion, _ in sketch.heard] == ["tool:before"]
    session = RecordedSession("session", read_only(it.path), it.blobs)
    assert "the log is damaged: what cannot be read is left out" in session.notes(frozenset())


async def test_arguments_that_are_no_object_any_more_are_none(it: Recording) -> None:
    a_call_of_bash(it)
    index = next(i for i, row in enumerate(lines_of(it.path)) if b'"command"' in row)

    def unmake(fields: dict[str, Any]) -> None:
        fields["content"][1]["arguments"] = [1]

    resealed(it.path, index, unmake)
    sketch = Sketch().observe(HookEvent.TOOL_BEFORE)

    await walked(sketch, it)

    assert [payload.args for _, payload in sketch.heard] == [{}]


async def test_only_the_live_branch_is_followed(it: Recording) -> None:
    start = it.log.head
    it.say("the old way")
    it.ask("Old.")
    it.log.branch(start)
    it.follow()
    it.say("the new way")
    it.ask("New.")
    sketch = Sketch().observe(HookEvent.INPUT_SUBMIT)

    await walked(sketch, it)

    assert [payload.text for _, payload in sketch.heard] == ["the new way"]
    session = RecordedSession("session", read_only(it.path), it.blobs)
    assert "older branches of the session are not followed: 1" in session.notes(frozenset())


async def test_an_empty_log_asks_nothing(tmp_path: Path) -> None:
    made = Recording(tmp_path)
    made.path.touch()

    assert await walked(Sketch().observe(*EVERY), made) == []
