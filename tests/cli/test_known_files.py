"""What a conversation knows of files lasts as long as its log: across turns, resumes and forks."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from induscode.feature.hook_views import ReplaceResult
from tests.channels.place import Place
from tests.cli.home import Home, answer
from tests.features.sessions import POST, Hook, entries, hooked, ran

READ = ("read", {"path": "a.txt"})
EDIT = ("edit", {"path": "a.txt", "old_text": "one", "new_text": "two"})
FIRST = answer("", READ) + answer("ok")
"""A run that reads. A script goes on where a session stopped: the next run's begins with it."""


def said(home: Home, *words: str, script: str) -> list[tuple[str, str]]:
    """How the calls of a run ended, and what was told of them."""
    ran = home.run("-p", "go", "--mode", "full", "--json", "-m", home.script(script), *words)
    assert ran.code == 0, ran.err
    ended = [event for event in ran.events if event["type"] == "tool_end"]
    return [(event["outcome"], event["text"]) for event in ended]


@pytest.fixture
def note(home: Home) -> Path:
    path = home.work / "a.txt"
    path.write_text("one\n")
    return path


def test_a_new_session_knows_no_file(home: Home, note: Path) -> None:
    write = ("write", {"path": "a.txt", "content": "x"})

    told = said(home, script=answer("", EDIT, write) + answer("ok"))

    assert told == [("error", f"Read {note} first.")] * 2
    assert note.read_text() == "one\n"


def test_reading_and_editing_in_one_answer_works(home: Home, note: Path) -> None:
    again = ("edit", {"path": "a.txt", "old_text": "two", "new_text": "three"})

    told = said(home, script=answer("", READ, EDIT, again) + answer("ok"))

    assert [outcome for outcome, _ in told] == ["ok", "ok", "ok"]
    assert note.read_text() == "three\n"


@pytest.mark.parametrize("how", [("--continue",), ("--fork", "last")])
def test_what_was_read_is_known_after_a_resume_and_in_a_fork(
    home: Home, note: Path, how: tuple[str, ...]
) -> None:
    said(home, script=FIRST)

    told = said(home, *how, script=FIRST + answer("", EDIT) + answer("ok"))

    assert [outcome for outcome, _ in told] == ["ok"]
    assert note.read_text() == "two\n"


def test_a_change_between_two_runs_is_noticed(home: Home, note: Path) -> None:
    said(home, script=FIRST)
    note.write_text("one\nby somebody else\n")

    told = said(home, "--continue", script=FIRST + answer("", EDIT) + answer("ok"))

    assert told == [("error", f"{note} changed since you read it; read it again.")]


def test_the_checklist_lasts_as_long(home: Home) -> None:
    items = {"items": [{"text": "write the tests", "status": "in_progress"}]}
    first = answer("", ("todo_set", items)) + answer("ok")
    said(home, script=first)

    told = said(home, "--continue", script=first + answer("", ("todo_read", {})) + answer("ok"))

    assert "write the tests" in told[0][1]


def test_the_log_says_which_file_in_a_few_bytes_that_the_model_never_sees(
    home: Home, note: Path
) -> None:
    said(home, script=answer("", READ, EDIT) + answer("ok"))

    details = [entry["details"] for entry in home.entries("result")]
    before, after = (hashlib.sha256(text).hexdigest() for text in (b"one\n", b"two\n"))
    assert details == [
        {"file": {"path": str(note), "sha256": before}},
        {"file": {"path": str(note), "sha256": after}},
    ]
    assert home.run("replay", "last").code == 0
    assert "no request" in home.run("why", "last", "--find", before).out


async def test_a_result_that_a_feature_changed_leaves_what_the_tool_knows(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.workspace / "a.txt").write_text("one\n")
    hook = Hook(lambda event: ReplaceResult(f"{event.text}\nlint: fine"))
    again: Any = ("edit", {"path": "a.txt", "old_text": "two", "new_text": "three"})

    await ran(place, answer("", READ) + answer("", EDIT, again) + answer("ok"), hooked(hook, POST))

    results = entries(place, "result")
    assert [(entry["outcome"], entry["by"]) for entry in results] == [("ok", "user:guard")] * 3
    assert all("file" in entry["details"] for entry in results)
    assert (place.workspace / "a.txt").read_text() == "three\n"


async def test_a_feature_that_makes_an_error_of_a_result_takes_its_knowledge_away(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    (place.workspace / "a.txt").write_text("one\n")
    hook = Hook(lambda event: ReplaceResult("no", is_error=True) if event.tool == "read" else None)

    await ran(place, answer("", READ, EDIT) + answer("ok"), hooked(hook, POST))

    assert [entry["outcome"] for entry in entries(place, "result")] == ["error", "error"]
    assert (place.workspace / "a.txt").read_text() == "one\n"
