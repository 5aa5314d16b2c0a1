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


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (b"one\ntwo\n", ""),
        (b"one\r\ntwo\r\n", "\n[line ends are CRLF; edit keeps them]"),
        (
            b"one\r\ntwo\n",
            "\n[mixed line ends: 1 CRLF, 1 LF; edit keeps those of the place]",
        ),
    ],
)
async def test_line_ends_are_not_shown_but_told_where_they_are_not_plain(
    bench: Bench, data: bytes, note: str
) -> None:
    bench.file("a.txt", data)

    assert await bench.said("read", path="a.txt") == f"     1\tone\n     2\ttwo{note}"


async def test_line_ends_of_old_machines_are_told(bench: Bench) -> None:
    bench.file("a.txt", b"one\rtwo\r")

    assert "[line ends are CR alone: all of it counts as one line]" in await bench.said(
        "read", path="a.txt"
    )


@pytest.mark.parametrize(
    ("data", "shown", "note"),
    [
        ("é".encode(), "é", ""),
        (b"\xef\xbb\xbf" + "é".encode(), "é", ""),
        (b"\xff\xfe" + "é".encode("utf-16-le"), "é", "UTF-16 with its mark; edit keeps that"),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "é", "UTF-16 with its mark; edit keeps that"),
        (b"\xff\xfe\0\0" + "é".encode("utf-32-le"), "é", "UTF-32 with its mark; edit keeps that"),
        (b"\0\0\xfe\xff" + "é".encode("utf-32-be"), "é", "UTF-32 with its mark; edit keeps that"),
        ("é".encode("latin-1"), "é", "not UTF-8; read as Latin-1"),
        ("“é”".encode("cp1252"), "“é”", "not UTF-8; read as Windows-1252"),
        (b"\x81\xe9", "\x81é", "not UTF-8; read as Latin-1"),
        (
            "日本".encode() + b"\xe9",
            "日本\ufffd",
            "1 bytes are not UTF-8 and shown as \ufffd; edit keeps them",
        ),
    ],
)
async def test_encodings(bench: Bench, data: bytes, shown: str, note: str) -> None:
    bench.file("a.txt", data)

    told = f"\n[{note}]" if note else ""
    assert await bench.said("read", path="a.txt") == f"     1\t{shown}{told}"


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


async def test_a_picture_with_too_long_a_side_is_told(bench: Bench) -> None:
    bench.file("a.png", PNG[:8] + b"\0\0\0\rIHDR" + b"\0\0\xff\xff" * 2)

    assert "8,000 pixels" in await bench.refused("read", path="a.png")


async def test_an_empty_file_is_told(bench: Bench) -> None:
    bench.file("a.txt", "")

    assert await bench.said("read", path="a.txt") == f"[{bench.cwd}/a.txt is empty]"


async def test_a_missing_file_names_what_is_near(bench: Bench) -> None:
    bench.file("src/settings.py", "x")

    assert "Near it: settings.py" in await bench.refused("read", path="src/setings.py")
    assert "holds settings.py" in await bench.refused("read", path="src/zzz")
    far = await bench.refused("read", path="source/deep/x")
    assert f"{bench.cwd} does, and holds src/" in far


async def test_names_in_a_message_are_shown_with_escapes(bench: Bench) -> None:
    bench.file("src/evil\n\x1b[2J.py", "x")

    for path in ("src", "src/zzz", "src/evil.py"):
        told = await bench.refused("read", path=path)
        assert "evil\\n\\x1b[2J.py" in told
        assert "\x1b" not in told


async def test_a_directory_tells_what_it_holds(bench: Bench) -> None:
    bench.file("src/a.py", "x")
    bench.file("src/deep/b.py", "x")

    assert "is a directory. It holds a.py, deep/" in await bench.refused("read", path="src")


@pytest.mark.parametrize(
    ("data", "what", "command"),
    [
        (b"\x7fELF\x02\x01\0\0", "an ELF binary", "nm"),
        (bytes(range(1, 32)) * 50, "a binary file", "xxd"),
        (b"PK\x03\x04\x14\0\0\0", "a zip archive", "unzip -l"),
        (b"\x1f\x8b\x08\0\0\0", "gzip data", "zcat"),
        (b"SQLite format 3\0\x10\0", "an SQLite database", "sqlite3"),
        (b"%PDF-1.4\nall of it is text\n", "a PDF document", "pdftotext"),
        (b"\0" * 257 + b"ustar", "a tar archive", "tar -tf"),
        ("some words in it\n".encode("utf-16-le"), "UTF-16LE text", "iconv -f UTF-16LE"),
        ("some words in it\n".encode("utf-16-be"), "UTF-16BE text", "iconv -f UTF-16BE"),
    ],
)
async def test_a_binary_file_is_told_by_its_content_with_a_command_for_it(
    bench: Bench, data: bytes, what: str, command: str
) -> None:
    bench.file("a.txt", data)

    told = await bench.refused("read", path="a.txt")

    assert f"is {what}" in told
    assert command in told
    assert f"{len(data):,} bytes" in told


async def test_a_text_that_begins_like_a_binary_file_is_text(bench: Bench) -> None:
    bench.file("a.txt", "BMW and MZ and PACK\n")

    assert await bench.said("read", path="a.txt") == "     1\tBMW and MZ and PACK"


async def test_devices_pipes_and_huge_files_are_refused_at_once(bench: Bench) -> None:
    os.mkfifo(bench.cwd / "pipe")
    with (bench.cwd / "sparse").open("wb") as file:
        file.truncate(FILE_BYTES * 100)

    told = await bench.refused("read", path="pipe")
    assert "is a pipe, not a regular file; only a command can use it" in told
    assert "is a device, not a regular file" in await bench.refused("read", path="/dev/zero")
    assert "is a binary file of 5,242,880,000 bytes" in await bench.refused("read", path="sparse")


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
