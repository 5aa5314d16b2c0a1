"""A crash at any point: what comes next is valid, honest, and nothing runs twice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.session.entries import Intent, Interrupted, Result
from tests.conductor.rig import (
    Model,
    Rig,
    Tool,
    acts,
    assert_valid,
    bounded,
    calls,
    reads,
    results_of,
    say,
    words_of,
)
from tests.requirements import requirement


async def recorded(rig: Rig) -> list[bytes]:
    """A session with every kind of step, as the lines of its log."""
    conductor = rig.open(
        Model(
            calls(("work", {"n": 1}), ("look", {}), ("look", {}), ("work", {"n": 2}), text="So."),
            say("First done.", input=190_000),
            say("The summary."),
            calls(("work", {"n": 3})),
            say("Second done."),
        )
    )
    await conductor.submit([Text("first")])
    await conductor.notify("Remember this.", by="builtin:test", pinned=True)
    await conductor.submit([Text("second")])
    rig.close()
    assert rig.path is not None
    return rig.path.read_bytes().splitlines(keepends=True)


@requirement("log.pitfall.14-resume-outcomes", "invariant.03.interrupted")
async def test_a_session_cut_after_any_entry_goes_on(rig: Rig, tmp_path: Path) -> None:
    work, look = Tool("work"), Tool("look")
    rig.tools = [acts(work), reads(look)]
    lines = await recorded(rig)
    assert len(lines) > 25
    assert rig.path is not None
    told: set[bool] = set()
    for kept in range(1, len(lines) + 1):
        rig.close()
        rig.path.write_bytes(b"".join(lines[:kept]))
        ran = len(work.runs) + len(look.runs)
        started = {entry.call for entry in rig.entries(Intent)}
        ended = {entry.call for entry in rig.entries(Result)}
        model = Model(*[say("Here again.")] * 2)  # a summary first, where the window was full
        outcome = await bounded(rig.open(model).submit([Text("a new input")]))

        assert outcome.text == "Here again."
        assert len(work.runs) + len(look.runs) == ran, "nothing is run again by itself"
        assert_valid(model.request())
        assert "a new input" in words_of(model.request())
        for entry in rig.entries(Interrupted):
            assert entry.started == (entry.call in started)
            assert entry.call not in ended
            assert entry.text in words_of(model.request(0))
            told.add(entry.started)
        report = rig.replay()
        assert report.passed, f"after {kept} entries: {report.checks}"
    assert told == {True, False}


@pytest.mark.parametrize("kept", ["response", "intent", "result"])
async def test_a_turn_cut_off_goes_on_without_a_new_input(rig: Rig, kept: str) -> None:
    work = Tool("work")
    rig.tools = [acts(work)]
    await rig.run(calls(("work", {})), say("Done."))
    rig.close()
    assert rig.path is not None
    lines = rig.path.read_bytes().splitlines(keepends=True)
    cut = rig.types().index(kept) + 1
    rig.path.write_bytes(b"".join(lines[:cut]))

    model = Model(say("Went on."))
    conductor = rig.open(model)
    assert conductor.unfinished
    assert (await bounded(conductor.go_on())).text == "Went on."
    assert len(work.runs) == (2 if kept == "response" else 1), "only what never started runs"
    (told,) = results_of(model.request())
    expected = {
        "response": "work ran",
        "intent": "Check before doing it again.",
        "result": "work ran",
    }
    assert told.endswith(expected[kept])
    assert rig.replay().passed


@requirement("invariant.log-is-the-state")
async def test_model_mode_tools_and_briefing_survive_a_resume(rig: Rig) -> None:
    rig.tools = [acts(Tool("work"))]
    await rig.run(say("x", input=3, output=4))
    assert rig.conductor is not None
    before = rig.conductor.state
    after = rig.open(Model()).state
    for name in ("mode", "model", "toolset", "briefing", "features", "usage", "cost", "steps"):
        assert getattr(after, name) == getattr(before, name), name


@requirement("invariant.01.model-visible-means-logged")
async def test_a_resumed_session_sends_what_an_uninterrupted_one_would_have_sent(
    rig: Rig, tmp_path: Path
) -> None:
    async def count(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.text("3")

    rig.tools = [reads(Tool("count", count))]
    rig.clock = lambda: "noon"
    whole = Rig(tmp_path / "other", tools=rig.tools, clock=rig.clock)
    steps = [calls(("count", {})), say("Three."), say("Yes.")]
    once, first, second = Model(*steps), Model(*steps[:2]), Model(*steps[2:])
    conductor = whole.open(once)
    await conductor.submit([Text("how many?")])
    await conductor.submit([Text("sure?")])
    whole.close()
    await rig.open(first).submit([Text("how many?")])
    await rig.open(second).submit([Text("sure?")])
    assert second.bodies[0].data == once.bodies[2].data
