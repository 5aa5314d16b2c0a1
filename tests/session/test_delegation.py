"""What a session's log says of the sessions it handed work to."""

from pathlib import Path

import msgspec

from induscode.kernel.jsontext import digest
from induscode.session.delegation import Delegated, delegate_behind, delegates_of
from induscode.session.entries import Delegate, Intent, Interrupted
from induscode.session.state import SessionState
from induscode.session.totals import Totals
from tests.session.recording import Recording, call

USED = Totals(steps=4, cost=2.0)


def fold(it: Recording) -> SessionState:
    state = SessionState()
    it.log.follow(state.add)
    return state


def ended(it: Recording, by: str) -> SessionState:
    """A call of a tool that `by` contributed, which says that a delegate used this much."""
    it.start()
    it.say("go")
    answer = it.ask(call("a", "task"))
    target = f"{answer.id}/0"
    it.add(Intent(target, "task", digest(b"{}"), effects=True), by=by)
    it.add(Delegate(target, "01child", "scout"), by=by)
    details = Delegated("01child", "scout", "failed", USED).details()
    it.result(answer, 0, "It failed.", outcome="error", details=details)
    return fold(it)


def test_what_a_delegate_used_counts_however_its_call_ended(quick_home: Path):
    state = ended(Recording(quick_home), "builtin:delegate")
    assert state.delegated == USED
    assert state.delegates == {}
    assert state.steps == 1, "its own steps are its own"


def test_what_another_feature_says_of_delegates_counts_nothing(quick_home: Path):
    assert ended(Recording(quick_home), "user:forger").delegated == Totals()


def test_the_session_behind_a_call_is_known_until_the_call_has_ended(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    answer = it.ask(call("a", "task"), call("b", "task"))
    for position, session in enumerate(("01one", "01two")):
        it.add(Delegate(f"{answer.id}/{position}", session))
    assert fold(it).delegates == {f"{answer.id}/0": "01one", f"{answer.id}/1": "01two"}
    cut = it.add(Interrupted(f"{answer.id}/0", "task", started=True, text="?"))
    result = it.result(answer, 1, "Done.")
    assert fold(it).delegates == {}
    assert list(delegates_of(it.log.entries).values()) == ["01one", "01two"]
    assert delegate_behind(it.log.entries) == {cut.id: "01one", result.id: "01two"}


def test_the_details_are_plain_data(quick_home: Path):
    details = Delegated("01child", "", "done", USED).details()
    assert msgspec.json.decode(msgspec.json.encode(details)) == details
    assert details["delegate"]["used"]["cost"] == 2.0
