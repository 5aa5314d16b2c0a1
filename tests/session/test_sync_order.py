"""What is on disk before what, read from the system calls, in checks that can fail."""

import re
from pathlib import Path

from tests.requirements import requirement
from tests.session.samples import small
from tests.session.strace import Call, traced

APPENDER = "tests.session.appender"


def names(calls: list[Call]) -> list[str]:
    return [call.name for call in calls]


def each_entry_synced_before_it_is_acknowledged(calls: list[Call], path: Path) -> bool:
    mine = [c for c in calls if str(path) in c.text or (c.name == "write" and '"ack' in c.text)]
    steps = [c.name for c in mine if c.name in {"pwrite64", "fdatasync", "write"}]
    return bool(steps) and steps == ["pwrite64", "fdatasync", "write"] * (len(steps) // 3)


@requirement("log.pitfall.18-sync-order-checked")
def test_a_committed_entry_is_synced_before_it_is_acknowledged(tmp_path: Path):
    path = tmp_path / "log" / "a.jsonl"
    run = traced(tmp_path / "trace", APPENDER, str(path), "4")
    assert len(run.output) == 4
    assert each_entry_synced_before_it_is_acknowledged(run.calls, path)
    other = tmp_path / "log" / "b.jsonl"
    broken = traced(tmp_path / "trace2", APPENDER, str(other), "4", "unsynced")
    assert len(broken.output) == 4
    assert not each_entry_synced_before_it_is_acknowledged(broken.calls, other)


def blob_durable_before_its_entry(calls: list[Call], path: Path) -> bool:
    """The blob's file written, synced and renamed, its folder synced, all before the line."""
    line = next(c for c in calls if c.name == "pwrite64" and "text_ref" in c.text)
    name = re.findall(r"[0-9a-f]{64}", line.text)[0]
    before = calls[: calls.index(line)]
    mine = [c for c in before if name[2:] in c.text]
    if not ("fdatasync" in names(mine) and "rename" in names(mine)):
        return False
    renamed = next(c for c in mine if c.name == "rename")
    synced = next(c for c in mine if c.name == "fdatasync")
    folder = f"blobs/{name[:2]}>"
    after = before[before.index(renamed) :]
    folder_synced = any(c.name == "fsync" and folder in c.text for c in after)
    return before.index(synced) < before.index(renamed) and folder_synced


@requirement("log.blob-before-entry")
def test_a_blob_is_on_disk_before_the_line_that_names_it(tmp_path: Path):
    path = tmp_path / "log" / "a.jsonl"
    run = traced(tmp_path / "trace", APPENDER, str(path), "3")
    assert blob_durable_before_its_entry(run.calls, path)
    broken = traced(tmp_path / "trace2", APPENDER, str(tmp_path / "b" / "b.jsonl"), "3", "blobless")
    assert not blob_durable_before_its_entry(broken.calls, path)


@requirement("log.pitfall.16-failed-sync")
def test_the_name_of_a_new_log_and_of_each_new_folder_is_synced_before_the_first_line(
    tmp_path: Path,
):
    path = tmp_path / "home" / "sessions" / "w" / "a.jsonl"
    run = traced(tmp_path / "trace", APPENDER, str(path), "1")
    first = next(i for i, c in enumerate(run.calls) if c.name == "pwrite64")
    synced = [c.text for c in run.calls[:first] if c.name == "fsync"]
    for folder in (tmp_path, path.parents[2], path.parents[1], path.parent):
        assert any(text.endswith(f"<{folder}>") for text in synced), folder


@requirement("log.pitfall.17-lock-read-cut")
def test_opening_locks_then_reads_then_keeps_the_tail_then_cuts(tmp_path: Path):
    it = small(tmp_path / "log")
    it.log.close()
    with it.path.open("ab") as file:
        file.write(b'{"half an entry')
    run = traced(tmp_path / "trace", APPENDER, str(it.path), "0")
    mine = run.about(str(it.path), str(it.path.parent) + ">")
    order = [c.name if ".torn-" not in c.text else f"torn {c.name}" for c in mine]
    wanted = [
        "flock",
        "pread64",
        "torn write",
        "torn fdatasync",
        "fsync",
        "ftruncate",
        "fdatasync",
    ]
    places = [order.index(step) for step in wanted[:4]]
    places += [order.index(step, places[-1]) for step in wanted[4:6]]
    places.append(order.index("fdatasync", places[-1]))
    assert places == sorted(places)
