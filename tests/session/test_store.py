"""Where sessions live, and how one is found."""

import os
from pathlib import Path

import pytest

from induscode.errors import SessionNotFound
from induscode.kernel.clock import FixedClock
from induscode.kernel.ids import IdMint
from induscode.session.entries import Notice
from induscode.session.store import SessionStore, workspace_key
from tests.requirements import requirement


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    clock = FixedClock(1_750_000_000_000)
    return SessionStore(tmp_path / "home", clock, IdMint(clock))


def recorded(store: SessionStore, workspace: Path, *, age: int = 0) -> Path:
    store._clock.advance(1000)
    log = store.create(workspace)
    log.append(Notice("x"))
    log.close()
    os.utime(log.path, (1_750_000_000 - age, 1_750_000_000 - age))
    return log.path


@requirement("log.location")
def test_a_session_is_one_file_in_the_folder_of_its_workspace(store: SessionStore, tmp_path: Path):
    path = recorded(store, tmp_path / "w")
    assert path.parent.parent == tmp_path / "home" / "sessions"
    assert path.parent.name == workspace_key(tmp_path / "w")
    assert (len(path.stem), path.suffix) == (26, ".jsonl")
    with path.open("ab") as file:
        file.write(b'{"torn')
    log, report = store.open(path)
    log.close()
    assert report.torn_file
    assert [p for p in path.parent.iterdir() if p.suffix == ".jsonl"] == [path]


def test_nothing_is_on_disk_before_the_first_entry(store: SessionStore, tmp_path: Path):
    log = store.create(tmp_path / "w")
    assert not log.path.parent.exists()
    log.close()


def test_only_the_owner_may_read_a_session(store: SessionStore, tmp_path: Path):
    path = recorded(store, tmp_path / "w")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0


def test_workspaces_that_look_alike_have_folders_of_their_own(tmp_path: Path):
    twins = [tmp_path / name for name in ("a b", "a-b", "a/b", "A-b", "ä-b")]
    keys = [workspace_key(path) for path in twins]
    assert len(set(keys)) == len(twins)
    assert all("/" not in key and not key.startswith((".", "-")) and len(key) < 80 for key in keys)
    assert keys[0].rsplit("-", 1)[0].endswith("-a-b"), "its end can be read"


def test_a_workspace_is_known_by_its_real_path(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert workspace_key(tmp_path / "link") == workspace_key(tmp_path / "real")
    assert workspace_key(Path("/")).startswith("root-")


def test_a_session_is_found_by_its_id_a_unique_prefix_or_as_the_last(
    store: SessionStore, tmp_path: Path
):
    here, there = tmp_path / "here", tmp_path / "there"
    old, new = recorded(store, here, age=50), recorded(store, here, age=10)
    other = recorded(store, there)
    assert store.find(new.stem, there) == new
    assert store.find("last", here) == new
    assert store.find("last", there) == other
    assert store.find(old.stem[:10], here) == old


def test_an_ambiguous_prefix_names_some_of_what_it_could_mean(store: SessionStore, tmp_path: Path):
    paths = [recorded(store, tmp_path) for _ in range(4)]
    with pytest.raises(SessionNotFound) as refused:
        store.find("0", tmp_path)
    assert "4 sessions" in str(refused.value)
    assert min(path.stem for path in paths) in str(refused.value)


@pytest.mark.parametrize("wanted", ["zzzz", "", "*", "../x", "LAST", "a/b", "a\0"])
def test_what_names_no_session_is_refused_with_a_hint(
    store: SessionStore, tmp_path: Path, wanted: str
):
    recorded(store, tmp_path)
    with pytest.raises(SessionNotFound) as refused:
        store.find(wanted, tmp_path)
    assert "indus sessions" in refused.value.hint


def test_a_workspace_without_sessions_says_how_to_start_one(store: SessionStore, tmp_path: Path):
    with pytest.raises(SessionNotFound, match="no session yet"):
        store.find("last", tmp_path)
    folder = store.folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / "dangling.jsonl").symlink_to("nowhere")
    with pytest.raises(SessionNotFound, match="no session yet"):
        store.find("last", tmp_path)
    path = recorded(store, tmp_path)
    assert store.find("last", tmp_path) == path
