"""Going back: files as they were, conflicts left alone, and every rewind undone by another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.checkpoint import rewind as engine
from induscode.checkpoint.points import Point, find_point, inputs_of
from induscode.checkpoint.rewind import finish_broken
from induscode.errors import UsageError, UserError
from induscode.kernel.content import Text
from induscode.session.entries import Checkpoint, Input, Interrupted, Notice
from induscode.session.file_states import FileChange, FileState
from induscode.session.log import read_only
from induscode.session.tree import path_to
from tests.checkpoint.scene import Stage, git
from tests.checkpoint.trees import tree_of
from tests.requirements import requirement


@requirement("decision.beyond.rewind-files", "deck.checkpoint.absent-file")
def test_a_command_that_deletes_rewrites_and_renames_is_rewound_byte_for_byte(
    repository: Stage,
) -> None:
    work = repository.work
    (work / "folder" / "deep").mkdir(parents=True)
    (work / "folder" / "deep" / "f").write_bytes(b"\xff\0")
    (work / "folder").chmod(0o711)
    (work / "empty").mkdir()
    before, point = tree_of(work), repository.here()
    repository.shell(
        "rm untracked; echo other > ignored/built; mv folder renamed; rmdir empty;"
        " chmod 755 tracked; ln -s tracked link; rm .gitignore; mkdir .gitignore"
    )
    assert repository.told == []
    done = repository.rewind(point)
    assert done.complete
    assert tree_of(work) == before


@requirement("turn.rewind-is-a-branch", "decision.beyond.rewind-files")
def test_a_rewind_is_undone_by_another_and_nothing_written_is_changed(repository: Stage) -> None:
    first = repository.say("one")
    repository.shell("echo 1 > untracked; rm tracked")
    repository.say("two")
    repository.write("new/file", b"2")
    after, written = tree_of(repository.work), repository.log.path.read_bytes()
    done = repository.rewind(find_point(repository.log.entries, "1"), "both")
    live = path_to(repository.log.entries, len(repository.log.entries) - 1)
    assert first not in live
    assert repository.log.path.read_bytes().startswith(written)
    again = repository.rewind(find_point(repository.log.entries, done.undo), "both")
    assert again.complete
    assert tree_of(repository.work) == after
    live = path_to(repository.log.entries, len(repository.log.entries) - 1)
    assert [entry.content for entry in live if isinstance(entry, Input)] == [
        [Text("one")],
        [Text("two")],
    ]


@requirement("turn.rewind-is-a-branch")
def test_the_new_branch_is_the_live_one_after_the_log_was_opened_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.say("one")
    stage.say("two")
    stage.rewind(find_point(stage.log.entries, None), "chat")
    stage.close()
    again = Stage(tmp_path)
    said = inputs_of(again.log.entries)
    assert [(one.number, one.live) for one in said] == [(1, True), (2, False)]
    again.say("another two")
    assert [one.words for one in inputs_of(again.log.entries) if one.live] == ["one", "another two"]
    again.close()


def test_the_model_is_told_what_was_put_back_and_what_was_not(repository: Stage) -> None:
    repository.say()
    repository.shell("echo 1 > untracked; echo 2 > other")
    (repository.work / "other").write_text("mine now")
    repository.rewind(find_point(repository.log.entries, None), "both")
    notice = repository.log.entries[-1]
    assert isinstance(notice, Notice)
    assert notice.text == (
        "[The user took the conversation back to this point. Files put back: untracked; not put"
        " back: other. Read a file again before relying on it.]"
    )
    repository.say()
    repository.rewind(find_point(repository.log.entries, None), "chat")
    notice = repository.log.entries[-1]
    assert isinstance(notice, Notice)
    assert "Files were not put back" in notice.text


# Conflicts


def test_a_file_that_the_person_changed_since_stays_as_it_is(repository: Stage) -> None:
    point = repository.here()
    repository.shell("echo agent > untracked; echo agent > tracked")
    (repository.work / "untracked").write_text("person")
    done = repository.rewind(point)
    assert [conflict.path for conflict in done.plan.conflicts] == ["untracked"]
    assert (repository.work / "untracked").read_text() == "person"
    assert (repository.work / "tracked").read_text() == "as committed\n"
    assert not done.complete


def test_a_file_that_the_person_changed_between_two_steps_stays_as_it_is(
    repository: Stage,
) -> None:
    point = repository.here()
    repository.shell("echo agent >> untracked")
    with (repository.work / "untracked").open("a") as file:
        file.write("person\n")
    between = repository.here()
    repository.shell("echo agent again >> untracked")
    after = tree_of(repository.work)
    done = repository.rewind(point)
    assert [conflict.path for conflict in done.plan.conflicts] == ["untracked"]
    assert tree_of(repository.work) == after
    assert repository.rewind(between).complete
    assert (repository.work / "untracked").read_text() == "mine\nagent\nperson\n"


def test_what_the_person_changed_before_the_first_step_is_kept(repository: Stage) -> None:
    point = repository.here()
    (repository.work / "untracked").write_text("person")
    repository.shell("echo agent > untracked")
    assert repository.rewind(point).complete
    assert (repository.work / "untracked").read_text() == "person"


def test_a_person_who_already_put_it_back_has_no_conflict(repository: Stage) -> None:
    point = repository.here()
    repository.shell("echo agent > untracked")
    (repository.work / "untracked").write_text("mine\n")
    done = repository.rewind(point)
    assert done.complete
    assert done.restored == ()


def test_a_folder_that_holds_something_of_the_person_stays(stage: Stage) -> None:
    point = stage.here()
    stage.shell("mkdir -p made/deep; echo 1 > made/deep/agent; mkdir other")
    (stage.work / "made" / "deep" / "mine").write_text("mine")
    done = stage.rewind(point)
    assert set(tree_of(stage.work)) == {"made", "made/deep", "made/deep/mine"}
    assert {conflict.path for conflict in done.plan.conflicts} == {"made", "made/deep"}


def test_a_file_whose_folder_the_person_removed_or_linked_away_is_a_conflict(
    stage: Stage, tmp_path: Path
) -> None:
    for name in ("gone", "linked"):
        (stage.work / name).mkdir()
        (stage.work / name / "f").write_text("f")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    point = stage.here()
    stage.shell("rm gone/f linked/f")
    (stage.work / "gone").rmdir()
    (stage.work / "linked").rmdir()
    (stage.work / "linked").symlink_to(elsewhere)
    done = stage.rewind(point)
    assert {conflict.path for conflict in done.plan.conflicts} == {"gone/f", "linked/f"}
    assert list(elsewhere.iterdir()) == []


def test_a_link_is_restored_as_a_link_and_never_followed(stage: Stage, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("not yours")
    (stage.work / "l").symlink_to(outside)
    (stage.work / "f").write_text("mine")
    before, point = tree_of(stage.work), stage.here()
    stage.shell(f"rm l f; ln -s {outside} f; echo x > l")
    assert stage.rewind(point).complete
    assert tree_of(stage.work) == before
    assert outside.read_text() == "not yours"


def test_a_file_changed_while_it_is_put_back_is_left_alone(
    repository: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = repository.here()
    repository.shell("echo agent > untracked; echo agent > tracked")
    real = engine.carry_out

    def meddled(*given: object) -> object:
        (repository.work / "untracked").write_text("person")
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "carry_out", meddled)
    done = repository.rewind(point)
    assert [gap.path for gap in done.failed] == ["untracked"]
    assert (repository.work / "untracked").read_text() == "person"
    assert (repository.work / "tracked").read_text() == "as committed\n"
    again = repository.rewind(Point(done.undo, _seq(repository, done.undo)))
    assert (repository.work / "tracked").read_text() == "agent\n"
    assert (repository.work / "untracked").read_text() == "person"
    assert not again.failed


def _seq(stage: Stage, entry: str) -> int:
    return next(e.seq for e in stage.log.entries if e.id == entry)


def test_a_copy_that_was_altered_or_lost_is_named_and_the_rest_is_put_back(
    repository: Stage,
) -> None:
    point = repository.here()
    (entry,) = repository.shell("rm untracked tracked ignored/built")
    lost, altered, _ = (change.before.sha256 for change in entry.files)
    repository.store.path(lost).unlink()
    repository.store.path(altered).write_bytes(b"another")
    done = repository.rewind(point)
    assert len(done.plan.unrestorable) == 1
    assert len(done.failed) == 1
    assert len(done.restored) == 1


# What cannot be known


def test_a_step_that_was_interrupted_is_named(repository: Stage) -> None:
    point = repository.here()
    repository.log.append(Interrupted("c/0", "bash", started=True, text="?"))
    repository.log.append(Interrupted("c/1", "bash", started=False, text="?"))
    done = repository.rewind(point)
    assert done.plan.interrupted == ("bash",)
    assert not done.complete


class Killed(BaseException):
    """Stands for the end of the process."""


def test_what_will_be_done_is_on_disk_before_the_first_file_changes(
    repository: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = repository.here()
    repository.shell("echo agent > untracked")
    seen: list[Checkpoint] = []

    def look(items: object, root: Path, store: object) -> dict[str, str]:
        last = read_only(repository.log.path).entries[-1]
        assert isinstance(last, Checkpoint)
        seen.append(last)
        assert repository.store.get(last.files[0].before.sha256) == b"agent\n"
        return {}

    monkeypatch.setattr(engine, "carry_out", look)
    repository.rewind(point)
    assert seen
    assert seen[0].rewind is not None


@pytest.mark.parametrize("scope", ["files", "both"])
def test_a_rewind_that_broke_off_is_told_and_can_be_done_again(
    repository: Stage, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    repository.say("one")
    before, point = tree_of(repository.work), repository.here()
    repository.shell("echo agent > untracked; echo agent > tracked; echo new > new")
    real = os.replace
    done: list[str] = []

    def replace(source: str, target: str, **folders: int) -> None:
        if folders and done:
            raise Killed
        done.extend([target] if folders else [])
        real(source, target, **folders)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(Killed):
        repository.rewind(point, "both" if scope == "both" else "files")
    monkeypatch.undo()
    told = finish_broken(repository.log, repository.work)
    assert "broke off half way" in told
    assert f"indus rewind s --files --to {point.entry}" in told
    assert not list(repository.work.glob(".indus-rewind-*"))
    assert finish_broken(repository.log, repository.work) == "", "it is told once"
    again = find_point(repository.log.entries, point.entry)
    assert repository.rewind(again).complete
    assert tree_of(repository.work) == before


def test_a_rewind_that_broke_off_between_removing_and_making_can_be_done_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stage.work / "d").mkdir()
    (stage.work / "d" / "f").write_text("f")
    before, point = tree_of(stage.work), stage.here()
    stage.shell("rm -r d; echo x > d")

    real = os.mkdir

    def mkdir(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        if dir_fd is not None:
            raise Killed
        real(path, mode)

    monkeypatch.setattr(os, "mkdir", mkdir)
    with pytest.raises(Killed):
        stage.rewind(point)
    monkeypatch.undo()
    assert tree_of(stage.work) == {}
    assert "these files were not put back: d" in finish_broken(stage.log, stage.work)
    assert stage.rewind(point).complete
    assert tree_of(stage.work) == before


def test_a_rewind_that_ended_needs_no_finishing(repository: Stage) -> None:
    point = repository.here()
    repository.shell("echo agent > untracked")
    repository.rewind(point)
    assert finish_broken(repository.log, repository.work) == ""


# Where to


def test_a_point_is_named_by_number_by_id_or_by_its_end(stage: Stage) -> None:
    first, second = stage.say("one"), stage.say("two")
    entries = stage.log.entries
    assert find_point(entries, "2").entry == first.id
    assert find_point(entries, None) == find_point(entries, "2")
    assert find_point(entries, second.id).seq == second.seq
    assert find_point(entries, second.id[-10:]) == Point(second.id, second.seq)
    with pytest.raises(UsageError, match=r"there is no input or entry '7'; inputs: 1 \(one\), 2"):
        find_point(entries, "7")


def test_without_any_input_there_is_nothing_to_undo(stage: Stage) -> None:
    with pytest.raises(UserError, match="nothing was said yet"):
        find_point(stage.log.entries, None)


def test_a_path_in_the_log_that_leads_elsewhere_is_passed_over(
    stage: Stage, tmp_path: Path
) -> None:
    """Whoever can edit a log must not choose a file through it."""
    outside = tmp_path / "outside"
    outside.write_text("x")
    point = stage.here()
    made = FileState("file", 0o644, "", 1)
    stage.log.append(Checkpoint([FileChange("../outside", FileState(), made)]))
    assert stage.rewind(point).restored == ()
    assert outside.exists()


def test_files_that_were_written_outside_of_the_workspace_come_back_too(
    stage: Stage, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("before")
    point = stage.here()
    stage.write(str(outside), b"after")
    assert outside.read_text() == "after"
    assert stage.rewind(point).complete
    assert outside.read_text() == "before"


def test_nothing_is_put_back_into_git(repository: Stage) -> None:
    point = repository.here()
    (entry,) = repository.write(".git/info/exclude", b"x\n")
    assert entry.files == []
    assert [gap.reason for gap in entry.unrestorable] == ["it is git's own"]
    repository.rewind(point)
    assert (repository.work / ".git" / "info" / "exclude").read_bytes() == b"x\n"
    assert git(repository.work, "status", "--short") != ""
