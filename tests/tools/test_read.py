from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.kernel.content import Image, plain_text
from induscode.tools.limits import FILE_BYTES, IMAGE_BYTES, READ_CHARACTERS
from tests.tools.conftest import Bench

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


async def test_lines_come_numbered(bench: Bench) -> None:
    bench.file("a.txt", "one\ntwo\n")

    assert await bench.said("read", path="a.txt") == "     1\tone\n     2\ttwo"


async def test_offset_and_limit_choose_lines_and_the_rest_is_told(bench: Bench) -> None:
    bench.file("a.txt", "".join(f"line {n}\n" for n in range(1, 11)))

    text = await bench.said("read", path="a.txt", offset=3, limit=2)

    assert text == "     3\tline 3\n     4\tline 4\n[lines 3 to 4 of 10; go on with offset 5]"
    assert (await bench.said("read", path="a.txt", offset=10)).endswith("[lines 10 to 10 of 10]")
    assert "     2\tline 2" in await bench.said("read", path="a.txt", offset=2.0, limit=1.0)


async def test_without_a_limit_2000_lines_are_read(bench: Bench) -> None:
    bench.file("a.txt", "x\n" * 2500)

    text = await bench.said("read", path="a.txt")

    assert text.endswith("[lines 1 to 2000 of 2500; go on with offset 2001]")


async def test_a_large_file_stops_on_a_whole_line_and_says_how_to_go_on(bench: Bench) -> None:
    bench.file("a.txt", "".join(f"{n} {'x' * 100}\n" for n in range(1, 1500)))

    text = await bench.said("read", path="a.txt")

    assert len(text) < READ_CHARACTERS + 200
    last = int(text.rsplit("offset ", 1)[1].rstrip("]"))
    assert f"\t{last - 1} {'x' * 100}\n[lines 1 to {last - 1} of 1499;" in text
    assert not bench.spilled.exists()


async def test_long_lines_are_cut_and_told_so(bench: Bench) -> None:
    bench.file("a.txt", "y" * 5000 + "\nshort\n")

    text = await bench.said("read", path="a.txt")

    assert "y[... 3000 more characters]\n     2\tshort" in text
    assert "[1 long lines cut at 2000 characters]" in text


async def test_windows_line_ends_are_not_shown(bench: Bench) -> None:
    bench.file("a.txt", "one\r\ntwo\r\n")

    assert await bench.said("read", path="a.txt") == "     1\tone\n     2\ttwo"


@pytest.mark.parametrize(
    ("data", "shown", "note"),
    [
        ("é".encode(), "é", ""),
        (b"\xef\xbb\xbf" + "é".encode(), "é", ""),
        (b"\xff\xfe" + "é".encode("utf-16-le"), "é", ""),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "é", ""),
        ("é".encode("latin-1"), "é", "\n[not UTF-8; read as Latin-1]"),
    ],
)
async def test_encodings(bench: Bench, data: bytes, shown: str, note: str) -> None:
    bench.file("a.txt", data)

    assert await bench.said("read", path="a.txt") == f"     1\t{shown}{note}"


async def test_line_separators_of_unicode_are_text(bench: Bench) -> None:
    bench.file("a.txt", "one\u2028two\x0bthree\n")

    assert await bench.said("read", path="a.txt") == "     1\tone\u2028two\x0bthree"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 9, "image/jpeg"),
        (b"GIF89a\0\0", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
async def test_pictures_are_shown_as_pictures(bench: Bench, data: bytes, media_type: str) -> None:
    bench.file("picture", data)

    result = await bench.call("read", path="picture")

    assert result.content[1] == Image(media_type, data)
    assert media_type in plain_text(result.content)


async def test_a_picture_that_is_too_large_is_told(bench: Bench) -> None:
    bench.file("a.png", PNG + b"\0" * IMAGE_BYTES)

    assert "can be shown" in await bench.refused("read", path="a.png")


async def test_an_empty_file_is_told(bench: Bench) -> None:
    bench.file("a.txt", "")

    assert await bench.said("read", path="a.txt") == f"[{bench.cwd}/a.txt is empty]"


async def test_a_missing_file_names_what_is_near(bench: Bench) -> None:
    bench.file("src/settings.py", "x")

    assert "Near it: settings.py" in await bench.refused("read", path="src/setings.py")
    assert "holds settings.py" in await bench.refused("read", path="src/zzz")
    far = await bench.refused("read", path="source/deep/x")
    assert f"{bench.cwd} does, and holds src/" in far


async def test_a_directory_tells_what_it_holds(bench: Bench) -> None:
    bench.file("src/a.py", "x")
    bench.file("src/deep/b.py", "x")

    assert "is a directory. It holds a.py, deep/" in await bench.refused("read", path="src")


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01\x00\x00", bytes(range(1, 32)) * 50])
async def test_a_binary_file_is_told_by_its_content(bench: Bench, data: bytes) -> None:
    bench.file("a.txt", data)

    assert "is a binary file" in await bench.refused("read", path="a.txt")


async def test_devices_pipes_and_huge_files_are_refused_at_once(bench: Bench) -> None:
    os.mkfifo(bench.cwd / "pipe")
    with (bench.cwd / "sparse").open("wb") as file:
        file.truncate(FILE_BYTES * 100)

    assert "not a regular file" in await bench.refused("read", path="pipe")
    assert "not a regular file" in await bench.refused("read", path="/dev/zero")
    assert "at most 50 MB are read" in await bench.refused("read", path="sparse")


async def test_an_offset_past_the_end_says_how_long_the_file_is(bench: Bench) -> None:
    bench.file("a.txt", "one\n")

    assert "has 1 lines" in await bench.refused("read", path="a.txt", offset=2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "read needs the argument `path`"),
        ({"path": 1}, "`path` of read must be a string"),
        ({"path": ""}, "`path` of read"),
        ({"path": "a\0b"}, "`path` of read"),
        ({"path": "a", "offset": 0}, "`offset` of read"),
        ({"path": "a", "offset": "1"}, "`offset` of read must be an integer"),
        ({"path": "a", "offset": True}, "`offset` of read must be an integer"),
        ({"path": "a", "limit": 0}, "`limit` of read"),
        ({"path": "a", "limit": 1.5}, "`limit` of read must be an integer"),
        ({"path": "a", "lmit": 1}, "no argument `lmit`. Did you mean `limit`?"),
        ({"path": "a" * 5000}, "name too long"),
    ],
)
async def test_a_wrong_argument_is_told_by_name(
    bench: Bench, arguments: dict[str, object], told: str
) -> None:
    assert told.lower() in (await bench.refused("read", **arguments)).lower()


async def test_a_path_from_home_is_understood(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "note").write_text("hello")

    assert "hello" in await bench.said("read", path="~/note")
