"""`ls` on real directories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.policy.subject import Access, PathSubject
from induscode.tools.limits import LISTED_NAMES
from tests.tools.conftest import Bench


async def test_names_come_sorted_hidden_ones_too_and_directories_with_a_slash(bench: Bench) -> None:
    for name in ("b.txt", ".hidden", "a.txt"):
        (bench.cwd / name).write_text("")
    (bench.cwd / "sub").mkdir()

    assert await bench.said("ls") == ".hidden\na.txt\nb.txt\nsub/"


async def test_a_directory_below_is_listed_by_its_path(bench: Bench) -> None:
    (bench.cwd / "sub").mkdir()
    (bench.cwd / "sub" / "x").write_text("")

    assert await bench.said("ls", path="sub") == "x"
    assert await bench.said("ls", path=str(bench.cwd / "sub")) == "x"


async def test_an_empty_directory_says_that_it_is_empty(bench: Bench) -> None:
    assert await bench.said("ls") == f"{bench.cwd} is empty."


async def test_more_names_than_the_limit_are_counted(bench: Bench) -> None:
    for number in range(LISTED_NAMES + 5):
        (bench.cwd / f"f{number:05}").write_text("")

    lines = (await bench.said("ls")).splitlines()

    assert len(lines) == LISTED_NAMES + 1
    assert lines[-1].startswith(f"[{LISTED_NAMES:,} of {LISTED_NAMES + 5:,} names")


async def test_a_name_with_a_line_break_stays_one_line(bench: Bench) -> None:
    (bench.cwd / "a\nb").write_text("")

    assert await bench.said("ls") == "a\\nb"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\u202eb".encode(), "a\\u202eb"),
        (b"a\xffb", "a\\xffb"),
        ("\u200bé".encode(), "\\u200bé"),
        ("日本 x".encode(), "日本 x"),
    ],
)
async def test_what_cannot_be_seen_in_a_name_is_shown_as_an_escape(
    bench: Bench, name: bytes, shown: str
) -> None:
    Path(os.fsdecode(os.fsencode(bench.cwd) + b"/" + name)).write_text("")

    assert await bench.said("ls") == shown


async def test_a_file_and_a_missing_directory_are_told_with_what_to_do(bench: Bench) -> None:
    (bench.cwd / "file").write_text("")

    assert "is a file, not a directory; read shows it" in await bench.refused("ls", path="file")
    assert "does not exist" in await bench.refused("ls", path="fil")


@pytest.mark.parametrize("arguments", [{"path": ""}, {"path": 7}, {"path": "a\0b"}, {"deep": True}])
async def test_bad_arguments_are_a_sentence(bench: Bench, arguments: dict[str, object]) -> None:
    assert "ls" in await bench.refused("ls", **arguments)


def test_the_subject_is_the_directory_it_lists(bench: Bench) -> None:
    for arguments, place in (({}, bench.cwd), ({"path": ".."}, bench.cwd.parent)):
        assert bench.view("ls", arguments).subject == PathSubject(place, place, Access.READ)
