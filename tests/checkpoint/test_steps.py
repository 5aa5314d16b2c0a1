"""What a step changed is recorded, with a way back to every byte."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import stat
from pathlib import Path

import pytest

from induscode.checkpoint import baseline, walk
from induscode.checkpoint import states as states_module
from induscode.checkpoint.gitindex import read_index
from induscode.kernel.jsontext import digest
from induscode.kernel.tool import ToolKind
from induscode.policy.subject import CallView, NoSubject
from induscode.session.file_states import FileState
from tests.checkpoint.conftest import age
from tests.checkpoint.scene import Stage, git
from tests.checkpoint.trees import digest_of, tree_of
from tests.requirements import requirement


def paths(stage: Stage, script: str) -> dict[str, tuple[FileState, FileState]]:
    return {
        change.path: (change.before, change.after)
        for entry in stage.shell(script)
        for change in entry.files
    }


def test_a_command_that_changes_nothing_leaves_no_entry(repository: Stage) -> None:
    assert repository.shell("cat tracked untracked > /dev/null; touch tracked untracked") == []


@requirement("deck.checkpoint.records-before")
def test_what_a_command_did_to_files_is_told_with_before_and_after(repository: Stage) -> None:
    found = paths(repository, "echo more >> untracked; rm tracked; mkdir -m 700 d; ln -s x l")
    assert found["untracked"][0] == FileState("file", 0o644, digest(b"mine\n"), 5)
    assert found["untracked"][1] == FileState("file", 0o644, digest(b"mine\nmore\n"), 10)
    assert found["tracked"][0] == FileState("file", 0o644, digest(b"as committed\n"), 13)
    assert found["tracked"][1] == FileState()
    assert found["d"] == (FileState(), FileState("dir", 0o700))
    assert found["l"] == (FileState(), FileState("link", 0, digest(b"x"), 1))
    assert len(found) == 4


def test_what_git_has_is_not_copied_before_it_is_needed(repository: Stage) -> None:
    step = asyncio.run(repository.watch.begin("c/0", shell_view()))
    held = {path.name for path in repository.store.root.glob("held-*/*")}
    assert held == {digest(b"mine\n"), digest(b"\0binary\xff")}
    (repository.work / "tracked").unlink()
    (made,) = asyncio.run(step.end())
    assert repository.store.get(made.files[0].before.sha256) == b"as committed\n"


def shell_view() -> CallView:
    return CallView("bash", ToolKind.SHELL, {}, NoSubject())


@pytest.mark.parametrize("how", ["update-index --index-version 4", "update-index --split-index"])
def test_other_forms_of_the_index_are_read_or_left_alone(repository: Stage, how: str) -> None:
    git(repository.work, *how.split())
    before = tree_of(repository.work)
    point = repository.here()
    repository.shell("rm tracked untracked; echo x > .gitignore")
    assert repository.rewind(point).complete
    assert tree_of(repository.work) == before


@pytest.mark.parametrize("setting", ["", "filter.evil.clean", "remote.origin.promisor"])
def test_git_is_asked_only_where_the_repository_names_no_program(
    repository: Stage, setting: str
) -> None:
    ran, folder = repository.folder / "ran", repository.folder / "bin"
    watch_starts(folder, ran)
    if setting:
        git(repository.work, "config", setting, "touch /tmp/x; cat")
    stage = Stage(repository.folder, session="other", path=f"{folder}:{os.environ['PATH']}")
    found = paths(stage, "rm tracked")
    stage.close()
    assert stage.store.get(found["tracked"][0].sha256) == b"as committed\n"
    assert ran.exists() is not bool(setting)


def watch_starts(folder: Path, ran: Path) -> None:
    """A `git` that tells when it is started."""
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\necho >> {ran}\nexec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)


def test_a_git_of_the_workspace_is_never_started(repository: Stage) -> None:
    ran, folder = repository.folder / "ran", repository.work / "ignored" / "bin"
    watch_starts(folder, ran)
    stage = Stage(repository.folder, session="other", path=f"{folder}:{os.environ['PATH']}")
    found = paths(stage, "rm tracked")
    stage.close()
    assert stage.store.get(found["tracked"][0].sha256) == b"as committed\n"
    assert not ran.exists()


def test_a_file_as_young_as_the_index_is_not_taken_from_git(repository: Stage) -> None:
    place, index = repository.work / "tracked", repository.work / ".git" / "index"
    mark = walk.mark_of(place.stat())
    assert read_index(repository.work).rows["tracked"].clean(mark)
    os.utime(index, ns=(mark.mtime_ns, mark.mtime_ns))
    assert not read_index(repository.work).rows["tracked"].clean(mark)


def test_copies_are_on_disk_before_the_entry_that_names_them(
    repository: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    found = paths(repository, "rm untracked tracked")
    for name in ("untracked", "tracked"):
        place = repository.store.path(found[name][0].sha256)
        assert str(place) in synced
        assert str(place.parent) in synced[synced.index(str(place)) :]


@pytest.mark.parametrize(
    ("attributes", "content"),
    [
        ("* text=auto\n", b"one\r\ntwo\nthree\r\n"),
        ("* text=auto\n", b"one\r\ntwo\r\n"),
        ("tracked ident\n", b"$Id: as it was written $\n"),
        ("tracked working-tree-encoding=UTF-16LE\n", "\u0800\u0801ab".encode("utf-16-le")),
        ("tracked filter=upper\n", b"lower case\n"),
    ],
)
def test_a_file_that_git_keeps_in_another_form_comes_back_in_its_own(
    stage: Stage, attributes: str, content: bytes
) -> None:
    work = stage.work
    git(work, "init", "-q")
    (work / ".gitattributes").write_text(attributes)
    (work / "tracked").write_bytes(content)
    git(work, "-c", "filter.upper.clean=tr a-z A-Z", "add", "-A")
    git(work, "commit", "-q", "-m", "first")
    age(stage, ".gitattributes")
    found = paths(stage, "rm tracked")
    assert stage.store.get(found["tracked"][0].sha256) == content


def test_a_file_changed_at_the_same_moment_and_to_the_same_size_is_seen(stage: Stage) -> None:
    """The clock of a file system may tick too slowly to tell: then the marks are the same."""
    place = stage.work / "a"
    place.write_bytes(b"one")
    ground = stage.watch._ground
    same = ground.look()
    ground.look = lambda: walk.Look(dict(same.marks), {})  # type: ignore[method-assign]
    (entry,) = stage.foreign(lambda: place.write_bytes(b"two") and None)
    assert stage.store.get(entry.files[0].before.sha256) == b"one"
    (entry,) = stage.foreign(lambda: place.write_bytes(b"six") and None)
    assert stage.store.get(entry.files[0].before.sha256) == b"two"


def test_what_a_step_closed_to_everybody_is_not_said_to_be_gone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stage.work / "d").mkdir()
    (stage.work / "d" / "f").write_text("f")
    real = states_module.status_of

    def refused(root: Path, path: str) -> os.stat_result | None:
        if path == "d/f":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(root, path)

    def deed() -> None:
        (stage.work / "d" / "f").touch()
        monkeypatch.setattr(states_module, "status_of", refused)

    assert stage.foreign(deed) == []


def test_only_what_changed_during_the_step_belongs_to_it(repository: Stage) -> None:
    repository.shell("echo 1 > made")
    (repository.work / "untracked").write_text("changed by me")
    (repository.work / "mine too").write_text("new")
    assert set(paths(repository, "echo 2 > made")) == {"made"}


def test_the_users_git_is_only_read(repository: Stage) -> None:
    (repository.work / "untracked").write_text("to be stashed")
    git(repository.work, "stash", "-u")
    before = digest_of(repository.work / ".git")
    point = repository.here()
    repository.shell("rm tracked; echo x > new")
    repository.rewind(point)
    assert digest_of(repository.work / ".git") == before


def test_two_steps_at_a_time_record_each_change_once(repository: Stage) -> None:
    view = CallView("task", ToolKind.DELEGATE, {}, NoSubject())

    async def both() -> None:
        one = await repository.watch.begin("c/0", view)
        other = await repository.watch.begin("c/1", view)
        (repository.work / "untracked").write_text("by one")
        (repository.work / "tracked").unlink()
        repository.log.append(*await one.end())
        (repository.work / "untracked").write_text("by the other")
        repository.log.append(*await other.end())

    before, point = tree_of(repository.work), repository.here()
    asyncio.run(both())
    assert repository.rewind(point).complete
    assert tree_of(repository.work) == before


# Limits


def test_a_folder_of_a_package_manager_is_left_out_and_named_once(repository: Stage) -> None:
    place = repository.work / "web" / "node_modules"
    place.mkdir(parents=True)
    (place / "x").write_text("x")
    (entry,) = repository.shell("true")
    assert [(gap.path, gap.reason) for gap in entry.unrestorable] == [
        ("web/node_modules/", "a package manager fills it")
    ]
    assert entry.files == []
    assert len(repository.told) == 1
    assert "web/node_modules/" in repository.told[0]
    assert repository.shell("rm web/node_modules/x") == []
    assert len(repository.told) == 1


def test_a_folder_of_a_package_manager_that_git_tracks_is_watched(repository: Stage) -> None:
    place = repository.work / "node_modules"
    place.mkdir()
    (place / "patched").write_text("x")
    git(repository.work, "add", "-f", "node_modules/patched")
    assert set(paths(repository, "rm node_modules/patched")) == {"node_modules/patched"}
    assert repository.told == []


def test_a_folder_with_too_many_files_is_left_out_and_the_rest_is_watched(
    repository: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "FOLDER_FILES", 20)
    for name in ("many/node_modules", "many/a", "few"):
        (repository.work / name).mkdir(parents=True)
    for number in range(15):
        (repository.work / "many" / "a" / str(number)).touch()
        (repository.work / "many" / str(number)).touch()
        (repository.work / "few" / str(number)).touch()
    (entry,) = repository.shell("rm few/1 many/1; echo y > untracked")
    assert [gap.path for gap in entry.unrestorable] == ["many/"]
    assert {change.path for change in entry.files} == {"few/1", "untracked"}


def test_a_folder_that_grows_too_large_during_a_step_loses_nothing_it_held(
    repository: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "FOLDER_FILES", 20)
    (repository.work / "out").mkdir()
    (repository.work / "out" / "mine").write_text("mine")
    (repository.work / "out" / "too").write_text("mine, too")
    found = paths(repository, "rm out/mine; for i in $(seq 30); do echo > out/$i; done")
    assert set(found) == {"out/mine"}, "what is there is not said to be deleted"


def test_a_file_that_is_too_large_is_named_before_and_when_it_is_changed(
    repository: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (baseline, states_module):
        monkeypatch.setattr(module, "FILE_BYTES", 100)
    (repository.work / "large").write_bytes(b"x" * 101)
    (first,) = repository.shell("true")
    assert [gap.path for gap in first.unrestorable] == ["large"]
    point = repository.here()
    (entry,) = repository.shell("echo > large; echo > untracked")
    assert [gap.path for gap in entry.unrestorable] == ["large"]
    assert "large" in repository.told[-1]
    assert "just changed cannot be put back" in repository.told[-1]
    done = repository.rewind(point)
    assert [gap.path for gap in done.plan.unrestorable] == ["large"]
    assert (repository.work / "untracked").read_text() == "mine\n"
    assert not done.complete


def test_a_file_that_was_made_and_cannot_be_kept_is_not_removed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (baseline, states_module):
        monkeypatch.setattr(module, "FILE_BYTES", 100)
    point = stage.here()
    stage.shell("head -c 200 /dev/zero > large")
    done = stage.rewind(point)
    assert (stage.work / "large").stat().st_size == 200
    assert [gap.path for gap in done.plan.unrestorable] == ["large"]


def test_what_does_not_fit_into_all_that_is_held_is_named(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "HELD_BYTES", 100)
    (stage.work / "small").write_bytes(b"s" * 60)
    (stage.work / "wide").write_bytes(b"w" * 61)
    (entry,) = stage.shell("rm small wide")
    assert {gap.path for gap in entry.unrestorable} == {"wide"}
    assert stage.store.get(entry.files[0].before.sha256) == b"s" * 60


def test_a_session_keeps_no_more_than_its_share(stage: Stage) -> None:
    stage.watch._keeper._most = 10
    (stage.work / "a").write_bytes(b"a" * 8)
    (stage.work / "b").write_bytes(b"b" * 8)
    (entry,) = stage.shell("rm a b")
    assert [gap.path for gap in entry.unrestorable] == ["b"]
    assert "this session keeps no more" in entry.unrestorable[0].reason


def test_more_files_than_one_entry_takes_are_told_in_several(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.checkpoint.watch.FILES_PER_ENTRY", 4)
    point = stage.here()
    made = stage.shell("touch 1 2 3 4 5 6 7 8 9")
    assert [len(entry.files) for entry in made] == [4, 4, 1]
    assert stage.rewind(point).complete
    assert tree_of(stage.work) == {}


def test_where_nothing_can_be_stored_the_step_runs_and_the_person_is_told(stage: Stage) -> None:
    stage.store.root.parent.mkdir(parents=True)
    stage.store.root.write_text("a file where a folder should be")
    (stage.work / "a").write_text("a")
    (entry,) = stage.shell("rm a")
    assert not (stage.work / "a").exists()
    assert "nothing can be kept" in stage.told[-1]
    assert entry.unrestorable[0].path == "./"


# The store


def test_copies_are_private_and_exact_and_gone_when_nobody_needs_them(repository: Stage) -> None:
    secret = b"sk-secret-\xff\xfe\r\n"
    (repository.work / "untracked").write_bytes(secret)
    found = paths(repository, "rm untracked")
    place = repository.store.path(found["untracked"][0].sha256)
    assert place.read_bytes() == secret
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert list(repository.store.root.glob("held-*/*"))
    asyncio.run(repository.watch.close())
    assert not list(repository.store.root.glob("held-*"))


def test_what_a_dead_run_held_is_removed_by_the_next(stage: Stage) -> None:
    dead = stage.store.root / "held-gone-1"
    dead.mkdir(parents=True)
    (dead / "x").write_text("x")
    (stage.work / "a").write_text("a")
    stage.shell("rm a")
    assert not dead.exists()


def test_our_own_directories_are_not_watched(tmp_path: Path) -> None:
    look = walk.look_over(
        tmp_path, tracked=frozenset(), left={}, own=(tmp_path / "home", tmp_path / "x")
    )
    assert look.marks == {}
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "log").touch()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").touch()
    look = walk.look_over(tmp_path, tracked=frozenset(), left={}, own=(tmp_path / "home",))
    assert look.marks == {}


def test_a_path_that_is_a_secret_is_not_written_down(stage: Stage) -> None:
    stage.watch._scene = type(stage.watch._scene)(
        **{
            name: getattr(stage.watch._scene, name)
            for name in stage.watch._scene.__struct_fields__
            if name != "speakable"
        },
        speakable=lambda path: "hunter2" not in path,
    )
    (entry,) = stage.shell("touch hunter2 other")
    assert [change.path for change in entry.files] == ["other"]
    assert [gap.reason for gap in entry.unrestorable] == ["a secret stands in the name of a file"]
