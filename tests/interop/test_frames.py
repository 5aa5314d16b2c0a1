"""Frames that are none: a short campaign, and what becomes of single lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.interop.reading import message_of
from tests.interop.frames import campaign


@pytest.mark.parametrize(("how", "count"), [("stdio", 2_000), ("http", 2_000), ("sse", 1_000)])
async def test_malformed_frames_crash_nothing_and_good_calls_still_work(
    tmp_path: Path, how: str, count: int
) -> None:
    tally = await campaign(tmp_path, count, 1, how)
    assert tally.problems == []
    assert tally.frames == count


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":3,"result":7}',
        b'{"jsonrpc":"2.0","id":3,"error":"no"}',
        b'{"jsonrpc":"2.0","id":3}',
        b'{"id":3,"result":{"content":[]}}',
    ],
)
def test_an_answer_that_is_none_is_still_an_answer_to_that_request(line: bytes) -> None:
    found = message_of(line)
    assert found is not None
    assert found.model_dump() == {"jsonrpc": "2.0", "id": 3, "result": {}}


def test_halves_of_characters_cost_no_answer() -> None:
    found = message_of(rb'{"jsonrpc":"2.0","id":3,"result":{"text":"a\ud83d"}}')
    assert found is not None
    assert found.model_dump()["result"]["text"].startswith("a\N{REPLACEMENT CHARACTER}")
    cut = message_of(b'{"jsonrpc":"2.0","id":3,"result":{"text":"a\xf0\x9f"}}')
    assert cut is not None
    assert cut.model_dump()["result"]["text"].startswith("a\N{REPLACEMENT CHARACTER}")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\r\n",
        b"Welcome!",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"jsonrpc":"2.0","id":3,"method":7}',
        b'{"jsonrpc":"2.0","id":true,"result":7}',
        b'{"jsonrpc":"2.0","id":1' + b"0" * 5_000 + b',"result":7}',
        b'[{"jsonrpc":"2.0","id":3,"result":{}}]',
        b"null",
    ],
)
def test_what_addresses_nobody_is_passed_over(line: bytes) -> None:
    assert message_of(line) is None
