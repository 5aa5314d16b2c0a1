"""`find` on real trees, through the tool as a session has it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from induscode.kernel.content import plain_text
from induscode.tools.search.limits import FOUND_NAMES, FOUND_NAMES_MOST, GLOB_CHARACTERS
from tests.tools.conftest import Bench


@pytest.fixture
def tree(bench: Bench) -> Bench:
    for name in (
        "search.py",
        "docs/search.md",
        "src/search/grep.py",
        "src/search/research.txt",
        "src/Searching.java",
        "src/other/x.py",
        ".github/ci.yml",
    ):
        bench.file(name, "")
    return bench


async def test_the_most_likely_come_first_and_what_is_above_before_what_is_below(
    tree: Bench,
) -> None:
    assert (await tree.said("find", query="search")).splitlines() == [
        "src/search/",  # called exactly so
        "search.py",  # but for its ending
        "docs/search.md",
        "src/Searching.java",  # begins so
        "src/search/research.txt",  # holds it
        "src/search/grep.py",  # lies there
    ]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"query": "GREP"}, ["src/search/grep.py"]),
        ({"query": "search/gr"}, ["src/search/grep.py"]),
        ({"query": "./src/other/x.py"}, ["src/other/x.py"]),
        ({"query": "other search"}, []),
        ({"query": "src research"}, ["src/search/research.txt"]),
        ({"query": "search", "type": "directory"}, ["src/search/"]),
        ({"query": "search/"}, ["src/search/"]),
        ({"query": "other", "type": "file"}, ["src/other/x.py"]),
        ({"query": "*.py"}, ["search.py", "src/other/x.py", "src/search/grep.py"]),
        ({"query": "*.PY"}, []),
        ({"query": "src/**/*.py"}, ["src/other/x.py", "src/search/grep.py"]),
        ({"query": "*.{md,java}"}, ["docs/search.md", "src/Searching.java"]),
        ({"query": "s*", "type": "directory"}, ["src/", "src/search/"]),
        ({"query": "*/", "path": "src"}, ["src/other/", "src/search/"]),
        ({"query": "*.py", "path": "src/search"}, ["src/search/grep.py"]),
        ({"query": "src/search/*.py", "path": "src"}, ["src/search/grep.py"]),
        ({"query": ".github"}, [".github/", ".github/ci.yml"]),
    ],
    ids=str,
)
async def test_names_parts_of_paths_and_globs(
    tree: Bench, arguments: dict[str, Any], found: list[str]
) -> None:
    said = await tree.said("find", **arguments)

    assert said.splitlines() == found if found else said.startswith("Nothing below")


async def test_an_absolute_query_and_an_absolute_place(tree: Bench) -> None:
    assert await tree.said("find", query=f"{tree.cwd}/src/other/x.py") == "src/other/x.py"
    outside = tree.cwd.parent / "beside"
    outside.mkdir()
    (outside / "note.txt").write_text("")
    assert await tree.said("find", query="note", path=str(outside)) == f"{outside}/note.txt"
    assert await tree.said("find", query="note", path="../beside") == f"{outside}/note.txt"


async def test_what_is_ignored_is_not_found_by_any_glob(bench: Bench) -> None:
    (bench.cwd / ".git").mkdir()
    bench.file(".git/HEAD", "")
    bench.file(".gitignore", "*.log\nbuild/\n")
    bench.file("a.log", "")
    bench.file("build/b.txt", "")

    for query in ("*", "**", "*.log", "**/*", "build/**", ".git/**"):
        said = await bench.said("find", query=query)
        assert said == ".gitignore" or said.startswith("Nothing below"), query
    assert (await bench.said("find", query="HEAD")).startswith("Nothing below")


async def test_brackets_in_a_name_stand_for_themselves_if_they_match_nothing_else(
    bench: Bench,
) -> None:
    bench.file("app/[id].tsx", "")
    bench.file("app/[slug]/page.tsx", "")

    assert await bench.said("find", query="[id].tsx") == "app/[id].tsx"
    assert await bench.said("find", query="[slug]") == "app/[slug]/\napp/[slug]/page.tsx"
    assert await bench.said("find", query="[slug]", type="directory") == "app/[slug]/"


async def test_nothing_found_names_what_is_similar(tree: Bench) -> None:
    assert await tree.said("find", query="serching.java") == (
        f"Nothing below {tree.cwd} is called 'serching.java'; ignored files do not count. "
        "Similar: src/Searching.java."
    )
    assert "Similar" not in await tree.said("find", query="zzz")


async def test_names_with_line_breaks_and_bytes_that_are_no_text(bench: Bench) -> None:
    for name in (b"a\nb", b"c\xff", "İx".encode()):
        (bench.cwd / os.fsdecode(name)).touch()

    assert await bench.said("find", query="*") == "a\\nb\nc\ufffd\nİx"
    assert await bench.said("find", query="C") == "c\ufffd"
    assert await bench.said("find", query="x") == "İx"


async def test_more_than_the_limit_is_told(bench: Bench) -> None:
    for number in range(FOUND_NAMES + 30):
        bench.file(f"{number:03}.txt", "")

    result = await bench.call("find", query="*")
    lines = plain_text(result.content).splitlines()

    assert lines[:3] == ["000.txt", "001.txt", "002.txt"]
    assert len(lines) == FOUND_NAMES + 1
    assert lines[-1] == (
        f"[{FOUND_NAMES} of {FOUND_NAMES + 30}; narrow the query, or raise limit "
        f"(at most {FOUND_NAMES_MOST:,})]"
    )
    assert result.details == {"names": FOUND_NAMES, "left_out": 0, "complete": False}
    assert len((await bench.said("find", query="txt", limit=200)).splitlines()) == FOUND_NAMES + 30


async def test_no_limit_is_higher_than_the_highest(bench: Bench) -> None:
    for number in range(FOUND_NAMES_MOST + 1):
        (bench.cwd / f"{number}").touch()

    result = await bench.call("find", query="*", limit=10**9)

    assert result.details == {"names": FOUND_NAMES_MOST, "left_out": 0, "complete": False}


async def test_links_are_neither_found_nor_followed(bench: Bench) -> None:
    outside = bench.cwd.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("needle\n")
    (bench.cwd / "link").symlink_to(outside)
    (bench.cwd / "secret.txt").symlink_to(outside / "secret.txt")

    assert (await bench.said("find", query="secret")).startswith("Nothing below")
    assert (await bench.said("grep", pattern="needle")).startswith("No match")


@pytest.mark.parametrize("query", ["-x", "--files", "--pre=touch made", "-*", "-x--files*"])
async def test_a_query_that_looks_like_a_flag_is_a_query(bench: Bench, query: str) -> None:
    bench.file("-x--files--pre=touch made", "")

    assert await bench.said("find", query=query) == "-x--files--pre=touch made"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "find needs the argument `query`"),
        ({"query": ""}, "`query` of find is not usable"),
        ({"query": " "}, "`query` of find is empty"),
        ({"query": "/"}, "`query` of find is empty"),
        ({"query": 7}, "`query` of find must be a string"),
        ({"query": "a\0"}, "`query` of find may not hold a NUL character"),
        ({"query": "\udfff"}, "`query` of find holds half a character"),
        ({"query": "x" * (GLOB_CHARACTERS + 1)}, "longer than 1,000 characters"),
        ({"query": "*{a"}, "`query` of find is not a glob: a '{' in it is not closed"),
        ({"query": "{a,b}" * 9}, "its braces stand for more than 100 globs"),
        ({"query": "x", "path": 1}, "`path` of find must be a string"),
        ({"query": "x", "path": ""}, "`path` of find is not usable"),
        ({"query": "x", "path": "a\0"}, "`path` of find is not usable"),
        ({"query": "x", "path": "gone"}, "does not exist"),
        ({"query": "x", "path": "file"}, "is a file; name a directory, or none"),
        ({"query": "x", "type": "link"}, "`type` of find is not usable"),
        ({"query": "x", "type": 1}, "`type` of find"),
        ({"query": "x", "limit": 0}, "`limit` of find is not usable"),
        ({"query": "x", "limit": "9"}, "`limit` of find must be an integer"),
        ({"query": "x", "name": "y"}, "find has no argument `name`"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_each_bad_argument_is_a_sentence(
    bench: Bench, arguments: dict[str, Any], told: str
) -> None:
    bench.file("file", "")

    assert told in await bench.refused("find", **arguments)
