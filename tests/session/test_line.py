"""The bytes of one entry: round trip, checksum, and what cannot be read."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from induscode.errors import LogCorrupt
from induscode.kernel.content import Text
from induscode.session.entries import Foreign, Input, Notice, Result
from induscode.session.line import NESTING_LIMIT, encode_fields, encode_line, read_line, seal
from induscode.session.log import read_only
from tests.requirements import requirement
from tests.session.damage import lines
from tests.session.recording import Recording, reopen
from tests.session.samples import everything


def test_every_entry_reads_back_as_it_was_recorded(quick_home: Path):
    it = everything(quick_home)
    assert read_only(it.path).entries == it.log.entries


@requirement("log.entry-fields", "log.line-json")
def test_every_line_is_a_json_object_with_the_header_and_a_checksum(quick_home: Path, jq: str):
    it = everything(quick_home)
    wanted = ".seq, .id, .parent, .at, .type, .by, .sum | type"
    run = subprocess.run(
        [jq, "-c", f"[{wanted}]", it.path], capture_output=True, text=True, check=True, timeout=20
    )
    rows = [json.loads(row) for row in run.stdout.splitlines()]
    header = ["number", *["string"] * 6]
    assert rows == [header] * len(it.log.entries)


@requirement("log.pitfall.01-checksum-exact-bytes")
def test_changing_any_byte_of_a_line_is_found():
    line = encode_line(Notice("naïve, 1.50", seq=3, id="a", parent="b", at="c", by="d"))[:-1]
    assert isinstance(read_line(line), Notice)
    for at in range(len(line)):
        for other in (0, line[at] ^ 1, line[at] ^ 0x20):
            if other != line[at]:
                assert isinstance(read_line(line[:at] + bytes([other]) + line[at + 1 :]), str)


@requirement("log.pitfall.01-checksum-exact-bytes")
def test_the_checksum_is_of_the_bytes_not_of_their_meaning():
    text = b'{"type":"notice","seq":1,"id":"a","text":"x"}'
    spaced = text.replace(b":", b": ")
    assert read_line(seal(text)[:-1]) == read_line(seal(spaced)[:-1])
    forged = spaced[:-1] + seal(text)[len(text) - 1 : -1]
    assert read_line(forged) == "its checksum does not match its bytes"


@requirement("log.pitfall.01-checksum-exact-bytes")
def test_a_line_without_its_checksum_at_the_end_says_so():
    line = encode_line(Notice("x", seq=1, id="a"))[:-1]
    assert read_line(line[:-30]) == "no checksum at its end"
    assert read_line(line + b"\r") == "no checksum at its end"
    assert read_line(b"") == "no checksum at its end"


@pytest.mark.parametrize("depth", [1_000, 100_000])
@requirement("log.pitfall.03-deep-nesting")
def test_a_deeply_nested_line_is_damage_and_no_error(depth: int):
    nested = b'{"type":"notice","seq":1,"id":"a","text":"x","deep":%b%b}'
    body = nested % (b"[" * depth, b"]" * depth)
    sealed = body[:-1] + b',"sum":"%b"}'
    line = sealed % hashlib.sha256(body[:-1]).hexdigest()[:16].encode()
    found = read_line(line)
    assert isinstance(found, Notice | str)
    assert depth == 1_000 or "recursion" in str(found)


@requirement("log.pitfall.03-deep-nesting")
def test_an_entry_nested_too_deep_to_be_read_again_is_refused_and_nothing_is_written(
    quick_home: Path,
):
    it = Recording(quick_home)
    it.start()
    before = it.path.read_bytes()
    for depth in (NESTING_LIMIT + 1, 100_000):
        value: list[object] = []
        for _ in range(depth):
            value = [value]
        with pytest.raises(LogCorrupt):
            it.add(Result("r/0", "t", [Text("x")], "ok", details={"deep": value}))
    assert it.path.read_bytes() == before
    it.note("goes on [[[[" * NESTING_LIMIT)
    assert len(read_only(it.path).entries) == len(it.log.entries)


def test_text_that_cannot_be_encoded_is_refused_before_a_byte_is_written(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    before = it.path.read_bytes()
    with pytest.raises(LogCorrupt, match="cannot be written"):
        it.note("a lone \ud800")
    assert it.path.read_bytes() == before
    it.note("goes on")


def test_an_entry_over_the_line_limit_is_refused_and_nothing_is_written(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    before = it.path.read_bytes()
    with pytest.raises(LogCorrupt, match="over the limit"):
        it.log.append(Notice("ok"), Notice("x" * (16 << 20)))
    assert it.path.read_bytes() == before
    it.note("goes on")
    log, report = reopen_closed(it)
    assert report.damages == ()
    assert len(log.entries) == 3


def reopen_closed(it: Recording):
    it.log.close()
    return reopen(it.path)


@requirement("invariant.04.unknown-entry-type")
def test_an_unknown_type_keeps_its_line_and_its_own_contract():
    fields = {"type": "weather", "seq": 4, "id": "w", "visible": True, "text": "rain", "mm": 1.5}
    entry = read_line(encode_fields(fields)[:-1])
    assert isinstance(entry, Foreign)
    assert (entry.type, entry.visible, entry.text, entry.seq) == ("weather", True, "rain", 4)
    assert json.loads(bytes(entry.fields)) == fields
    assert encode_line(entry) == encode_fields(fields)


def test_a_known_type_in_an_unknown_shape_is_read_as_foreign():
    entry = read_line(encode_fields({"type": "input", "seq": 1, "id": "a", "content": "new"})[:-1])
    assert isinstance(entry, Foreign)
    assert (entry.type, entry.visible) == ("input", False)


def test_fields_that_a_newer_version_added_to_a_known_type_do_no_harm():
    fields = {"type": "input", "seq": 1, "id": "a", "content": [], "mood": "good"}
    assert isinstance(read_line(encode_fields(fields)[:-1]), Input)


@pytest.mark.parametrize(
    "fields",
    [{"type": "x"}, {"type": "x", "seq": "one", "id": "a"}, {"seq": 1, "id": "a"}, {}],
)
def test_a_line_without_a_header_is_damage(fields: dict[str, object]):
    assert isinstance(read_line(encode_fields({"z": 0, **fields})[:-1]), str)


def test_seqs_count_from_one_and_parents_chain(quick_home: Path):
    it = everything(quick_home)
    rows = [json.loads(line) for line in lines(it.path)]
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["parent"] for row in rows] == ["", *[row["id"] for row in rows[:-1]]]
