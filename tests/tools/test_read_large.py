"""Lines of files that are too large to be loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolResult
from induscode.tools.limits import FILE_BYTES
from induscode.tools.read import execute
from induscode.tools.reading import large
from induscode.tools.reading.limits import CHUNK_BYTES, EDGE_BYTES, LINE_BYTES
from tests.memory import peak_mb
from tests.tools.conftest import Bench

HUGE = 2 * 1024 * 1024 * 1024
DISTANT = 128 * 1024 * 1024
LARGE = 3 * CHUNK_BYTES
LINES = LARGE // 100 + 5_000


@pytest.fixture
def lines(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A little more than is loaded, in lines of 100 bytes that say their number. Less counts as
    large here than it does, so that writing it takes no time."""
    monkeypatch.setattr("induscode.tools.local_fs.FILE_BYTES", LARGE)
    path = bench.cwd / "big.txt"
    with path.open("wb") as file:
        file.writelines(b"%099d\n" % number for number in range(1, LINES + 1))
    return path


async def test_the_beginning_is_shown_with_how_to_go_on(bench: Bench, lines: Path) -> None:
    text = await bench.said("read", path=lines.name)

    assert text.startswith(f"     1\t{1:099}\n     2\t")
    shown = text.count("\t")
    assert f"[lines 1 to {shown} of a file of 3 MB; go on with offset {shown + 1}]" in text
    assert "[over 50 MB: only a command can change this file]" in text
    assert f"{shown + 1:6}\t{shown + 1:099}" in await bench.said(
        "read", path=lines.name, offset=shown + 1, limit=1
    )


@pytest.mark.parametrize("number", [2, CHUNK_BYTES // 100, CHUNK_BYTES // 100 + 1, LINES - 1])
async def test_any_line_is_found(bench: Bench, lines: Path, number: int) -> None:
    text = await bench.said("read", path=lines.name, offset=number, limit=2)

    assert text.startswith(f"{number:6}\t{number:099}\n{number + 1:6}\t{number + 1:099}\n[lines")


async def test_the_end_tells_how_many_lines_there_are(bench: Bench, lines: Path) -> None:
    last = await bench.said("read", path=lines.name, offset=LINES)
    past = await bench.refused("read", path=lines.name, offset=LINES + 1)
    far = await bench.refused("read", path=lines.name, offset=LINES + 2)
    with lines.open("ab") as file:
        file.write(b"no end")

    assert f"[lines {LINES} to {LINES} of {LINES}]" in last
    assert f"has {LINES} lines; offset {LINES + 1} is past its end" in past
    assert f"has {LINES} lines; offset {LINES + 2} is past its end" in far
    assert f"{LINES + 1}\tno end\n[lines {LINES + 1} to {LINES + 1} of {LINES + 1}]" in (
        await bench.said("read", path=lines.name, offset=LINES + 1)
    )
    assert f"has {LINES + 1} lines" in await bench.refused("read", path=lines.name, offset=10**30)


async def test_it_does_not_count_as_read(bench: Bench, lines: Path) -> None:
    assert (await bench.call("read", path=lines.name, limit=1)).details is None
    assert "MB; at most 3 MB are read" in await bench.refused(
        "edit", path=lines.name, old_text="1", new_text="2"
    )


async def test_of_gigabytes_only_what_is_asked_for_is_loaded(bench: Bench) -> None:
    with (bench.cwd / "huge").open("wb") as file:
        file.write(b"first\n" * 1_000_000)
        file.seek(DISTANT)
        file.write(b"\nlast\n")
        file.truncate(HUGE)
    before = peak_mb()

    async with asyncio.timeout(20):
        first = await bench.said("read", path="huge", limit=1)
        far = await bench.said("read", path="huge", offset=1_000_002, limit=1)

    assert "\tfirst\n[lines 1 to 1 of a file of 2,048 MB; go on with offset 2]" in first
    assert "1000002\tlast\n[lines 1000002 to 1000002 of a file of 2,048 MB;" in far
    assert peak_mb() < before + 20


async def test_a_line_without_end_is_cut(bench: Bench) -> None:
    bench.file("one", "x" + "é" * LINE_BYTES + "x" * FILE_BYTES + "\nnext\n")

    text = await bench.said("read", path="one")

    assert "é[... it goes on]\n     2\tnext\n[lines 1 to 2 of 2]" in text
    assert "[1 long lines cut at 2000 characters]" in text
    assert "UTF-8" not in text


async def test_a_line_that_is_too_far_away_is_told(
    bench: Bench, lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "SCANNED_BYTES", 2 * CHUNK_BYTES)

    told = await bench.refused("read", path=lines.name, offset=LINES)

    assert "use a command" in told


async def test_a_stopped_call_ends_while_it_looks(bench: Bench, lines: Path) -> None:
    call = asyncio.ensure_future(bench.call("read", path=lines.name, offset=LINES))
    await asyncio.sleep(0)
    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (b"\xff\xfe" + "x\n".encode("utf-16-le"), "is UTF-16 text"),
        (b"\x89PNG\r\n\x1a\n", "is a binary file"),
        (b"SQLite format 3\0", "is an SQLite database"),
    ],
)
async def test_large_files_that_are_no_plain_text_are_told(
    bench: Bench, head: bytes, told: str
) -> None:
    bench.file("a", head + b"\0" * FILE_BYTES)

    assert told in await bench.refused("read", path="a")


async def test_no_text_in_the_middle_is_told(bench: Bench) -> None:
    bench.file("a", b"text\n" * (FILE_BYTES // 5) + b"\n" + b"\0" * 1000)

    told = await bench.refused("read", path="a", offset=FILE_BYTES // 5 + 1)

    assert "are no text; use a command" in told


SECRET = "-----BEGIN KEY-----\nabcdef\n-----END KEY-----"


def cleaner(text: str) -> str:
    return text.replace(SECRET, "[secret]")


async def read_with(bench: Bench, clean: Callable[[str], str], **arguments: object) -> ToolResult:
    return await execute(arguments, replace(bench.context(), clean=clean))


async def test_secrets_are_taken_out_and_half_of_one_is_not_shown(bench: Bench) -> None:
    bench.file("a", f"one\n{SECRET}\nlast\n" + "x\n" * (FILE_BYTES // 2))

    whole = await read_with(bench, cleaner, path="a", limit=8)
    begins = await read_with(bench, cleaner, path="a", limit=3)
    ends = await read_with(bench, cleaner, path="a", offset=3, limit=3)

    assert "     2\t[secret]\n     3\tlast" in plain_text(whole.content)
    for half in (begins, ends):
        assert half.is_error
        assert "abcdef" not in plain_text(half.content)
        assert "choose another offset" in plain_text(half.content)
    assert len(SECRET) < EDGE_BYTES
