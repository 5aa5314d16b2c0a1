from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import anthropic_steps, gemini_steps
from tests.fakes.bad_streams import KINDS, bad_streams

ROOT = Path(__file__).parents[2]
BROKEN = dict.fromkeys(KINDS, "StreamBroken") | {"wrong-type": "RequestRejected"}


def _anthropic() -> list[bytes]:
    *frames, stop, end, last = anthropic_steps.say("word " * 30, chunk=50).frames(1, "m")
    return [*frames, stop + end + last]  # the last but one is a delta, which may repeat


def _gemini() -> list[bytes]:
    return gemini_steps.say("word " * 30, chunk=50).frames(1, "m")


async def _exchanged(
    wire: str, frames: Sequence[bytes], kinds: Sequence[str], each: int
) -> dict[str, Any]:
    async with bad_streams(frames) as url:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.gateway.many_exchanges", wire, url, *kinds),
            *("--each", str(each)),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(out)


async def test_200_bad_streams_at_once_end_in_typed_errors_with_bounded_memory() -> None:
    each = 200 // len(KINDS)
    found = await _exchanged("anthropic", _anthropic(), KINDS, each)
    assert found["ends"] == {kind: {BROKEN[kind]: each} for kind in KINDS}
    assert found["cpu_seconds"] < 20
    lines = each * 11  # megabytes that may stand in unfinished lines
    assert found["grown"] < lines + 100


@pytest.mark.parametrize("kind", KINDS)
async def test_50_bad_streams_of_one_kind_end_in_one_typed_error(kind: str) -> None:
    found = await _exchanged("gemini", _gemini(), [kind], 50)
    assert found["ends"] == {kind: {BROKEN[kind]: 50}}
    assert found["grown"] < (650 if kind == "long-line" else 150)
