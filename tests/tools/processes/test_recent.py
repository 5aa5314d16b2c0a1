"""What stays in memory of a long output."""

from __future__ import annotations

import pytest

from induscode.tools.processes.limits import KEPT_LINE_CHARACTERS, KEPT_LINES
from induscode.tools.processes.recent import RecentLines


def kept(*pieces: bytes) -> tuple[str, int]:
    recent = RecentLines()
    for piece in pieces:
        recent.feed(piece)
    recent.feed(b"", last=True)
    return recent.since(0)


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ((b"one\ntw", b"o\nthr"), "one\ntwo\nthr"),
        ((b"a\r\nb\r", b"\nc"), "a\nb\nc"),
        ((b"10%\r20%\r", b"30%"), "10%\n20%\n30%"),
        ((b"\xc3", b"\xa9\xff"), "é\ufffd"),
        ((b"", b"\n\n"), "\n\n"),
    ],
)
def test_text_comes_together_from_pieces(pieces: tuple[bytes, ...], text: str) -> None:
    assert kept(*pieces) == (text, 0)


def test_a_line_that_is_too_long_is_broken_and_nothing_is_lost() -> None:
    text, missing = kept(*[b"x" * 999] * 10)

    assert missing == 0
    assert text.replace("\n", "") == "x" * 9990
    assert max(map(len, text.splitlines())) == KEPT_LINE_CHARACTERS


def test_only_the_last_lines_stay() -> None:
    text, missing = kept(b"y" * (KEPT_LINE_CHARACTERS * KEPT_LINES * 2), b"\nlast\n")

    assert text.endswith("\nlast\n")
    assert len(text.splitlines()) == KEPT_LINES
    assert missing >= KEPT_LINE_CHARACTERS * KEPT_LINES


def test_a_reader_comes_back_for_what_is_new() -> None:
    recent = RecentLines()
    recent.feed(b"one\nt")
    at = recent.end
    recent.feed(b"wo\n")

    assert recent.since(at) == ("wo\n", 0)
    assert recent.since(recent.end) == ("", 0)
