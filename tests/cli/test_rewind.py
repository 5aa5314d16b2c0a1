"""`indus rewind` as a person uses it: a run, a look, the way back, and on from there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from induscode.boot.commands import rewind as command
from induscode.errors import UserError
from tests.checkpoint.scene import git
from tests.checkpoint.trees import digest_of, tree_of
from tests.cli.home import Home, answer
from tests.requirements import requirement

COMMAND = (
    "rm untracked; echo changed > ignored/x; mv folder renamed; echo two > tracked;"
    " chmod 600 tracked; ln -s nowhere link"
)


@pytest.fixture
def worked(home: Home) -> Home:
    """One input, two calls, in a repository."""
    work = home.work
    for name in ("tracked", "untracked", "ignored/x", "folder/f"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(f"{name}\n")
    (work / ".gitignore").write_text("ignored/\n")
    git(work, "init", "-q")
    git(work, "add", "tracked", ".gitignore")
    git(work, "commit", "-q", "-m", "first")
    return home


def run(home: Home, said: str, *steps: str, first: bool = False) -> None:
    model = home.script("".join(steps))
    words = () if first else ("-c",)
    ran = home.run(*words, "-p", said, "-m", model, "--mode", "full")
    assert ran.code == 0, ran.err


def changing(command: str = COMMAND) -> str:
    made = ("write", {"path": "made/by/write", "content": "x\n"})
    return answer("Working.", made, ("bash", {"command": command})) + answer("Done.")


@requirement("cli.command.rewind", "decision.beyond.rewind-files")
def test_the_last_input_is_undone_and_the_session_goes_on_from_there(worked: Home) -> None:
    before, own = tree_of(worked.work), digest_of(worked.work / ".git")
    run(worked, "do it", changing(), first=True)
    assert tree_of(worked.work) != before
    assert not (worked.work / "untracked").exists()
    foreseen = worked.run("rewind", "last", "--dry-run")
    assert foreseen.code == 0
    assert tree_of(worked.work) != before
    back = worked.run("rewind", "last")
    assert (back.code, back.err) == (0, "")
    assert tree_of(worked.work) == before
    assert digest_of(worked.work / ".git") == own
    assert "restored  tracked" in back.out
    assert "removed   made/by/write" in back.out

    run(worked, "something else", answer("As you say."))
    told = worked.run("why", "last", "--find", "took the conversation back")
    assert "builtin:checkpoint" in told.out
    seen = worked.run("why", "last").out
    assert "something else" in seen
    assert "do it" not in seen
    replayed = worked.run("replay", "last")
    assert replayed.code == 0
    assert "3 of 3 requests" in replayed.out


@requirement("decision.beyond.rewind-files", "turn.rewind-is-a-branch")
def test_the_command_that_it_prints_undoes_it(worked: Home) -> None:
    run(worked, "do it", changing(), first=True)
    after = tree_of(worked.work)
    back = worked.run("rewind", "last")
    undo = back.out.splitlines()[-1].removeprefix("to undo this: indus ").split()
    assert undo[:1] == ["rewind"]
    again = worked.run(*undo)
    assert again.code == 0
    assert tree_of(worked.work) == after
    assert worked.run("replay", "last").code == 0


def test_files_alone_go_back_and_the_conversation_stays(worked: Home) -> None:
    before = tree_of(worked.work)
    run(worked, "do it", changing(), first=True)
    entries = len(worked.entries())
    assert worked.run("rewind", "last", "--files").code == 0
    assert tree_of(worked.work) == before
    added = worked.entries()[entries:]
    assert [entry["type"] for entry in added] == ["checkpoint", "notice"]
    assert added[0]["parent"] == worked.entries()[entries - 1]["id"]
    tree = json.loads(worked.run("sessions", "--tree", "last", "--json").out)
    assert [(node["kind"], node["live"]) for node in tree] == [("input", True), ("rewind", True)]


def test_the_conversation_alone_goes_back_and_files_stay(worked: Home) -> None:
    run(worked, "do it", changing(), first=True)
    after = tree_of(worked.work)
    assert worked.run("rewind", "last", "--chat").code == 0
    assert tree_of(worked.work) == after
    assert "Files were not put back" in worked.entries("notice")[-1]["text"]


def test_the_tree_counts_the_inputs_and_marks_the_live_branch(worked: Home) -> None:
    run(worked, "one", answer("1"), first=True)
    run(worked, "two", answer("2") * 2)
    assert worked.run("rewind", "last", "--to", "2", "--chat").code == 0
    run(worked, "another two", answer("2!") * 2)
    shown = worked.run("sessions", "--tree", "last")
    assert shown.code == 0
    rows = [line.split() for line in shown.out.splitlines()]
    marks = {" ".join(row[3:]) if row[0] == "*" else " ".join(row[2:]): row[0] for row in rows}
    assert marks["one"] == "*"
    assert marks["two"] == "2"
    assert marks["another two"] == "*"
    worked.run("fork", "last")
    first = worked.run("sessions", "--tree", worked.logs()[0].stem)
    assert "fork  " in first.out


def test_a_file_changed_by_the_person_is_shown_with_its_difference_and_stays(worked: Home) -> None:
    run(worked, "do it", changing("echo agent > untracked; echo agent > tracked"), first=True)
    (worked.work / "untracked").write_text("person\n")
    asked = worked.run("rewind", "last", "--json")
    assert asked.code == 1
    told = json.loads(asked.out)
    (conflict,) = told["conflicts"]
    assert conflict["path"] == "untracked"
    assert "-person" in conflict["difference"]
    assert "+untracked" in conflict["difference"]
    assert Path(conflict["copy"]).read_text() == "untracked\n"
    assert told["complete"] is False
    assert (worked.work / "untracked").read_text() == "person\n"
    assert (worked.work / "tracked").read_text() == "tracked\n"
    shown = worked.run("rewind", "last", "--files", "--to", told["to"]["entry"], "--dry-run")
    assert "conflict  untracked: it was changed since" in shown.out
    assert "to take it by hand" in shown.out


def test_a_session_that_is_at_work_is_refused_and_can_be_looked_at(worked: Home) -> None:
    model = worked.script(answer("Wait.", ("bash", {"command": "touch begun; sleep 30"})))
    process = worked.start("-p", "wait", "-m", model, "--mode", "full")
    try:
        wait_for(worked.work / "begun")
        busy = worked.run("rewind", "last")
        assert busy.code == 1
        assert "is being written by" in busy.err
        assert worked.run("rewind", "last", "--dry-run").code == 0
    finally:
        process.terminate()
        process.communicate(timeout=30)


def wait_for(place: Path) -> None:
    subprocess.run(
        ["bash", "-c", f"until [ -e {place} ]; do sleep 0.05; done"], timeout=20, check=True
    )


def test_a_command_that_only_reads_is_not_looked_at(worked: Home) -> None:
    (worked.work / "node_modules").mkdir()
    run(worked, "look", answer("", ("bash", {"command": "ls -la"})) + answer("."), first=True)
    assert worked.entries("checkpoint") == []
    assert not (worked.indus / "checkpoints").exists()


def test_what_cannot_be_put_back_is_told_before_the_command_runs(worked: Home) -> None:
    (worked.work / "node_modules").mkdir()
    model = worked.script(answer("", ("bash", {"command": "touch x"})) + answer("."))
    ran = worked.run("-p", "go", "-m", model, "--mode", "full", "--json")
    types = [event["type"] for event in ran.events]
    alert = ran.events[types.index("alert")]
    assert "node_modules/ (a package manager fills it)" in alert["text"]
    assert types.index("alert") < types.index("tool_start")


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_rewind_that_broke_off_is_told_at_the_next_start_and_can_be_done_again(
    worked: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree_of(worked.work)
    run(worked, "do it", changing(), first=True)
    real = os.replace

    def replace(*names: str, **folders: int) -> None:
        if folders:
            raise Killed
        real(*names)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(Killed):
        command.run(["last", "--cwd", str(worked.work)], worked.environ())
    monkeypatch.undo()
    ran = worked.run("-c", "-p", "and now?", "-m", worked.script(answer("Well.")))
    assert ran.code == 0
    assert "a rewind of this session broke off half way: these files were not put back" in ran.err
    again = ran.err.split("to do it again: indus ")[1].splitlines()[0].split()
    assert worked.run(*again).code == 0
    assert tree_of(worked.work) == before
    assert worked.run("replay", "last").code == 0


def test_when_a_feature_objects_nothing_is_done(
    worked: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(worked, "do it", changing(), first=True)
    after, log = tree_of(worked.work), worked.logs()[0].read_bytes()

    async def objects(*_: object) -> None:
        raise UserError("a feature stopped the rewind")

    monkeypatch.setattr(command, "check_rewind", objects)
    with pytest.raises(UserError):
        command.run(["last", "--cwd", str(worked.work)], worked.environ())
    assert tree_of(worked.work) == after
    assert worked.logs()[0].read_bytes() == log


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("last", "--to", "9"), "there is no input or entry '9'; inputs: 1 (one)"),
        (("last", "--files", "--chat"), "not allowed with argument"),
        (("nonsense!",), "is not a session id"),
        ((), "the following arguments are required: ID"),
    ],
)
def test_wrong_words_are_told_with_what_there_is(
    worked: Home, words: tuple[str, ...], told: str
) -> None:
    run(worked, "one", answer("1"), first=True)
    ran = worked.run("rewind", *words)
    assert ran.code in {1, 2}
    assert told in ran.err


def test_before_the_first_input_is_a_place_to_go_on_from(worked: Home) -> None:
    run(worked, "one", answer("1"), first=True)
    assert worked.run("rewind", "last").code == 0
    nothing = worked.run("rewind", "last")
    assert nothing.code == 1
    assert "nothing was said yet" in nothing.err
    resumed = worked.run("-c", "-p", "-m", worked.script(answer("x")))
    assert "nothing to continue" in resumed.err
    run(worked, "first again", answer("1!"))
    assert worked.run("replay", "last").code == 0
