"""Durable state of a feature: its own, versioned, whole, and private."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from induscode.boot.services import durable, state_folder
from induscode.boot.services.state import state_key
from induscode.errors import HandleClosed, ServiceRefused
from induscode.feature.capability import FeatureState
from induscode.feature.descriptor import FeatureId
from induscode.feature.services import FeatureServiceProvider, StateDirectory, Unavailable
from tests.features.services.desk import Desk
from tests.features.services.processes import at_once
from tests.features.services.workers import fill_state, migrate_state
from tests.requirements import requirement


def state_of(services: FeatureServiceProvider, version: int = 1, migrate=None) -> StateDirectory:
    state = services.state(version, migrate)
    assert isinstance(state, StateDirectory), state
    return state


def home(desk: Desk, feature: str = "builtin:probe") -> Path:
    return desk.roots.state / state_key(FeatureId.parse(feature), desk.workspace)


def test_state_survives_the_session_and_is_private(desk: Desk) -> None:
    state = state_of(desk.handed())
    assert state.read("seen") is None
    state.write("seen", b"1")
    state.write("seen", b"2")
    state.write("other", b"")
    again = state_of(desk.handed())
    assert (again.read("seen"), again.names()) == (b"2", ("other", "seen"))
    assert (again.remove("other"), again.remove("other")) == (True, False)
    for place in home(desk).rglob("*"):
        assert place.stat().st_mode & 0o077 == 0
    assert home(desk).stat().st_mode & 0o077 == 0
    assert desk.workspace not in home(desk).parents


USES = {
    "read": lambda state: state.read("seen"),
    "write": lambda state: state.write("seen", b"2"),
    "remove": lambda state: state.remove("seen"),
    "names": lambda state: state.names(),
}


@requirement("invariant.06.withdrawn-while-running")
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_held_state_refuses_after_the_withdrawal(desk: Desk, use) -> None:
    state = state_of(desk.handed())
    state.write("seen", b"1")
    desk.grants.withdraw(FeatureState())
    with pytest.raises(ServiceRefused, match="withdrawn"):
        use(state)
    [kept] = home(desk).glob("*/seen")
    assert kept.read_bytes() == b"1"


def test_an_update_of_a_plugin_keeps_its_state_and_others_have_their_own(desk: Desk) -> None:
    state_of(desk.handed(f"plugin:{'a' * 64}:x")).write("seen", b"plugin")
    assert state_of(desk.handed(f"plugin:{'b' * 64}:x")).read("seen") == b"plugin"
    for other in (f"plugin:{'a' * 64}:y", "builtin:x", "user:x", "project:x", "mcp:x"):
        assert state_of(desk.handed(other)).read("seen") is None
        state_of(desk.handed(other)).write("seen", other.encode())
    assert len(list(desk.roots.state.iterdir())) == 6


@pytest.mark.parametrize("source", ["project", "mcp"])
def test_what_another_workspace_brings_is_another_feature(desk: Desk, source: str) -> None:
    feature = FeatureId.parse(f"{source}:x")
    elsewhere = desk.root / "elsewhere"
    assert state_key(feature, desk.workspace) != state_key(feature, elsewhere)
    ours = FeatureId.builtin("x")
    assert state_key(ours, desk.workspace) == state_key(ours, elsewhere)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", ".lock", ".new", "a\0", "x" * 101, "é", "a\n"]
)
def test_names_are_single_segments(desk: Desk, name: str) -> None:
    state = state_of(desk.handed())
    for use in (state.read, state.remove, lambda name: state.write(name, b"x")):
        with pytest.raises(ServiceRefused, match="no name"):
            use(name)


def test_size_and_number_are_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_folder, "STATE_BYTES", 100)
    monkeypatch.setattr(state_folder, "STATE_FILES", 2)
    state = state_of(desk.handed())
    state.write("a", b"a" * 60)
    state.write("a", b"b" * 90)
    with pytest.raises(OSError, match="over 100 bytes"):
        state.write("b", b"b" * 11)
    state.write("b", b"b" * 10)
    with pytest.raises(OSError, match="over 2 files"):
        state.write("c", b"")
    assert state.names() == ("a", "b")


# Versions


def test_a_migration_is_applied_once(desk: Desk) -> None:
    state_of(desk.handed()).write("old", b"1")
    runs: list[int] = []

    def migrate(found: int, directory: StateDirectory) -> None:
        runs.append(found)
        directory.write("new", (directory.read("old") or b"") + b"!")
        directory.remove("old")

    for _ in range(3):
        state = state_of(desk.handed(), 3, migrate)
        assert (state.names(), state.read("new")) == (("new",), b"1!")
    assert runs == [1]
    assert len(list(home(desk).glob("version-*"))) == 1


def test_a_failing_migration_keeps_the_old_state(desk: Desk) -> None:
    state_of(desk.handed()).write("old", b"1")

    def migrate(found: int, directory: StateDirectory) -> None:
        directory.write("old", b"ruined")
        raise RuntimeError("no idea")

    answer = desk.handed().state(2, migrate)
    assert isinstance(answer, Unavailable)
    assert "the migration from version 1 failed: RuntimeError('no idea')" in answer.reason
    assert any("no idea" in said for said in desk.diagnostics())
    assert state_of(desk.handed()).read("old") == b"1"
    assert len(list(home(desk).glob("version-*"))) == 1


@pytest.mark.parametrize("migrate", [None, lambda found, directory: None])
def test_a_newer_state_is_unavailable_to_an_older_version(desk: Desk, migrate) -> None:
    state_of(desk.handed(), 5).write("seen", b"1")
    answer = desk.handed().state(4, migrate)
    assert isinstance(answer, Unavailable)
    assert "of version 5, newer than 4" in answer.reason
    assert state_of(desk.handed(), 5).read("seen") == b"1"


def test_without_a_migration_an_older_state_is_unavailable(desk: Desk) -> None:
    state_of(desk.handed()).write("seen", b"1")
    answer = desk.handed().state(2)
    assert isinstance(answer, Unavailable)
    assert state_of(desk.handed()).read("seen") == b"1"


def test_the_copy_of_a_migration_is_taken_back(desk: Desk) -> None:
    state_of(desk.handed()).write("old", b"1")
    kept: list[StateDirectory] = []
    state_of(desk.handed(), 2, lambda found, directory: kept.append(directory))
    with pytest.raises(HandleClosed):
        kept[0].write("old", b"2")


def test_a_migration_that_lost_its_grant_does_not_count(desk: Desk) -> None:
    state_of(desk.handed()).write("old", b"1")
    services = desk.handed()
    answer = services.state(2, lambda found, directory: desk.grants.withdraw(FeatureState()))
    assert isinstance(answer, Unavailable)
    assert '"version":1' in (home(desk) / "current.json").read_text()


def test_who_opened_an_older_version_is_refused_after_the_migration(desk: Desk) -> None:
    old = state_of(desk.handed())
    old.write("seen", b"1")
    new = state_of(desk.handed(), 2, lambda found, directory: None)
    with pytest.raises(ServiceRefused, match="another one now"):
        old.write("seen", b"old")
    assert new.read("seen") == b"1"


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.5])
def test_a_version_is_a_whole_number_from_one(desk: Desk, version) -> None:
    assert isinstance(desk.handed().state(version), Unavailable)
    assert not home(desk).exists()


@pytest.mark.parametrize(
    "content",
    ["", "{", '{"version": 1}', '{"version": 1, "folder": "gone"}',
     '{"version": 1, "folder": "../builtin-other"}', '{"version": 1, "folder": ".."}'],
)  # fmt: skip
def test_a_damaged_state_is_unavailable_and_left_alone(desk: Desk, content: str) -> None:
    state_of(desk.handed()).write("seen", b"1")
    (desk.roots.state / "builtin-other").mkdir()
    file = home(desk) / "current.json"
    file.write_text(content)
    answer = desk.handed().state(1)
    assert isinstance(answer, Unavailable)
    assert f"{file} is damaged" in answer.reason
    assert file.read_text() == content
    assert len(list(home(desk).glob("version-*/seen"))) == 1


def test_what_a_killed_migration_left_is_removed(desk: Desk) -> None:
    state_of(desk.handed()).write("seen", b"1")
    (home(desk) / "version-2-dead").mkdir()
    (home(desk) / ".new").write_text("half")
    state = state_of(desk.handed())
    state.write("more", b"2")
    assert len(list(home(desk).glob("version-*"))) == 1
    assert state.names() == ("more", "seen")


def test_a_place_that_cannot_be_made_is_unavailable(desk: Desk) -> None:
    desk.roots.state.parent.write_text("in the way")
    answer = desk.handed().state(1)
    assert isinstance(answer, Unavailable)
    assert len(desk.diagnostics()) == 1


# Others at the same time


def test_two_processes_do_not_mix_what_they_write(desk: Desk) -> None:
    size, count = 200_000, 20
    state = state_of(desk.handed())
    state.write("both", b"b" * size)
    ended = threading.Event()
    mixed: list[int] = []

    def watch() -> None:
        while not ended.is_set():
            data = state.read("both") or b""
            if data not in {b"a" * size, b"b" * size}:
                mixed.append(len(data))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        at_once(fill_state, *((str(desk.root), letter, size, count) for letter in "ab"))
    finally:
        ended.set()
        watcher.join()
    assert mixed == []
    expected = {f"{letter}-{number}" for letter in "ab" for number in range(count)}
    assert set(state.names()) == expected | {"both"}


def test_of_two_processes_that_open_it_one_migrates(desk: Desk) -> None:
    state_of(desk.handed()).write("count", b"0")
    witness = desk.root / "witness"
    at_once(migrate_state, (str(desk.root), str(witness)), (str(desk.root), str(witness)))
    assert witness.read_text() == "1\n"
    assert state_of(desk.handed(), 2).read("count") == b"1"


def test_somebody_who_does_not_let_go_makes_it_unavailable(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "LOCK_SECONDS", 0.05)
    answers: list[object] = []
    state_of(desk.handed()).write("seen", b"1")

    def migrate(found: int, directory: StateDirectory) -> None:
        answers.append(desk.handed().state(1))

    assert isinstance(desk.handed().state(2, migrate), StateDirectory)
    assert isinstance(answers[0], Unavailable)
    assert "another process has been writing" in answers[0].reason
