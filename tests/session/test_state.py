"""What a session is besides its conversation, as a fold of the same entries."""

from pathlib import Path

import pytest

from induscode.kernel.content import Thinking
from induscode.kernel.model import StopReason, Usage
from induscode.session.entries import Compaction, InstalledFeature, Interrupted, ModeChange
from induscode.session.state import SessionState
from tests.session.recording import Recording, call, reopen


@pytest.fixture
def it(quick_home: Path) -> Recording:
    recording = Recording(quick_home)
    recording.start()
    return recording


def state_of(it: Recording) -> SessionState:
    """As a resume sees it."""
    it.log.close()
    log, _ = reopen(it.path)
    state = SessionState()
    log.follow(state.add)
    log.close()
    return state


def test_model_mode_tools_briefing_and_features_are_the_last_ones_recorded(it: Recording):
    it.install(InstalledFeature("addon:a", "1", "0" * 64, "user"))
    it.install(InstalledFeature("addon:a", "2", "1" * 64, "user"))
    it.add(ModeChange("ask"))
    it.add(ModeChange("plan", reason="asked for"))
    it.choose("m-2")
    briefing, toolset = it.brief(role="x"), it.offer("read")
    state = state_of(it)
    assert state.start is not None
    assert (state.start.session, state.mode) == ("session", "plan")
    assert state.model is not None
    assert state.model.model == "m-2"
    assert (state.briefing, state.toolset) == (briefing, toolset)
    assert state.features["addon:a"].version == "2"


def test_usage_and_cost_count_every_answer_and_steps_only_whole_ones(it: Recording):
    it.say("go")
    it.ask("hal", stop=StopReason.PARTIAL)
    it.ask("whole")
    state = state_of(it)
    assert state.usage == Usage(input=20, output=10)
    assert (state.cost, state.steps, state.unpriced) == (1.0, 1, 0)


def test_a_call_that_was_started_and_has_no_end_is_known(it: Recording):
    it.say("go")
    answer = it.ask(call("a"), call("b"), call("c"))
    for position in range(3):
        it.intend(answer, position)
    it.result(answer, 0, "x")
    it.add(Interrupted(f"{answer.id}/1", "read", started=True, text="?"))
    assert set(state_of(it).started) == {f"{answer.id}/2"}


def test_the_current_request_is_what_was_said_since_the_turn_began(it: Recording):
    it.say("earlier")
    it.ask("Done.")
    asked = it.say("now")
    answer = it.ask(call("a"))
    it.result(answer, 0, "x")
    steer = it.say("also", steer=True)
    assert state_of(it).current_request == [asked.id, steer.id]


def test_a_compaction_keeps_pins_and_forgets_thinking(it: Recording):
    first = it.note("rule", pinned=True)
    second = it.note("other rule", pinned=True)
    it.ask(Thinking("hm"), "Yes.")
    entry = it.add(Compaction(first.id, second.id, "s", [first.id]))
    state = state_of(it)
    assert state.pinned == [first.id, second.id]
    assert state.thinking_answers == []
    assert state.first_visible == entry.id
