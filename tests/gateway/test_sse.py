from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.errors import StreamBroken
from induscode.gateway.sse import EventSplitter, ServerEvent

STREAM = (
    b"\xef\xbb\xbfevent: one\ndata: {\"a\": 1}\n\n"
    b": a comment\r\n\r\n"
    b"data:no space\r\n\r\n"
    b"event: three\rdata: first\rdata:  second\rid: 7\rretry: 10\r\r"
    b"data\ndata\n\n"
    b"event: without data\n\n"
    b"data: last\n\n"
    b"data: cut off"
)  # fmt: skip
EVENTS = [
    ServerEvent(b"one", b'{"a": 1}'),
    ServerEvent(b"", b"no space"),
    ServerEvent(b"three", b"first\n second"),
    ServerEvent(b"", b"\n"),
    ServerEvent(b"", b"last"),
]


def split(stream: bytes, cuts: list[int], limit: int = 1000) -> list[ServerEvent]:
    splitter = EventSplitter(limit)
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    events: list[ServerEvent] = []
    for begin, end in pairwise(edges):
        events += splitter.feed(stream[begin:end])
    return events


def test_a_whole_stream_gives_its_events() -> None:
    assert split(STREAM, []) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=40))
def test_any_cut_of_the_stream_gives_the_same_events(cuts: list[int]) -> None:
    assert split(STREAM, cuts) == EVENTS


@given(
    st.lists(
        st.sampled_from([b"data: x", b"data:", b"event: e", b":c", b"", b"\n", b"\r", b"\r\n"])
    ),
    st.lists(st.integers(0, 400), max_size=12),
)
def test_any_cut_of_any_stream_gives_the_same_events(pieces: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pieces)
    assert split(stream, cuts) == split(stream, []) == split(stream, list(range(len(stream))))


@pytest.mark.parametrize("cuts", [[], [3], list(range(120))])
def test_a_line_over_the_limit_breaks_the_stream_however_it_is_cut(cuts: list[int]) -> None:
    assert split(b"data: " + b"x" * 94 + b"\n\n", cuts, limit=100) == [ServerEvent(b"", b"x" * 94)]
    with pytest.raises(StreamBroken, match="longer than 100 bytes"):
        split(b"data: " + b"x" * 95 + b"\n\n", cuts, limit=100)
