"""What tools left for later calls, as a fold of results."""

from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck.groups import CHECKLIST, FILES
from induscode.session.entries import Intent, Result
from induscode.session.known import DETAILS_BYTES, FILES_FEATURE, FILES_KNOWN, Known
from induscode.session.state import SessionState

HERE = Path("/w/a.txt")
ONE, TWO = "1" * 64, "2" * 64


def result(tool: str, details: Any, **fields: Any) -> Result:
    return Result("r/0", tool, [], fields.pop("outcome", "ok"), details=details, **fields)


def file(sha256: object = ONE, path: object = str(HERE)) -> dict[str, Any]:
    return {"file": {"path": path, "sha256": sha256}}


def test_the_last_state_that_was_seen_counts():
    known = Known()
    assert known.seen(HERE) is None
    known.add(result("read", file(ONE)), FILES)
    known.add(result("edit", file(TWO)), FILES)
    assert known.seen(HERE) == TWO
    assert FILES_FEATURE == FILES


@pytest.mark.parametrize("outcome", ["error", "denied", "refused", "invalid"])
def test_only_what_went_well_counts(outcome: str):
    known = Known()
    known.add(result("read", file(), outcome=outcome), FILES)
    known.add(result("todo_set", {"items": []}, outcome=outcome), CHECKLIST)
    assert known.seen(HERE) is None
    assert known.recall("todo_set") is None


@pytest.mark.parametrize("owner", ["user:read", "plugin:builtin:files", "mcp:x", "", "builtin"])
def test_a_foreign_tool_of_the_same_name_says_nothing(owner: str):
    known = Known()
    known.add(result("read", file()), owner)
    known.add(result("todo_set", {"items": ["x"]}), owner)
    assert known.seen(HERE) is None
    assert known.recall("todo_set") is None


def test_only_the_tools_of_files_say_which_files_are_known():
    known = Known()
    known.add(result("todo_set", file()), CHECKLIST)
    assert known.seen(HERE) is None


@pytest.mark.parametrize(
    "details",
    [
        None,
        {},
        {"file": None},
        {"file": []},
        {"file": {"path": str(HERE)}},
        file(sha256=1),
        file(sha256="short"),
        file(sha256=ONE.upper().replace("1", "G")),
        file(path=7),
    ],
)
def test_details_of_another_shape_are_passed_over(details: Any):
    known = Known()
    known.add(result("read", details), FILES)
    assert known.seen(HERE) is None


def test_the_details_of_the_last_good_result_are_recalled():
    known = Known()
    known.add(result("todo_set", {"items": [1]}), CHECKLIST)
    known.add(result("todo_set", {"items": [2]}), CHECKLIST)
    known.add(result("todo_set", {"items": [3]}, outcome="error"), CHECKLIST)
    known.add(result("todo_read", None), CHECKLIST)
    assert known.recall("todo_set") == {"items": [2]}
    assert known.recall("todo_read") is None
    known.add(result("todo_set", None), CHECKLIST)
    assert known.recall("todo_set") is None


def test_details_that_are_too_large_are_not_kept_and_the_ones_before_are_past():
    known = Known()
    known.add(result("todo_set", {"items": ["small"]}), CHECKLIST)
    known.add(result("todo_set", {"items": ["x" * DETAILS_BYTES]}), CHECKLIST)
    assert known.recall("todo_set") is None


def test_of_very_many_files_those_touched_last_are_known():
    known = Known()
    for number in range(FILES_KNOWN):
        known.add(result("read", file(path=f"/{number}")), FILES)
    known.add(result("read", file(path="/0")), FILES)
    known.add(result("read", file(path="/new")), FILES)
    assert known.seen(Path("/1")) is None
    assert (known.seen(Path("/0")), known.seen(Path("/2")), known.seen(Path("/new"))) == (ONE,) * 3


def test_whose_tool_ran_is_said_by_its_intent_not_by_who_changed_the_result():
    ours, theirs = SessionState(), SessionState()
    for state, tool, by in ((ours, FILES, "user:lint"), (theirs, "user:read", FILES)):
        state.add(Intent("r/0", "read", "0" * 64, effects=False, by=tool))
        state.add(result("read", file(), by=by))
    assert ours.known.seen(HERE) == ONE
    assert theirs.known.seen(HERE) is None
