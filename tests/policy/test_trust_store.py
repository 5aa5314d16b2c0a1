"""The store of decisions: private, whole, and never read as trust when something is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.errors import ConfigError
from induscode.policy.contents import TEXT_BYTES
from induscode.policy.trust import State
from induscode.policy.trust_store import TrustStore
from tests.policy.trusting import AT, SIX, Bench, item

BOUND = 30.0
ROOT = Path(__file__).parents[2]
GRANTING = """
import sys
from pathlib import Path
from tests.policy.trusting import AT, Bench, imports
from induscode.policy.trust import Trust
from induscode.policy.belongings import list_belongings
from induscode.policy.trust_store import TrustStore
home, works = Path(sys.argv[1]), sys.argv[2:]
for work in map(Path, works):
    trust = Trust(work, list_belongings(work, work), TrustStore(home), home=home, imports=imports)
    trust.accept_new(at=AT)
"""
DYING = """
import os, signal, sys
from pathlib import Path
from tests.policy.trusting import Bench
step = sys.argv[2]
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
import induscode.policy.trust_store as store
import induscode.policy.private_file as private
if step == "texts": store.TrustStore._keep_texts = die
if step == "sync": private.os.fsync = die
if step == "replace": Path.replace = die
bench = Bench.__new__(Bench)
root = Path(sys.argv[1])
bench.work, bench.home = root / "work", root / "home"
bench.store = store.TrustStore(bench.home)
bench.granted()
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.write(SIX)
    return bench


def test_only_the_user_can_read_what_is_stored(bench: Bench) -> None:
    bench.granted()
    assert bench.home.stat().st_mode & 0o777 == 0o700
    for file in bench.home.rglob("*"):
        expected = 0o700 if file.is_dir() else 0o600
        assert file.stat().st_mode & 0o777 == expected, file


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"version": 1}',
        b'{"version": 1, "workspaces": []}',
        b'{"version": 1, "workspaces": {"%W": true}}',
        b'{"version": 1, "workspaces": {"%W": {"at": "now", "items": {".mcp.json": {}}}}}',
        b'{"version": 1, "workspaces": {}, "trust_all": true}',
        b'{"version": 2, "workspaces": {}}',
    ],
)
def test_a_damaged_store_is_an_error_with_a_remedy_and_no_trust(
    bench: Bench, damage: bytes
) -> None:
    bench.granted()
    bench.store.file.write_bytes(damage.replace(b"%W", str(bench.work).encode()))
    with pytest.raises(ConfigError, match="must be trusted again") as found:
        bench.trust().states()
    assert found.value.file == str(bench.store.file)
    with pytest.raises(ConfigError):
        bench.granted()


def test_a_cut_at_every_byte_is_never_read_as_trust(bench: Bench) -> None:
    bench.granted()
    whole = bench.store.file.read_bytes()
    for length in range(len(whole.rstrip()) - 1):
        bench.store.file.write_bytes(whole[:length])
        with pytest.raises(ConfigError):
            bench.store.record(bench.work)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_store_that_others_may_write_is_refused(bench: Bench, mode: int) -> None:
    bench.granted()
    bench.store.file.chmod(mode)
    with pytest.raises(ConfigError, match="others may write it; run: chmod"):
        bench.trust().states()


@pytest.mark.parametrize("mode", [0o770, 0o703])
def test_a_store_in_a_folder_that_others_may_write_is_refused(bench: Bench, mode: int) -> None:
    bench.granted()
    bench.home.chmod(mode)
    with pytest.raises(ConfigError, match="others may write its folder; run: chmod go-w"):
        bench.trust().states()
    with pytest.raises(ConfigError, match="others may write its folder"):
        bench.granted()


def test_a_store_that_somebody_else_owns_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.granted()
    if os.getuid() == 0:
        os.chown(bench.store.file, 12345, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    with pytest.raises(ConfigError, match="somebody else owns it"):
        bench.trust().states()


def test_a_store_that_is_a_fifo_is_refused_without_waiting(bench: Bench) -> None:
    bench.home.mkdir(mode=0o700)
    os.mkfifo(bench.store.file, 0o600)
    with pytest.raises(ConfigError, match="not a regular file"):
        bench.trust().states()


def test_short_texts_are_kept_and_long_or_binary_ones_are_not(bench: Bench) -> None:
    bench.write({"CLAUDE.md": "x" * (TEXT_BYTES + 1)})
    (bench.work / ".indus/addons/x/a.bin").write_bytes(b"\0\xff")
    trust = bench.granted()
    assert trust.record is not None
    marks = trust.record.items
    assert bench.store.text(marks["AGENTS.md"].files[""].sha256) == SIX["AGENTS.md"]
    assert bench.store.text(marks["CLAUDE.md"].files[""].sha256) is None
    assert bench.store.text(marks[".indus/addons/x"].files["a.bin"].sha256) is None
    kept = bench.home / "trust-texts" / marks["AGENTS.md"].files[""].sha256
    kept.write_text("something else")
    assert bench.store.text(kept.name) is None


def test_forgetting_removes_the_record_and_its_texts(bench: Bench) -> None:
    bench.granted()
    assert bench.store.forget(bench.work, [".mcp.json"])
    assert bench.states()[".mcp.json"] is State.NEW
    assert len(list((bench.home / "trust-texts").iterdir())) == 5
    assert bench.store.forget(bench.work)
    assert not bench.trust().trusted
    assert list((bench.home / "trust-texts").iterdir()) == []
    assert not bench.store.forget(bench.work)


def test_a_record_made_meanwhile_is_not_replaced_by_what_is_only_new(bench: Bench) -> None:
    first, second = bench.trust(), bench.trust()
    assert not first.trusted
    assert not second.trusted
    second.accept_new(at=AT)
    bench.write({".mcp.json": "{}"})
    first.accept_new(at=AT)
    assert first.state(item(first, ".mcp.json")).state is State.CHANGED


def test_a_workspace_whose_path_is_no_text_can_be_trusted(tmp_path: Path) -> None:
    bench = Bench(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")))
    bench.home, bench.store = tmp_path / "home", TrustStore(tmp_path / "home")
    bench.write(SIX)
    assert len(bench.granted().admitted()) == 6
    assert bench.trust().trusted


def test_processes_that_grant_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    works = []
    for number in range(40):
        bench = Bench(tmp_path / str(number))
        bench.write({"AGENTS.md": str(number)})
        works.append(str(bench.work))
    home = tmp_path / "home"
    running = [
        subprocess.Popen([sys.executable, "-c", GRANTING, str(home), *works[start::4]], cwd=ROOT)
        for start in range(4)
    ]
    assert [process.wait(BOUND) for process in running] == [0] * 4
    stored = json.loads((home / "trust.json").read_bytes())
    assert sorted(stored["workspaces"]) == sorted(works)


@pytest.mark.parametrize("step", ["texts", "sync", "replace"])
def test_dying_in_the_middle_leaves_the_old_store(bench: Bench, step: str) -> None:
    bench.granted()
    before = bench.store.file.read_bytes()
    bench.write({"CLAUDE.md": "new"})
    done = subprocess.run(
        [sys.executable, "-c", DYING, str(bench.work.parent), step],
        cwd=ROOT,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert bench.store.file.read_bytes() == before
    assert bench.states()["CLAUDE.md"] is State.NEW
    bench.granted()
    assert bench.states()["CLAUDE.md"] is State.UNCHANGED
