"""What an addon would have changed or stopped, and what came after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from induscode.addons.acting import HostCalls, LogLevel
from induscode.addons.contract import (
    Block,
    ChatPayload,
    ContextMessage,
    ContextPayload,
    Continue,
    GateDecision,
    HookEvent,
    InputPayload,
    LifecyclePayload,
    RewriteArguments,
    RewriteResult,
    ToolPayload,
)
from induscode.addons.trial.recording_host import CALLS_MOST, GIVEN_MOST, NothingRuns
from induscode.addons.trial.report import Difference, Outcome
from induscode.kernel.jsontext import canonical, digest
from induscode.kernel.tool import ToolResult
from induscode.session.entries import Compaction, Intent, ToolRow, Toolset
from tests.addons.trial.parts import Sketch, lines, walked
from tests.session.recording import CORE, Recording, call

BASH = {
    "type": "object",
    "properties": {"command": {"type": "string"}},
    "required": ["command"],
    "additionalProperties": False,
}


@pytest.fixture
def it(tmp_path: Path) -> Recording:
    """A session with two calls of `bash`, one after the other, and an answer."""
    made = Recording(tmp_path)
    made.start()
    definition = {"name": "bash", "description": "Runs.", "parameters": BASH}
    row = ToolRow("bash", "builtin:tools", digest(canonical(definition)), 1)
    made.add(Toolset(made.blobs.put(canonical([definition])), [row], cause="input"))
    made.say("clean up")
    for command in (b'{"command":"rm -rf x"}', b'{"command":"ls"}'):
        asked = made.ask("I do.", call("c", "bash", command))
        names = {"names": ["PATH"], "sha256": digest(b"")}
        made.add(Intent(f"{asked.id}/1", "bash", digest(command), effects=True, environment=names))
        made.result(asked, 1, f"said by {command.decode()}")
    made.ask("Done.")
    return made


def no_rm(payload: ToolPayload) -> str | None:
    return "not here" if "rm" in payload.args["command"] else None


async def test_a_stopped_call_has_its_reason_and_its_entry(it: Recording) -> None:
    steps = await walked(Sketch().gate(HookEvent.TOOL_BEFORE, no_rm), it)

    intent = next(entry for entry in it.log.entries if isinstance(entry, Intent))
    assert lines(steps) == ["tool:before bash stopped", "tool:before bash heard"]
    assert (steps[0].reason, steps[0].entry, steps[0].stops) == ("not here", intent.id, True)


async def test_nothing_more_of_a_stopped_call_is_heard_and_the_rest_depends_on_it(
    it: Recording,
) -> None:
    sketch = (
        Sketch()
        .gate(HookEvent.TOOL_BEFORE, no_rm)
        .observe(HookEvent.TOOL_BEFORE, HookEvent.SHELL_ENV, HookEvent.TURN_END)
        .enter(lambda _: Continue())
        .exit()
    )

    steps = await walked(sketch, it)

    assert lines(steps) == [
        "tool:before bash stopped",
        "enter bash skipped",
        "tool:before bash skipped",
        "shell:env bash skipped",
        "exit bash skipped",
        "tool:before bash heard",
        "enter bash heard",
        "tool:before bash heard",
        "shell:env bash heard",
        "exit bash heard",
        "turn:end heard",
    ]
    assert {step.reason for step in steps[1:5]} == {"step 1 stopped it"}
    assert [step.depends_on for step in steps] == [0, *[1] * 10]


async def test_a_call_that_an_interceptor_blocks_is_stopped_as_well(it: Recording) -> None:
    sketch = Sketch().enter(lambda _: Block(GateDecision(stop=True, reason="no"))).exit()

    steps = await walked(sketch, it)

    assert lines(steps[:2]) == ["enter bash stopped", "exit bash skipped"]
    assert steps[3].depends_on == 3  # each names the stop of its own call
    assert steps[2].depends_on == 1


async def test_rewritten_arguments_go_on_within_the_call_and_its_result_depends_on_them(
    it: Recording,
) -> None:
    sketch = (
        Sketch()
        .transform(HookEvent.TOOL_BEFORE, lambda p: replace(p, args={"command": "echo one"}))
        .enter(lambda c: RewriteArguments({"command": c.args["command"] + " two"}))
        .exit()
    )

    steps = await walked(sketch, it)

    assert [step.changes for step in steps[:2]] == [
        (Difference("args.command", "rm -rf x", "echo one"),),
        (Difference("command", "echo one", "echo one two"),),
    ]
    assert sketch.heard[2][1].args == {"command": "echo one two"}
    assert steps[2].depends_on == 2
    assert sketch.heard[3][1].args == {"command": "ls"}, "the next call is as the model made it"


async def test_a_changed_result_goes_on_to_the_handlers_behind_it(it: Recording) -> None:
    sketch = (
        Sketch()
        .exit(lambda c: RewriteResult(ToolResult.text("outer")))
        .exit(lambda c: RewriteResult(ToolResult.text("inner")))
        .transform(HookEvent.TOOL_AFTER, lambda p: p)
    )

    await walked(sketch, it)

    seen = [(occasion, context.result.content[0].text) for occasion, context in sketch.heard[:3]]
    assert seen == [
        ("exit", 'said by {"command":"rm -rf x"}'),
        ("exit", "inner"),
        ("tool:after", "outer"),
    ]


async def test_arguments_that_do_not_fit_the_tool_are_a_failure(it: Recording) -> None:
    sketch = Sketch().enter(lambda _: RewriteArguments({"cmd": "ls"}))

    steps = await walked(sketch, it)

    assert steps[0].outcome is Outcome.FAILED
    assert (
        steps[0].reason == "bash has no argument `cmd`. Did you mean `command`? It takes: command."
    )
    assert steps[0].changes


async def test_a_gate_that_fails_is_a_failure_and_stops(it: Recording) -> None:
    def broken(_: ToolPayload) -> str:
        raise RuntimeError("no idea")

    steps = await walked(Sketch().gate(HookEvent.TOOL_BEFORE, broken).exit(), it)

    assert lines(steps[:2]) == ["tool:before bash failed", "exit bash skipped"]
    assert "no idea" in steps[0].reason
    assert steps[0].stops


async def test_an_observer_that_fails_stops_nothing(it: Recording) -> None:
    def broken(_: ToolPayload) -> ToolPayload:
        raise RuntimeError("no idea")

    steps = await walked(Sketch().transform(HookEvent.TOOL_BEFORE, broken).exit(), it)

    assert lines(steps[:2]) == ["tool:before bash failed", "exit bash heard"]
    assert not steps[0].stops
    assert steps[1].depends_on == 0


async def test_what_a_host_only_reports_is_marked_and_nothing_depends_on_it(
    it: Recording,
) -> None:
    sketch = (
        Sketch()
        .gate(HookEvent.TURN_START, lambda _: "not today")
        .transform(HookEvent.TURN_END, lambda p: LifecyclePayload("other", p.text))
    )

    steps = await walked(sketch, it)

    assert lines(steps) == ["turn:start stopped", "turn:end changed"]
    assert [(step.counts, step.stops, step.depends_on) for step in steps] == [
        (False, False, 0),
        (False, False, 0),
    ]


async def test_a_changed_input_does_not_reach_later_occasions(it: Recording) -> None:
    sketch = (
        Sketch()
        .transform(HookEvent.INPUT_SUBMIT, lambda p: InputPayload(p.text.upper()))
        .observe(HookEvent.TURN_START)
    )

    steps = await walked(sketch, it)

    assert steps[0].changes == (Difference("text", "clean up", "CLEAN UP"),)
    assert sketch.heard[1][1].text == "clean up"


async def test_a_stopped_input_is_marked_on_all_that_followed(it: Recording) -> None:
    sketch = (
        Sketch()
        .gate(HookEvent.INPUT_SUBMIT, lambda _: "no")
        .observe(HookEvent.INPUT_SUBMIT, HookEvent.TURN_END)
    )

    steps = await walked(sketch, it)

    assert lines(steps) == ["input:submit stopped", "input:submit skipped", "turn:end heard"]
    assert steps[2].depends_on == 1


async def test_a_vetoed_compaction_builds_no_summary(it: Recording) -> None:
    note = it.note("Condense this.", by=CORE, only="compaction")
    asked = it.request(purpose="compaction")
    it.answer(asked, "All clean.")
    it.add(Compaction(it.log.entries[0].id, note.id, "All clean.", [], asked.id))
    sketch = (
        Sketch()
        .gate(HookEvent.COMPACT_BEFORE, lambda _: "keep it")
        .observe(HookEvent.COMPACT_BUILD)
    )

    steps = await walked(sketch, it)

    assert lines(steps) == ["compact:before stopped", "compact:build skipped"]
    assert steps[0].entry == note.id


async def test_a_number_of_another_kind_is_a_change(it: Recording) -> None:
    def as_float(chat: ChatPayload) -> ChatPayload:
        return ChatPayload({**chat.params, "max_output": 1000.0})

    steps = await walked(Sketch().transform(HookEvent.CHAT_PARAMS, as_float), it)

    assert steps[0].outcome is Outcome.CHANGED
    assert steps[0].changes == (Difference("params.max_output", "1000", "1000.0"),)


async def test_a_context_says_by_entry_what_was_changed_added_and_left_out(it: Recording) -> None:
    def shorter(context: ContextPayload) -> ContextPayload:
        first, *rest = context.messages
        kept = [replace(first, text="tidy up"), *rest[:-1]] if rest else [first]
        return ContextPayload((*kept, ContextMessage("user", "be quick")))

    sketch = Sketch().transform(HookEvent.CONTEXT_BUILD, shorter)
    steps = await walked(sketch, it)

    said = next(entry for entry in it.log.entries if entry.by == "user")
    added = "messages[1]"
    assert [change.where for change in steps[0].changes] == [added]
    places = [change.where for change in steps[1].changes]
    assert places[0] == f"messages[0] (entry {said.id}).text"
    assert steps[1].changes[0] == Difference(places[0], "clean up", "tidy up")


async def test_a_context_that_is_another_one_is_a_failure(it: Recording) -> None:
    def turned(context: ContextPayload) -> ContextPayload:
        return ContextPayload((ContextMessage("user", "new"), *context.messages))

    steps = await walked(Sketch().transform(HookEvent.CONTEXT_BUILD, turned), it)

    assert {step.outcome for step in steps} == {Outcome.FAILED}
    assert "cannot be taken" in steps[0].reason


async def test_a_handler_for_one_tool_is_asked_about_no_other(it: Recording) -> None:
    sketch = Sketch().observe(HookEvent.TOOL_BEFORE, HookEvent.TOOL_BEFORE)

    steps = await walked(sketch, it, event_tools=("read", "Bash"))

    assert {step.handler for step in steps} == {"events[1] observe"}
    assert len(steps) == 2


async def test_what_it_asks_of_the_host_stands_in_the_step_and_exec_is_refused(
    it: Recording,
) -> None:
    async def busy(calls: HostCalls) -> None:
        assert calls.state is not None
        assert calls.notify is not None
        assert calls.handles.exec is not None
        seen = await calls.state.get("seen")
        await calls.state.set("seen", f"{seen or ''}+")
        await calls.notify("noticed")
        with pytest.raises(NothingRuns):
            await calls.handles.exec("ls")

    steps = await walked(Sketch().calling(HookEvent.TOOL_BEFORE, busy), it)

    asked = [(made.method, made.given, made.answer) for made in steps[1].calls]
    assert asked == [
        ("state/get", "seen", "+"),
        ("state/set", "seen = ++", "done"),
        ("notify", "noticed", "done"),
        ("exec", "ls", "refused: nothing is run while an addon is tried out"),
    ]
    assert steps[1].outcome is Outcome.HEARD, "it was refused what it expected to be refused"
    assert steps[1].acted, "a notice would have been in front of the model"


async def test_only_so_many_calls_of_the_host_are_kept_of_a_step(it: Recording) -> None:
    async def flood(calls: HostCalls) -> None:
        assert calls.log is not None
        for _ in range(CALLS_MOST + 5):
            calls.log(LogLevel.INFO, "x" * 3000)

    steps = await walked(Sketch().calling(HookEvent.TURN_END, flood), it)

    assert (len(steps[0].calls), steps[0].calls_left_out) == (CALLS_MOST, 5)
    assert len(steps[0].calls[0].given) == GIVEN_MOST
    assert not steps[0].acted, "what it logs changes no session"
