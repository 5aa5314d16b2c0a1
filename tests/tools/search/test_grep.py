"""`grep` on real trees, through the tool as a session has it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from induscode.kernel.content import plain_text
from induscode.policy.subject import Access, PathSubject
from induscode.tools.limits import RESULT_CHARACTERS
from induscode.tools.search.limits import (
    CONTEXT_LINES,
    LINE_CHARACTERS,
    MATCHES,
    MATCHES_MOST,
    PATTERN_CHARACTERS,
)
from tests.tools.conftest import Bench

NOTHING = "No match. Files that are ignored, binary or not to be read by you are not searched."


@pytest.fixture
def tree(bench: Bench) -> Bench:
    bench.file("src/app.py", "import os\n\ndef needle():\n    return os\n\nneedle()\n")
    bench.file("src/deep/other.ts", "const needle = 1;\n")
    bench.file("README.md", "No NEEDLE here.\n")
    return bench


async def test_lines_come_numbered_under_their_files_in_the_order_of_paths(tree: Bench) -> None:
    assert await tree.said("grep", pattern="needle") == (
        "src/app.py\n3:def needle():\n6:needle()\n\nsrc/deep/other.ts\n1:const needle = 1;"
    )


async def test_a_program_is_told_how_much_was_found(tree: Bench) -> None:
    result = await tree.call("grep", pattern="needle")

    assert result.details == {"files": 2, "matches": 3, "complete": True}
    assert result.display == "3 matches in 2 files"


async def test_context_lines_are_told_from_matches_and_gaps_are_seen(tree: Bench) -> None:
    tree.file("src/app.py", "".join(f"line {n}\n" for n in range(1, 21)))

    assert await tree.said("grep", pattern="line (5|7|15)$", path="src", context=1) == (
        "src/app.py\n4-line 4\n5:line 5\n6-line 6\n7:line 7\n8-line 8\n--\n"
        "14-line 14\n15:line 15\n16-line 16"
    )


async def test_more_context_than_the_limit_is_cut_and_told(tree: Bench) -> None:
    tree.file("long.txt", "x\n" * 200 + "here\n")

    said = await tree.said("grep", pattern="here", context=10**12)

    assert said.count("-x") == CONTEXT_LINES
    assert said.endswith(f"[context is at most {CONTEXT_LINES} lines]")


async def test_files_and_counts(tree: Bench) -> None:
    assert (
        await tree.said("grep", pattern="needle", mode="files") == "src/app.py\nsrc/deep/other.ts"
    )
    result = await tree.call("grep", pattern="needle", mode="count")
    assert plain_text(result.content) == "src/app.py:2\nsrc/deep/other.ts:1"
    assert result.details == {"files": 2, "matches": 3, "complete": True}


async def test_case_counts_unless_it_is_said_not_to(tree: Bench) -> None:
    assert "README" not in await tree.said("grep", pattern="needle")
    assert "README.md\n1:No NEEDLE here." in await tree.said(
        "grep", pattern="needle", ignore_case=True
    )


@pytest.mark.parametrize(
    ("narrow", "found"),
    [
        ({"glob": "*.py"}, ["src/app.py"]),
        ({"glob": "*.{py,ts}"}, ["src/app.py", "src/deep/other.ts"]),
        ({"glob": "src/*"}, ["src/app.py"]),
        ({"glob": "src/**"}, ["src/app.py", "src/deep/other.ts"]),
        ({"glob": "src/"}, ["src/app.py", "src/deep/other.ts"]),
        ({"glob": "!*.ts"}, ["src/app.py"]),
        ({"glob": "!src/deep/**"}, ["src/app.py"]),
        ({"type": "ts"}, ["src/deep/other.ts"]),
        ({"type": "ts", "glob": "*.py"}, []),
        ({"type": "py", "glob": "!src/deep/**"}, ["src/app.py"]),
        ({"path": "src/deep"}, ["src/deep/other.ts"]),
        ({"path": "src", "glob": "deep/*"}, ["src/deep/other.ts"]),
        ({"path": "src", "glob": "src/deep/*"}, ["src/deep/other.ts"]),
        ({"path": "src/app.py"}, ["src/app.py"]),
        ({"path": "src/app.py", "glob": "*.ts"}, ["src/app.py"]),
    ],
    ids=str,
)
async def test_a_search_is_narrowed(tree: Bench, narrow: dict[str, Any], found: list[str]) -> None:
    said = await tree.said("grep", pattern="needle", mode="files", **narrow)

    assert said == ("\n".join(found) or NOTHING)


@pytest.mark.parametrize("glob", ["*", "**", "*.log", "**/*.log", "*.lo[g]", "build/**", "!*.py"])
async def test_a_glob_does_not_bring_back_what_is_ignored(bench: Bench, glob: str) -> None:
    (bench.cwd / ".git").mkdir()
    bench.file(".git/config", "needle")
    bench.file(".gitignore", "*.log\nbuild/\n")
    bench.file("a.log", "needle\n")
    bench.file("build/out.txt", "needle\n")
    bench.file("sub/.ignore", "hidden.txt\n")
    bench.file("sub/hidden.txt", "needle\n")

    assert await bench.said("grep", pattern="needle", glob=glob) == NOTHING
    assert await bench.said("grep", pattern="needle") == NOTHING


async def test_hidden_files_are_searched_and_git_s_own_are_not(bench: Bench) -> None:
    (bench.cwd / ".git").mkdir()
    bench.file(".git/HEAD", "needle\n")
    bench.file("sub/.git", "gitdir: needle\n")
    bench.file(".github/ci.yml", "needle\n")

    assert await bench.said("grep", pattern="needle", mode="files") == ".github/ci.yml"


async def test_a_match_over_lines(bench: Bench) -> None:
    bench.file("a.txt", "one\ntwo\nthree\n")

    assert await bench.said("grep", pattern="one.*three") == NOTHING
    lines = "a.txt\n1:one\n2:two\n3:three"
    assert await bench.said("grep", pattern="one.*three", multiline=True) == lines
    for pattern in (r"one\ntwo", "one\ntwo"):
        assert await bench.said("grep", pattern=pattern) == "a.txt\n1:one\n2:two"
    assert await bench.said("grep", pattern="two\nth", literal=True) == "a.txt\n2:two\n3:three"


async def test_plain_text_is_searched_literally(bench: Bench) -> None:
    bench.file("a.txt", "f(x) + [1]\n")

    assert await bench.said("grep", pattern="f(x) + [1]", literal=True) == "a.txt\n1:f(x) + [1]"


@pytest.mark.parametrize(
    "pattern", ["-needle", "--files", "-e", "--", "--pre=touch made", "-f/etc/passwd"]
)
async def test_a_pattern_that_looks_like_a_flag_is_a_pattern(bench: Bench, pattern: str) -> None:
    bench.file("a.txt", f"x {pattern} x\n")

    assert await bench.said("grep", pattern=pattern) == f"a.txt\n1:x {pattern} x"
    assert not (bench.cwd / "made").exists()


@pytest.mark.parametrize("name", ["glob", "type"])
@pytest.mark.parametrize("value", ["-x", "--pre=touch made", "--files"])
async def test_what_narrows_cannot_become_a_flag(bench: Bench, name: str, value: str) -> None:
    bench.file("a.txt", "needle\n")

    assert "needle" not in await bench.said("grep", pattern="needle", **{name: value})
    assert sorted(path.name for path in bench.cwd.iterdir()) == ["a.txt"]


async def test_the_end_of_a_line_is_found_with_windows_line_ends_too(bench: Bench) -> None:
    bench.file("a.txt", "needle\r\nmore\r\n")

    assert await bench.said("grep", pattern="needle$") == "a.txt\n1:needle"


async def test_other_encodings_and_bytes_that_are_no_text(bench: Bench) -> None:
    bench.file("a.txt", "żółty needle\n".encode("utf-16"))
    bench.file("b.txt", b"needle \xff\xfe end\n")

    assert await bench.said("grep", pattern="needle") == (
        "a.txt\n1:żółty needle\n\nb.txt\n1:needle \ufffd\ufffd end"
    )


async def test_names_with_line_breaks_colons_and_bytes_that_are_no_text(bench: Bench) -> None:
    for name in (b"a\nb:1:x", b"c:d", b"e\xff"):
        bench.file(os.fsdecode(name), "needle\n")

    names = ["a\\nb:1:x", "c:d", "e\ufffd"]
    assert await bench.said("grep", pattern="needle", mode="files") == "\n".join(names)
    assert await bench.said("grep", pattern="needle", mode="count") == "\n".join(
        f"{name}:1" for name in names
    )
    assert await bench.said("grep", pattern="needle") == "\n\n".join(
        f"{name}\n1:needle" for name in names
    )


async def test_binary_files_are_not_shown_and_a_named_one_is_told(bench: Bench) -> None:
    bench.file("a.bin", b"\0\0needle\n")
    bench.file("late.bin", b"needle\n" + b"x\n" * 300_000 + b"\0")

    assert await bench.said("grep", pattern="needle") == f"{NOTHING}\n[binary, not shown: late.bin]"
    said = await bench.said("grep", pattern="needle", path="a.bin")
    assert said == f"{NOTHING}\n[binary, not shown: a.bin]"
    result = await bench.call("grep", pattern="needle")
    assert result.details == {"files": 0, "matches": 0, "complete": True}


async def test_a_search_stops_at_the_limit_and_says_so(bench: Bench) -> None:
    for number in range(20):
        bench.file(f"{number:02}.txt", "needle\n" * 1_000)

    result = await bench.call("grep", pattern="needle")
    text = plain_text(result.content)

    assert text.count(":needle") == MATCHES
    assert text.splitlines()[-1].startswith(f"[{MATCHES} matches; there are more: narrow by path")
    assert result.details is not None
    assert result.details["complete"] is False
    few = await bench.said("grep", pattern="needle", mode="files", limit=3)
    assert few.splitlines()[-1].startswith("[3 files; there are more")
    assert len(few.splitlines()) == 4


async def test_exactly_the_limit_is_everything(bench: Bench) -> None:
    bench.file("a.txt", "needle\n" * 7)

    assert "more" not in await bench.said("grep", pattern="needle", limit=7)
    assert "more" in await bench.said("grep", pattern="needle", limit=6)


async def test_no_limit_is_higher_than_the_highest(bench: Bench) -> None:
    bench.file("a.txt", "x\n" * (MATCHES_MOST + 1))

    result = await bench.call("grep", pattern="x", limit=10**9)

    assert result.details == {"files": 1, "matches": MATCHES_MOST, "complete": False}


async def test_a_long_line_is_shown_around_its_match(bench: Bench) -> None:
    bench.file("a.js", "a" * 5_000 + "needle" + "b" * 5_000 + "\nneedle\n")

    said = await bench.said("grep", pattern="needle")

    long, short = said.splitlines()[1:3]
    assert "aneedleb" in long
    assert long.startswith("1:[4875 characters ...]a")
    assert long.endswith("b[... 4631 more characters]")
    assert short == "2:needle"
    assert said.endswith(f"[1 long lines cut to {LINE_CHARACTERS} characters]")


async def test_a_result_stays_within_the_bound_of_every_tool(bench: Bench) -> None:
    bench.file("a.txt", ("needle " + "x" * 400 + "\n") * 500)

    said = await bench.said("grep", pattern="needle", limit=500)

    assert len(said) < RESULT_CHARACTERS + 500
    assert "the whole text is in" in said


async def test_what_is_no_regular_expression_is_explained(bench: Bench) -> None:
    told = await bench.refused("grep", pattern="f(")
    assert told.startswith("'f(' is not a regular expression: unclosed group. ")
    assert "set literal" in told
    told = await bench.refused("grep", pattern="a(?=b)")
    assert "look-around, including look-ahead and look-behind, is not supported" in told
    assert "size limit" in await bench.refused("grep", pattern=r"(\pL{1000}){1000}")


async def test_an_unknown_type_names_similar_ones(bench: Bench) -> None:
    assert await bench.refused("grep", pattern="x", type="pyhton") == (
        "There is no file type 'pyhton'. Similar ones: python, cython. "
        "Or use glob, for example '*.pyhton'."
    )
    assert "Similar ones: json" in await bench.refused("grep", pattern="x", type="jsno")


async def test_a_place_that_is_not_there_is_told_with_what_is_near(tree: Bench) -> None:
    assert "Near it: src/" in await tree.refused("grep", pattern="x", path="srcc")
    os.mkfifo(tree.cwd / "pipe")
    assert "Not a directory" in await tree.refused("grep", pattern="x", path="pipe")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "grep needs the argument `pattern`"),
        ({"pattern": ""}, "`pattern` of grep is not usable"),
        ({"pattern": 7}, "`pattern` of grep must be a string"),
        ({"pattern": "a\0b"}, "`pattern` of grep may not hold a NUL character"),
        ({"pattern": "\ud800"}, "`pattern` of grep holds half a character"),
        ({"pattern": "x" * (PATTERN_CHARACTERS + 1)}, "longer than 10,000 characters"),
        ({"pattern": "x", "path": ""}, "`path` of grep is not usable"),
        ({"pattern": "x", "path": 1}, "`path` of grep must be a string"),
        ({"pattern": "x", "path": "a\0b"}, "`path` of grep is not usable"),
        ({"pattern": "x", "glob": ""}, "`glob` of grep is not usable"),
        ({"pattern": "x", "glob": 1}, "`glob` of grep must be a string"),
        ({"pattern": "x", "glob": "a\0"}, "`glob` of grep may not hold a NUL"),
        ({"pattern": "x", "glob": "{a"}, "`glob` of grep is not usable: a '{' in it is not closed"),
        ({"pattern": "x", "glob": "[a"}, "`glob` of grep is not usable: a '[' in it is not closed"),
        ({"pattern": "x", "glob": "[z-a]"}, "a class of characters is wrong in it"),
        ({"pattern": "x", "glob": "!"}, "`glob` of grep is not usable: it is empty"),
        ({"pattern": "x", "type": ""}, "`type` of grep is not usable"),
        ({"pattern": "x", "type": 1}, "`type` of grep must be a string"),
        ({"pattern": "x", "type": "a\0"}, "`type` of grep may not hold a NUL"),
        ({"pattern": "x", "mode": "names"}, "`mode` of grep is not usable"),
        ({"pattern": "x", "mode": 1}, "`mode` of grep"),
        ({"pattern": "x", "context": -1}, "`context` of grep is not usable"),
        ({"pattern": "x", "context": "2"}, "`context` of grep must be an integer"),
        ({"pattern": "x", "ignore_case": "yes"}, "`ignore_case` of grep must be a boolean"),
        ({"pattern": "x", "literal": 1}, "`literal` of grep must be a boolean"),
        ({"pattern": "x", "multiline": 1}, "`multiline` of grep must be a boolean"),
        ({"pattern": "x", "limit": 0}, "`limit` of grep is not usable"),
        ({"pattern": "x", "limit": 1.5}, "`limit` of grep must be an integer"),
        ({"pattern": "x", "patern": "y"}, "grep has no argument `patern`. Did you mean `pattern`?"),
    ],
    ids=str,
)
async def test_each_bad_argument_is_a_sentence(
    bench: Bench, arguments: dict[str, Any], told: str
) -> None:
    assert told in await bench.refused("grep", **arguments)


def test_the_subject_is_the_place_that_is_searched(bench: Bench) -> None:
    for arguments, place in (({}, bench.cwd), ({"path": ".."}, bench.cwd.parent)):
        for tool in ("grep", "find"):
            subject = bench.view(tool, {"pattern": "x", "query": "x", **arguments}).subject
            assert subject == PathSubject(place, place, Access.READ)
