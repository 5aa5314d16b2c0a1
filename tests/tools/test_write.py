from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tools.conftest import Bench


async def test_a_new_file_is_created_with_its_directories(bench: Bench) -> None:
    text = await bench.said("write", path="new/deep/a.txt", content="one\ntwo\n")

    assert text == f"Created {bench.cwd}/new/deep/a.txt: 2 lines, 8 bytes."
    assert (bench.cwd / "new/deep/a.txt").read_text() == "one\ntwo\n"


async def test_an_existing_file_is_overwritten_and_the_person_sees_the_difference(
    bench: Bench,
) -> None:
    path = bench.file("a.txt", "one\ntwo\n")

    result = await bench.call("write", path="a.txt", content="one\nthree")

    assert path.read_text() == "one\nthree"
    assert "Overwrote" in str(result.content)
    assert result.display is not None
    assert "-two\n+three\n" in result.display


@pytest.mark.parametrize(("content", "lines"), [("", 0), ("x", 1), ("x\n", 1), ("x\n\n", 2)])
async def test_lines_are_counted_as_people_count(bench: Bench, content: str, lines: int) -> None:
    assert f": {lines} lines" in await bench.said("write", path="a", content=content)


async def test_the_mode_of_a_file_is_kept_and_no_temporary_file_stays(bench: Bench) -> None:
    path = bench.file("run.sh", "old")
    path.chmod(0o750)

    await bench.call("write", path="run.sh", content="new")

    assert path.stat().st_mode & 0o777 == 0o750
    assert list(bench.cwd.iterdir()) == [path]


async def test_a_new_file_gets_the_mode_that_the_umask_leaves(bench: Bench) -> None:
    before = os.umask(0o027)
    try:
        await bench.call("write", path="a", content="x")
    finally:
        os.umask(before)

    assert (bench.cwd / "a").stat().st_mode & 0o777 == 0o640


async def test_a_link_stays_and_its_target_is_written(bench: Bench) -> None:
    target = bench.file("real.txt", "old")
    (bench.cwd / "link.txt").symlink_to("real.txt")

    await bench.call("write", path="link.txt", content="new")

    assert (bench.cwd / "link.txt").is_symlink()
    assert target.read_text() == "new"


async def test_a_reader_of_the_old_file_keeps_the_old_bytes(bench: Bench) -> None:
    path = bench.file("a.txt", "old")

    with path.open() as reader:
        await bench.call("write", path="a.txt", content="new")
        assert reader.read() == "old"


async def test_what_cannot_be_written_is_told_and_nothing_is_left(bench: Bench) -> None:
    bench.file("dir/a", "x")
    os.mkfifo(bench.cwd / "pipe")

    assert "is a directory" in await bench.refused("write", path="dir", content="x")
    assert "not a regular file" in await bench.refused("write", path="pipe", content="x")
    assert await bench.refused("write", path="dir/a/b", content="x")
    assert await bench.refused("write", path="/proc/nothing/x", content="x")
    assert {path.name for path in bench.cwd.iterdir()} == {"dir", "pipe"}


@pytest.mark.parametrize(
    ("mark", "encoding", "given"),
    [
        (b"\xef\xbb\xbf", "utf-8", "ü\n"),
        (b"\xef\xbb\xbf", "utf-8", "\ufeffü\n"),
        (b"\xff\xfe", "utf-16-le", "ü\n"),
        (b"\0\0\xfe\xff", "utf-32-be", "\ufeffü\n"),
        (b"", "latin-1", "ü\n"),
    ],
)
async def test_encoding_and_mark_of_a_file_are_kept_and_told(
    bench: Bench, mark: bytes, encoding: str, given: str
) -> None:
    path = bench.file("a.txt", mark + "é\n".encode(encoding))

    text = await bench.said("write", path="a.txt", content=given)

    assert path.read_bytes() == mark + "ü\n".encode(encoding)
    assert f"; still in {encoding}{' with its mark' if mark else ''}." in text


async def test_content_that_the_old_encoding_cannot_hold_is_written_as_utf_8(bench: Bench) -> None:
    path = bench.file("a.txt", "é\n".encode("latin-1"))

    text = await bench.said("write", path="a.txt", content="日本\n")

    assert path.read_bytes() == "日本\n".encode()
    assert "now in utf-8: latin-1 cannot hold it" in text


@pytest.mark.parametrize("content", ["a\r\nb\n", "a\r\n", "a\rb", "a"])
async def test_line_ends_are_written_as_given(bench: Bench, content: str) -> None:
    path = bench.file("a.txt", "old\n")

    await bench.call("write", path="a.txt", content=content)

    assert path.read_bytes() == content.encode()


async def test_a_loss_of_windows_line_ends_is_told(bench: Bench) -> None:
    bench.file("a.txt", "one\r\ntwo\r\n")

    told = await bench.said("write", path="a.txt", content="one\n")

    assert "its line ends were CRLF and are LF now" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"content": "x"}, "write needs the argument `path`"),
        ({"path": "a"}, "write needs the argument `content`"),
        ({"path": "", "content": "x"}, "`path` of write"),
        ({"path": "a\0", "content": "x"}, "`path` of write"),
        ({"path": 1, "content": "x"}, "`path` of write must be a string"),
        ({"path": "a", "content": 1}, "`content` of write must be a string"),
        ({"path": "a", "content": "\ud800"}, "`content` of write"),
        ({"path": "a", "content": "x", "mode": 1}, "no argument `mode`"),
    ],
)
async def test_a_wrong_argument_is_told_by_name_and_nothing_is_written(
    bench: Bench, arguments: dict[str, object], told: str
) -> None:
    assert told in await bench.refused("write", **arguments)
    assert list(bench.cwd.iterdir()) == []


async def test_a_missing_home_does_not_break_a_path(bench: Bench) -> None:
    await bench.call("write", path="~nobody-here-xyz/a", content="x")

    assert Path(bench.cwd, "~nobody-here-xyz", "a").read_text() == "x"
