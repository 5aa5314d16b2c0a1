"""Whatever a log file holds, it opens; what can be read is read, what cannot is named."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.kernel.content import Text
from induscode.session.entries import Input
from induscode.session.line import LINE_LIMIT, encode_fields, encode_line
from induscode.session.log import read_only
from tests.requirements import requirement
from tests.session.damage import lines
from tests.session.recording import Recording, fold, reopen
from tests.session.samples import foreign_line, small


def with_line(home: Path, at: int, *hostile: bytes) -> Recording:
    """The small session with lines put in before position `at`."""
    it = small(home)
    it.log.close()
    rows = lines(it.path)
    rows[at:at] = hostile
    it.path.write_bytes(b"".join(row + b"\n" for row in rows))
    return it


def opens_whole(it: Recording, *, damages: int) -> None:
    """All real entries are there in order, the damage is named once, the session goes on."""
    log, report = reopen(it.path)
    ids = [entry.id for entry in it.log.entries]
    assert [entry.id for entry in log.entries if entry.id in ids] == ids
    assert len(report.damages) == damages
    log.append(Input([Text("go on")]))
    log.close()
    log, report = reopen(it.path, later=120_000)
    assert report.damages == ()
    assert log.entries[-1].seq == max(entry.seq for entry in log.entries)
    assert fold(log.path_entries(), it.blobs).request().messages()[-1].parts[-1].block == Text(
        "go on"
    )
    log.close()


@pytest.mark.parametrize(
    "hostile",
    [
        b"",
        b"\0" * 4096,
        b"\xff\xfe\xfd" * 100,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"type":"input","seq":4,"id":"x","content":[',
        b"<<<<<<< HEAD",
        encode_fields({"type": "x", "seq": 10**30, "id": 5})[:-1],
        encode_fields({"type": ["x"], "seq": 1, "id": "a"})[:-1],
    ],
    ids=["empty", "nul", "utf8", "arrays", "objects", "half", "text", "numbers", "types"],
)
@pytest.mark.parametrize("at", [0, 4, 11])
@requirement("invariant.04.opening-never-fails")
def test_a_line_that_is_no_entry_is_named_and_passed_over(
    quick_home: Path, hostile: bytes, at: int
):
    opens_whole(with_line(quick_home, at, hostile), damages=1)


def test_broken_utf8_under_a_correct_checksum_is_damage(quick_home: Path):
    body = b'{"type":"notice","seq":4,"id":"a","text":"\xff\xfe"'
    line = body + b',"sum":"%b"}' % hashlib.sha256(body).hexdigest()[:16].encode()
    opens_whole(with_line(quick_home, 3, line), damages=1)


def test_a_number_that_was_already_used_is_damage(quick_home: Path):
    it = small(quick_home / "a")
    again = lines(it.path)[5]
    opens_whole(with_line(quick_home / "b", 6, again), damages=1)
    reasons = [d.reason for d in read_only(quick_home / "b" / "session.jsonl").damages]
    assert reasons == ["its number 6 was already used"]


def test_an_id_that_appears_twice_neither_loops_nor_hides_the_rest(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    rows = [json.loads(line) for line in lines(it.path)]
    for row in rows[3:]:
        row["id"] = rows[3]["id"]
        row["parent"] = rows[3]["id"]
        del row["sum"]
    it.path.write_bytes(
        b"".join(lines(it.path)[i] + b"\n" for i in range(3))
        + b"".join(encode_fields(row) for row in rows[3:])
    )
    log, report = reopen(it.path)
    assert report.damages == ()
    assert len(log.path_entries()) == len(log.entries) == len(rows)
    log.close()


@pytest.mark.parametrize("ending", [b"\r\n", b"\n\n"])
def test_other_line_ends_are_damage_that_does_not_stop_the_opening(quick_home: Path, ending: bytes):
    it = small(quick_home)
    it.log.close()
    it.path.write_bytes(it.path.read_bytes().replace(b"\n", ending))
    log, report = reopen(it.path)
    assert report.damages
    log.append(Input([Text("go on")]))
    log.close()
    assert reopen(it.path, later=120_000)[1].damages == ()


def test_a_byte_order_mark_costs_the_first_line_only(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    it.path.write_bytes(b"\xef\xbb\xbf" + it.path.read_bytes())
    log, report = reopen(it.path)
    assert [d.offset for d in report.damages] == [0]
    assert [e.id for e in log.entries[:-1]] == [e.id for e in it.log.entries[1:]]


def test_a_file_of_nothing_but_garbage_opens_as_an_empty_session(quick_home: Path):
    path = quick_home / "garbage.jsonl"
    path.write_bytes(bytes(range(256)) * 40 + b"\n")
    log, report = reopen(path)
    assert len(report.damages) == 1
    assert [type(entry).__name__ for entry in log.entries] == ["Quarantine"]
    log.append(Input([Text("a new beginning")]))
    log.close()
    assert reopen(path, later=120_000)[1].damages == ()


@requirement("invariant.04.unknown-entry-type")
def test_a_session_opens_without_the_addon_that_wrote_into_it(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    for kind, visible, text in (("weather", True, "It rains."), ("secret", False, "hush")):
        line = foreign_line(it.path, kind=kind, visible=visible, text=text)
        with it.path.open("ab") as file:
            file.write(line)
    log, report = reopen(it.path)
    assert report.sentences() == []
    log.append(Input([Text("and?")]))
    parts = fold(log.path_entries(), it.blobs).request().messages()[-1].parts
    assert [(p.block, p.by) for p in parts] == [(Text("It rains."), "addon:x"), (Text("and?"), "")]
    assert parts[0].entry == "weather-12"


PEAK = """
import sys
from pathlib import Path
from tests.memory import peak_mb
from induscode.kernel.clock import SystemClock
from induscode.kernel.ids import IdMint
from induscode.session.log import SessionLog
before = peak_mb()
log, report = SessionLog.open(Path(sys.argv[1]), SystemClock(), IdMint(SystemClock()))
print(int(peak_mb() - before), len(log.entries), len(report.damages))
"""


@pytest.mark.parametrize("ended", [True, False], ids=["a line", "a torn tail"])
@requirement("log.pitfall.17-lock-read-cut")
def test_a_line_of_64_megabytes_is_passed_over_without_being_loaded(tmp_path: Path, ended: bool):
    it = small(tmp_path)
    it.log.close()
    with it.path.open("ab") as file:
        for _ in range(64):
            file.write(b"x" * (1 << 20))
        file.write(b"\n" if ended else b"")
    run = subprocess.run(
        [sys.executable, "-c", PEAK, it.path],
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
    )
    grown, entries, damages = map(int, run.stdout.split())
    assert grown < 60
    assert (entries, damages) == (len(it.log.entries) + ended, ended)


def test_the_longest_line_that_may_be_written_can_be_read(quick_home: Path):
    it = small(quick_home)
    room = LINE_LIMIT - len(encode_line(it.note("")))
    it.note("x" * (room - 10))
    it.log.close()
    log, report = reopen(it.path)
    assert report.damages == ()
    assert len(log.entries) == len(it.log.entries)
