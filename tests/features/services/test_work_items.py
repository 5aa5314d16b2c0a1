"""The store of work items: flags, bounds, damage, other processes, and a kill at any moment."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.boot.services import work_items
from induscode.errors import ServiceRefused
from induscode.feature.capability import WorkItemStore
from induscode.feature.services import WorkItems
from tests.features.services.desk import Desk
from tests.features.services.processes import BOUND, at_once
from tests.features.services.workers import fill_items, store_of
from tests.requirements import requirement

ROOT = Path(__file__).parents[3]
READS: dict[str, Callable[[WorkItems], object]] = {
    "get": lambda store: store.get("W-0001"),
    "items": lambda store: store.items(),
}
WRITES: dict[str, Callable[[WorkItems], object]] = {
    "create": lambda store: store.create("more"),
    "comment": lambda store: store.comment("W-0001", "well"),
    "update": lambda store: store.update("W-0001", status="doing"),
}


def contents(desk: Desk) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in desk.items.glob("W-*")}


def test_an_item_is_created_commented_updated_and_found_again(desk: Desk) -> None:
    store = store_of(desk)
    first = store.create("  Mend\nthe  gate ", "It squeaks.")
    assert (first.id, first.title, first.status) == ("W-0001", "Mend the gate", "open")
    store.comment("W-0001", "oiled")
    store.update("W-0001", status="done", body="It squeaked.")
    assert store.create("Second").id == "W-0002"
    again = store_of(desk)
    found = again.get("W-0001")
    assert found is not None
    assert (found.status, found.body, found.title) == ("done", "It squeaked.", "Mend the gate")
    assert [(said.by, said.text) for said in found.comments] == [("builtin:probe", "oiled")]
    assert [item.id for item in again.items()] == ["W-0001", "W-0002"]


def test_an_item_is_a_readable_file_with_its_fields_in_order(desk: Desk) -> None:
    store = store_of(desk)
    store.create("Größe", "two\nlines")
    file = desk.items / "W-0001.json"
    text = file.read_text(encoding="utf-8")
    assert text.startswith('{\n  "id": "W-0001",\n  "title": "Größe",\n  "status": "open",\n')
    assert text.endswith('"comments": []\n}\n')
    assert file.stat().st_mode & 0o777 == 0o644
    assert (desk.items / ".gitignore").read_text() == ".lock\n.new\n"


@requirement("feature.capability.work-item-store", "invariant.06.withdrawn-while-running")
@pytest.mark.parametrize("flag", ["read", "write"])
def test_a_held_store_refuses_what_was_withdrawn_and_nothing_else(desk: Desk, flag: str) -> None:
    store = store_of(desk)
    store.create("first")
    desk.grants.withdraw(WorkItemStore(**{flag: True}))
    refused, kept = (READS, WRITES) if flag == "read" else (WRITES, READS)
    before = contents(desk)
    for use in refused.values():
        with pytest.raises(ServiceRefused, match="withdrawn"):
            use(store)
    assert contents(desk) == before
    for use in kept.values():
        use(store)


@requirement("feature.capability.work-item-store")
def test_a_handle_does_no_more_than_it_was_asked_for(desk: Desk) -> None:
    store_of(desk).create("first")
    reader = desk.handed().work_item_store(WorkItemStore(read=True))
    writer = desk.handed().work_item_store(WorkItemStore(write=True))
    assert isinstance(reader, WorkItems)
    assert isinstance(writer, WorkItems)
    for use in WRITES.values():
        use(writer)
        with pytest.raises(ServiceRefused, match="this handle is for"):
            use(reader)
    for use in READS.values():
        use(reader)
        with pytest.raises(ServiceRefused, match="this handle is for"):
            use(writer)


@pytest.mark.parametrize("name", ["W-0002", "nothing", "../W-0001", "W-0001.json", ""])
def test_an_unknown_item_is_a_lookup_error(desk: Desk, name: str) -> None:
    store = store_of(desk)
    store.create("first")
    assert store.get(name) is None
    with pytest.raises(LookupError):
        store.comment(name, "well")


def test_reading_an_empty_workspace_makes_nothing(desk: Desk) -> None:
    assert store_of(desk).items() == ()
    assert list(desk.workspace.iterdir()) == []


REFUSED: dict[str, Callable[[WorkItems], object]] = {
    "no title": lambda store: store.create(""),
    "a long title": lambda store: store.create("x" * 201),
    "half a character": lambda store: store.create("half \ud800"),
    "no text": lambda store: store.create(7),
    "a long body": lambda store: store.create("x", "b" * 20_001),
    "no status": lambda store: store.update("W-0001", status="lost"),
    "a blank title": lambda store: store.update("W-0001", title=" "),
    "no comment": lambda store: store.comment("W-0001", ""),
    "a long comment": lambda store: store.comment("W-0001", "c" * 4_001),
}


@pytest.mark.parametrize("use", REFUSED.values(), ids=REFUSED)
def test_what_is_over_a_bound_or_no_item_is_refused(
    desk: Desk, use: Callable[[WorkItems], object]
) -> None:
    store = store_of(desk)
    store.create("first")
    before = contents(desk)
    with pytest.raises(ServiceRefused):
        use(store)
    assert contents(desk) == before


def test_comments_and_items_have_a_greatest_number(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_items, "COMMENTS_MOST", 2)
    monkeypatch.setattr(work_items, "ITEMS_MOST", 2)
    store = store_of(desk)
    for _ in range(2):
        store.create("one")
        store.comment("W-0001", "well")
    with pytest.raises(ServiceRefused, match="no more"):
        store.create("third")
    with pytest.raises(ServiceRefused, match="no more"):
        store.comment("W-0001", "third")
    (desk.items / "W-0007.json").write_bytes((desk.items / "W-0001.json").read_bytes())
    assert len(store.items()) == 2
    assert "there are 3 work items; the first 2 are read" in desk.diagnostics()


def test_the_last_number_does_not_end_the_store(desk: Desk) -> None:
    store = store_of(desk)
    store.create("first")
    (desk.items / "W-9999.json").write_text("{}")
    assert store.create("second").id == "W-0002"


def test_an_item_has_a_greatest_size(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_items, "ITEM_BYTES", 1_000)
    with pytest.raises(ServiceRefused, match="over 1000 bytes"):
        store_of(desk).create("first", "\x01" * 200)


def test_an_id_leads_nowhere_else(desk: Desk) -> None:
    store = store_of(desk)
    store.create("first")
    text = (desk.items / "W-0001.json").read_text()
    outside = desk.items.with_name("outside.json")
    outside.write_text(text.replace("W-0001", "../outside"))
    assert store.get("../outside") is None
    with pytest.raises(LookupError):
        store.comment("../outside", "well")
    assert "well" not in outside.read_text()


def _second(place: Path) -> bytes:
    """What a good file would have in this place."""
    return place.with_name("W-0001.json").read_bytes().replace(b"W-0001", b"W-0002")


def _link(place: Path) -> None:
    elsewhere = place.parents[2] / "elsewhere"
    elsewhere.write_bytes(_second(place))
    place.symlink_to(elsewhere)


def _folder(place: Path) -> None:
    place.mkdir()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut off": lambda place: place.write_bytes(b'{"id": "W-0002", "ti'),
    "not text": lambda place: place.write_bytes(b"\xff\xfe\0"),
    "another's id": lambda place: place.write_bytes(place.with_name("W-0001.json").read_bytes()),
    "huge": lambda place: place.write_bytes(_second(place) + b" " * 1024 * 1024),
    "a link": _link,
    "a pipe": os.mkfifo,
    "a folder": _folder,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_told_skipped_and_left_alone(
    desk: Desk, damage: Callable[[Path], object]
) -> None:
    store = store_of(desk)
    store.create("first")
    place = desk.items / "W-0002.json"
    damage(place)
    before = place.lstat()
    for _ in range(3):
        assert [item.id for item in store.items()] == ["W-0001"]
    with pytest.raises(LookupError):
        store.update("W-0002", status="done")
    assert store.create("next").id == "W-0003"
    assert place.lstat().st_ino == before.st_ino
    [said] = desk.diagnostics()
    assert said.startswith("the work item W-0002.json is damaged and was left alone")


@pytest.mark.parametrize("part", [".indus", ".indus/work-items"])
def test_a_store_behind_a_link_is_not_used(desk: Desk, part: str) -> None:
    outside = desk.root / "outside"
    outside.mkdir()
    place = desk.workspace / part
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside)
    with pytest.raises(OSError, match="link"):
        store_of(desk).create("first")
    assert list(outside.iterdir()) == []


def test_a_change_by_hand_is_seen_although_files_are_remembered(desk: Desk) -> None:
    store = store_of(desk)
    store.create("first")
    file = desk.items / "W-0001.json"
    os.utime(file, (1_000_000_000, 1_000_000_000))
    store.items()
    told = json.loads(file.read_text()) | {"title": "other"}
    file.write_text(json.dumps(told))
    os.utime(file, (1_000_000_000, 1_000_000_000))
    assert [item.title for item in store.items()] == ["other"]


def test_two_processes_lose_neither_an_item_nor_a_comment(desk: Desk) -> None:
    shared = store_of(desk).create("shared").id
    count = 25
    at_once(fill_items, *((str(desk.root), who, shared, count) for who in ("one", "two")))
    items = store_of(desk).items()
    expected = {f"{who} {number}" for who in ("one", "two") for number in range(count)}
    assert [item.id for item in items] == [f"W-{n:04}" for n in range(1, 2 * count + 2)]
    assert {item.title for item in items} == expected | {"shared"}
    assert sorted(said.text for said in items[0].comments) == sorted(expected)


def test_a_kill_at_any_moment_leaves_every_item_readable(desk: Desk) -> None:
    chance = random.Random(5)
    for _ in range(30):
        acknowledged = killed_while_writing(desk.root, chance.uniform(0.0, 0.03))
        store = store_of(desk)
        found = {item.id: len(item.comments) for item in store.items()}
        assert desk.diagnostics() == []
        assert found.keys() == {file.name.removesuffix(".json") for file in desk.items.glob("W-*")}
        for name, comments in acknowledged.items():
            assert found[name] >= comments
    assert {file.name for file in desk.items.glob(".*")} <= {".gitignore", ".lock", ".new"}


def killed_while_writing(root: Path, seconds: float) -> dict[str, int]:
    """What the process said that it had done, before it was killed."""
    command = [sys.executable, "-m", "tests.features.services.workers", str(root)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.kill()
        said, _ = process.communicate(timeout=BOUND)
    lines = [line.split() for line in (first + said).splitlines(keepends=True) if line[-1] == "\n"]
    return {name: int(comments) for name, comments in lines}
