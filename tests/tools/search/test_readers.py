"""What ripgrep says is read the same, however it comes in pieces and whatever names are in it."""

from __future__ import annotations

import pytest

from induscode.tools.search.lines import FoundLine, LineReader
from induscode.tools.search.names import CountReader, NameReader
from induscode.tools.search.ranking import Listing

REMARK = (
    b': WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n'
)
SAID = (
    b"./a.py\x001-before\n./a.py\x002:5:the needle\r\n"
    b"./denied\x001:1:needle\n"
    b"./b.bin\x003:1:needle\n./b.bin" + REMARK + b"./c\nd:1:x\x0012:4:\xc3\xb6n needle\n"
    b"./e.bin\x001:1:needle\n./e.bin" + REMARK
)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_lines_are_read_in_pieces_of_any_size(size: int) -> None:
    reader = LineReader(lambda name: name != "denied", limit=100)
    for at in range(0, len(SAID), size):
        assert not reader.take(SAID[at : at + size])
    reader.close()

    assert [(file.name, file.shows) for file in reader.files] == [
        ("a.py", True),
        ("b.bin", False),
        ("c\nd:1:x", True),
        ("e.bin", False),
    ]
    assert reader.matches == 2
    assert reader.files[0].lines == [
        FoundLine(1, "before", None),
        FoundLine(2, "the needle", 4),
    ]
    assert reader.files[2].lines == [FoundLine(12, "ön needle", 2)]


def test_the_match_beyond_the_limit_ends_the_reading() -> None:
    reader = LineReader(lambda _: True, limit=2)

    assert reader.take(b"./a\x001:1:x\n./a\x002:1:x\n./a\x003:1:x\n./a\x004:1:x\n")
    assert reader.more
    assert reader.matches == len(reader.files[0].lines) == 2


def test_matches_in_denied_files_do_not_count_towards_the_limit() -> None:
    reader = LineReader(lambda name: name == "b", limit=1)

    assert not reader.take(b"./a\x001:1:x\n" * 50 + b"./b\x001:1:x\n")
    assert reader.matches == 1
    assert [file.name for file in reader.files] == ["b"]


@pytest.mark.parametrize("size", [1, 2, 5, 1_000])
def test_names_and_counts_are_read_in_pieces_of_any_size(size: int) -> None:
    names = NameReader(lambda name: name != "no", limit=9)
    counts = CountReader(lambda name: name != "no", limit=9)
    for reader, said in (
        (names, b"./a\n1\0./no\0./b\0"),
        (counts, b"./a\n1\x0012\n./no\x001\n./b\x003\n"),
    ):
        for at in range(0, len(said), size):
            assert not reader.take(said[at : at + size])

    assert names.counts == {"a\n1": 1, "b": 1}
    assert counts.counts == {"a\n1": 12, "b": 3}


def listing(*said: bytes, soon: int = 0) -> Listing:
    made = Listing(soon)
    for data in said:
        assert not made.take(data)
    return made


def test_a_name_that_was_cut_off_is_none() -> None:
    assert listing(b"whole\0par").names == ["whole"]
    assert listing().names == []
    assert listing(b"par").holding("par") == []
    assert list(listing(b"b\0a\0c", soon=3).in_order()) == ["a", "b"]


@pytest.mark.parametrize("soon", [1, 2, 4, 9])
def test_names_come_in_order_whatever_the_pieces_and_however_few_were_expected(soon: int) -> None:
    smile = "\U0001f600".encode()
    made = listing(b"d\0b", b"b\0", b"a\0\xff", b"\0" + smile + b"\0", soon=soon)

    assert list(made.in_order()) == ["a", "bb", "d", "\U0001f600", "\udcff"]
    assert len(made) == 5
