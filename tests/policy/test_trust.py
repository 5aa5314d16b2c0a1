"""Trust is bound to content: what was accepted counts, anything else waits."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.errors import ConfigError
from induscode.policy import contents
from induscode.policy.belongings import Kind
from induscode.policy.trust import State, Trust
from tests.policy.trusting import AT, SIX, SIX_ITEMS, Bench, imports, item
from tests.requirements import requirement

OTHERS = dict.fromkeys(SIX_ITEMS, State.UNCHANGED)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.write(SIX)
    return bench


@requirement("invariant.08.trust-before-reading")
def test_before_trust_everything_waits_and_nothing_is_returned(bench: Bench) -> None:
    trust = bench.trust()
    assert not trust.trusted
    assert {each.state for each in trust.states()} == {State.WAITING}
    assert trust.admitted() == ()
    assert [trust.read(each) for each in trust.items] == [None] * 6
    assert not bench.home.exists()


def test_after_trust_every_item_is_admitted_and_read(bench: Bench) -> None:
    trust = bench.granted()
    assert bench.states() == OTHERS
    assert [each.path for each in trust.admitted(Kind.MCP)] == [".mcp.json"]
    assert trust.read(item(trust, ".mcp.json")) == SIX[".mcp.json"].encode()
    addon = item(trust, ".indus/addons/x")
    assert trust.files(addon) == ("manifest.toml",)
    assert trust.read(addon, "manifest.toml") == b'id = "x"\n'
    assert trust.read(addon, "../../mcp.json") is None
    assert trust.read(addon) is None


def _append(file: Path) -> None:
    file.write_text(file.read_text() + "more\n")


def _replace_by_itself(file: Path) -> None:
    text = file.read_text()
    file.unlink()
    file.write_text(f"{text} ")


def _executable(file: Path) -> None:
    file.chmod(0o755)


def _link(file: Path) -> None:
    other = file.with_name("other")
    file.rename(other)
    file.symlink_to("other")


CHANGES = [_append, _replace_by_itself, _executable, _link]


@requirement("invariant.08.trust-bound-to-content")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("file", sorted(SIX))
def test_a_change_makes_that_item_wait_and_no_other(
    bench: Bench, file: str, change: object
) -> None:
    bench.granted()
    assert callable(change)
    change(bench.work / file)
    (changed,) = [path for path in SIX_ITEMS if file.startswith(path)]
    assert bench.states() == {**OTHERS, changed: State.CHANGED}
    trust = bench.trust()
    trust.accept_new(at=AT)
    assert trust.state(item(trust, changed)).state is State.CHANGED
    within = file[len(changed) + 1 :]
    assert trust.read(item(trust, changed), within) is None


def test_a_file_added_to_or_taken_from_a_folder_is_a_change(bench: Bench) -> None:
    bench.write({".indus/addons/x/lib/a.py": "a"})
    bench.granted()
    bench.write({".indus/addons/x/lib/b.py": "b"})
    trust = bench.trust()
    addon = item(trust, ".indus/addons/x")
    assert trust.state(addon).state is State.CHANGED
    assert (trust.files(addon), trust.read(addon, "manifest.toml")) == ((), None)
    (bench.work / ".indus/addons/x/lib/b.py").unlink()
    assert bench.states()[".indus/addons/x"] is State.UNCHANGED
    (bench.work / ".indus/addons/x/lib/a.py").rename(bench.work / ".indus/addons/x/lib/c.py")
    assert bench.states()[".indus/addons/x"] is State.CHANGED


@requirement("cli.flag.trust")
def test_an_item_that_comes_later_is_new_and_accepted_as_such(bench: Bench) -> None:
    bench.granted()
    bench.write({"CLAUDE.md": "x"})
    assert bench.states()["CLAUDE.md"] is State.NEW
    assert bench.trust().admitted(Kind.CONTEXT) == bench.trust().items[-2:-1]
    bench.granted()
    assert bench.states()["CLAUDE.md"] is State.UNCHANGED


@requirement("cli.flag.trust")
def test_an_item_that_goes_and_comes_back_different_is_a_change(bench: Bench) -> None:
    bench.granted()
    (bench.work / ".mcp.json").unlink()
    assert ".mcp.json" not in bench.states()
    bench.granted()
    bench.write({".mcp.json": "{}"})
    assert bench.states()[".mcp.json"] is State.CHANGED
    bench.granted()
    assert bench.states()[".mcp.json"] is State.CHANGED
    bench.write({".mcp.json": SIX[".mcp.json"]})
    assert bench.states()[".mcp.json"] is State.UNCHANGED


def test_a_link_counts_by_where_it_leads_and_what_is_there(bench: Bench) -> None:
    bench.write({"docs/a.md": "same", "docs/b.md": "same"})
    (bench.work / "CLAUDE.md").symlink_to("docs/a.md")
    bench.granted()
    assert bench.states()["CLAUDE.md"] is State.UNCHANGED
    (bench.work / "CLAUDE.md").unlink()
    (bench.work / "CLAUDE.md").symlink_to("docs/b.md")
    assert bench.states()["CLAUDE.md"] is State.CHANGED
    (bench.work / "CLAUDE.md").unlink()
    (bench.work / "CLAUDE.md").symlink_to("docs/a.md")
    bench.write({"docs/a.md": "other"})
    assert bench.states()["CLAUDE.md"] is State.CHANGED


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(place))


def _sparse(file: Path, megabytes: int) -> None:
    with file.open("wb") as opened:
        opened.truncate(megabytes * 1024 * 1024)


INSIDE = [
    ("a link that leads out", lambda p: p.symlink_to("/etc/hostname"), "out of the workspace"),
    ("a folder that is one", lambda p: p.symlink_to("/etc"), "out of the workspace"),
    ("a link that leads up", lambda p: p.symlink_to("../../../../x"), "out of the workspace"),
    ("a link to nothing", lambda p: p.symlink_to("nothing"), "leads nowhere"),
    ("a link in a circle", lambda p: p.symlink_to("."), "circle"),
    ("a socket", _socket, "not a regular file"),
    ("a fifo", os.mkfifo, "not a regular file"),
    ("a huge file", lambda p: _sparse(p, 100), "larger than 64 MB"),
]


@pytest.mark.parametrize(("name", "make", "reason"), INSIDE)
def test_an_item_that_holds_such_a_thing_is_refused(
    bench: Bench, name: str, make: object, reason: str
) -> None:
    assert callable(make), name
    make(bench.work / ".indus/addons/x/thing")
    trust = bench.granted()
    state = trust.state(item(trust, ".indus/addons/x"))
    assert (state.state, reason in state.reason) == (State.REFUSED, True)
    assert trust.read(item(trust, ".indus/addons/x"), "manifest.toml") is None
    assert ".indus/addons/x" not in (trust.record.items if trust.record else {})


def test_a_huge_manifest_is_not_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    _sparse(bench.work / ".mcp.json", 100)
    _sparse(bench.work / ".indus/addons/x/manifest.toml", 100)
    read: list[int] = []
    real = contents.digest
    monkeypatch.setattr(contents, "digest", lambda data: (read.append(len(data)), real(data))[1])
    trust = bench.granted()
    refused = [each for each in trust.states() if each.state is State.REFUSED]
    assert [each.item.path for each in refused] == [".indus/addons/x", ".mcp.json"]
    assert "larger than 64 MB" in refused[0].reason
    assert "larger than 1 MB" in refused[1].reason
    assert max(read) < 10_000


def test_too_many_files_and_too_deep_folders_are_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write({".indus/skills/tidy/" + "d/" * 100 + "x": "x"})
    trust = bench.granted()
    assert "deep" in trust.state(item(trust, ".indus/skills/tidy")).reason
    monkeypatch.setattr(contents, "MAX_FILES", 3)
    bench.write({f".indus/addons/x/{folder}/{name}": "x" for folder in "ab" for name in "cd"})
    trust = bench.trust()
    assert "more than 3 files" in trust.state(item(trust, ".indus/addons/x")).reason
    bench.write({f".indus/skills/many/{name}": "x" for name in "abcd"})
    trust = bench.trust()
    assert "more than 3 files" in trust.state(item(trust, ".indus/skills/many")).reason


def test_a_name_that_is_no_text_inside_an_item_is_refused(bench: Bench) -> None:
    Path(os.fsdecode(os.fsencode(bench.work) + b"/.indus/addons/x/\xff")).write_text("x")
    trust = bench.granted()
    assert "not text" in trust.state(item(trust, ".indus/addons/x")).reason


def test_what_is_swapped_between_check_and_use_is_not_returned(bench: Bench) -> None:
    trust = bench.granted()
    mcp, addon = item(trust, ".mcp.json"), item(trust, ".indus/addons/x")
    assert trust.state(mcp).state is State.UNCHANGED
    assert trust.state(addon).state is State.UNCHANGED
    bench.write({".mcp.json": '{"mcpServers": {"a": {}}}', ".indus/addons/x/manifest.toml": "evil"})
    assert trust.read(mcp) is None
    assert trust.read(addon, "manifest.toml") is None
    (bench.work / ".mcp.json").unlink()
    os.mkfifo(bench.work / ".mcp.json")
    assert trust.read(mcp) is None
    (bench.work / ".mcp.json").unlink()
    secret = bench.work.parent / "secret"
    secret.write_text(SIX[".mcp.json"])
    (bench.work / ".mcp.json").symlink_to(secret)
    assert trust.read(mcp) is None


def test_a_reader_never_sees_other_bytes_while_somebody_keeps_swapping(bench: Bench) -> None:
    trust = bench.granted()
    mcp, good = item(trust, ".mcp.json"), SIX[".mcp.json"]
    assert trust.state(mcp).state is State.UNCHANGED
    over = threading.Event()

    def swap() -> None:
        number = 0
        while not over.is_set():
            number += 1
            fresh = bench.work / f"fresh{number % 2}"
            fresh.write_text(good if number % 2 else good.replace("{}", "[]"))
            fresh.replace(bench.work / ".mcp.json")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = {trust.read(mcp) for _ in range(2000)}
    over.set()
    swapper.join()
    assert seen <= {None, good.encode()}
    assert good.encode() in seen


def test_a_folder_swapped_for_a_link_while_it_is_read_does_not_lead_outside(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = bench.work.parent / "outside"
    outside.mkdir()
    (outside / "manifest.toml").write_text("outside")
    folder = bench.work / ".indus/addons/x"

    def swap() -> None:
        folder.rename(bench.work / "aside")
        folder.symlink_to(outside)

    swap_before_opening(monkeypatch, "x/manifest.toml", swap)
    trust = bench.granted()
    assert folder.is_symlink()
    assert trust.record is not None
    assert ".indus/addons/x" not in trust.record.items


def test_a_file_swapped_for_a_fifo_while_it_is_read_neither_hangs_nor_counts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = bench.work / ".mcp.json"

    def swap() -> None:
        file.unlink()
        os.mkfifo(file)

    swap_before_opening(monkeypatch, ".mcp.json", swap)
    trust = bench.granted()
    assert file.is_fifo()
    assert trust.record is not None
    assert ".mcp.json" not in trust.record.items


def swap_before_opening(
    monkeypatch: pytest.MonkeyPatch, name: str, swap: Callable[[], None]
) -> None:
    """Do it in the moment between the last look at a file and its opening."""
    real = vars(contents)["_open"]
    done: list[str] = []

    def opened(workspace: Path, path: str, flags: int) -> int:
        if path.endswith(name) and not done:
            done.append(name)
            swap()
        return real(workspace, path, flags)

    monkeypatch.setattr(contents, "_open", opened)


def test_a_store_inside_the_workspace_trusts_nothing_there(bench: Bench) -> None:
    bench.granted()
    inside = bench.work / "home"
    bench.home.rename(inside)
    store = type(bench.store)(inside)
    trust = Trust(
        bench.work, bench.trust().items, store, home=bench.work.parent / "user", imports=imports
    )
    assert not trust.trusted
    assert trust.admitted() == ()
    with pytest.raises(ConfigError, match=r"lies inside this workspace.*INDUS_HOME"):
        trust.accept_new(at=AT)


def test_a_home_directory_may_be_a_workspace(bench: Bench) -> None:
    store = type(bench.store)(bench.work / ".config" / "indus")
    trust = Trust(bench.work, bench.trust().items, store, home=bench.work, imports=imports)
    trust.accept_new(at=AT)
    assert len(trust.admitted()) == 6


def test_addons_are_told_apart_by_what_may_be_used_of_them(bench: Bench) -> None:
    bench.write({f".indus/addons/{name}/manifest.toml": f'id = "{name}"\n' for name in "ab"})
    assert {each.state for each in bench.trust().held_back(Kind.ADDON)} == {State.WAITING}
    trust = bench.granted()
    accepted = {each.path: trust.digest(each) for each in trust.admitted(Kind.ADDON)}
    bench.write({".indus/addons/b/manifest.toml": "evil", ".indus/addons/c.py": "c"})
    os.mkfifo(bench.work / ".indus/addons/d")

    trust = bench.trust()

    del accepted[".indus/addons/b"]
    assert {each.path: trust.digest(each) for each in trust.admitted(Kind.ADDON)} == accepted
    assert None not in accepted.values()
    held_back = {each.item.path: each.state for each in trust.held_back(Kind.ADDON)}
    assert held_back == {
        ".indus/addons/b": State.CHANGED,
        ".indus/addons/c.py": State.NEW,
        ".indus/addons/d": State.REFUSED,
    }
    assert all(trust.digest(each.item) is None for each in trust.held_back(Kind.ADDON))
