from __future__ import annotations

import pytest

from tests.tools.conftest import Bench

SOURCE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


async def test_one_place_is_replaced_and_the_person_sees_the_difference(bench: Bench) -> None:
    path = bench.file("a.py", SOURCE)

    result = await bench.call("edit", path="a.py", old_text="return 1", new_text="return 10")

    assert path.read_text() == SOURCE.replace("return 1", "return 10")
    assert "1 replacement at line 2." in str(result.content)
    assert result.display is not None
    assert "@@ -1,5 +1,5 @@\n def one():\n-    return 1\n+    return 10\n" in result.display


async def test_text_that_stands_several_times_is_refused_with_its_lines(bench: Bench) -> None:
    path = bench.file("a.py", SOURCE)

    told = await bench.refused("edit", path="a.py", old_text="return", new_text="yield")

    assert "stands 2 times, at lines 2, 6" in told
    assert "replace_all" in told
    assert path.read_text() == SOURCE


async def test_replace_all_replaces_every_place(bench: Bench) -> None:
    path = bench.file("a.py", SOURCE)

    text = await bench.said(
        "edit", path="a.py", old_text="return", new_text="yield", replace_all=True
    )

    assert "2 replacements at lines 2, 6" in text
    assert path.read_text() == SOURCE.replace("return", "yield")


async def test_many_places_are_counted_and_the_first_lines_told(bench: Bench) -> None:
    bench.file("a", "x\n" * 50)

    told = await bench.refused("edit", path="a", old_text="x", new_text="y")

    assert "stands 50 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more" in told
    said = await bench.said("edit", path="a", old_text="x", new_text="y", replace_all=True)
    assert "50 replacements" in said


async def test_several_edits_apply_in_order_each_to_what_the_last_one_left(bench: Bench) -> None:
    path = bench.file("a.py", SOURCE)

    await bench.call(
        "edit",
        path="a.py",
        edits=[
            {"old_text": "return 1", "new_text": "return 3"},
            {"old_text": "return 3", "new_text": "return 4"},
            {"old_text": "two", "new_text": "deux"},
        ],
    )

    assert path.read_text() == SOURCE.replace("return 1", "return 4").replace("two", "deux")


async def test_if_one_edit_fails_none_is_applied_and_it_is_named(bench: Bench) -> None:
    path = bench.file("a.py", SOURCE)

    told = await bench.refused(
        "edit",
        path="a.py",
        edits=[
            {"old_text": "return 1", "new_text": "return 3"},
            {"old_text": "return 9", "new_text": "x"},
        ],
    )

    assert "was not changed. `edits[1].old_text` does not stand in the file" in told
    assert path.read_text() == SOURCE


async def test_a_near_miss_is_shown_as_a_small_difference(bench: Bench) -> None:
    bench.file("a.py", SOURCE)

    told = await bench.refused(
        "edit", path="a.py", old_text="def two():\n    return 3\n", new_text="x"
    )

    assert "The nearest is at line 5." in told
    assert "-    return 3\n+    return 2" in told


@pytest.mark.parametrize(
    ("old_text", "how"),
    [
        ("def two():\n\treturn 2", ": the file indents with 4 spaces, you with 1 tab."),
        ("def two():\n return 2", ": the file indents with 4 spaces, you with 1 space."),
        ("def two(): \n    return 2", ": at the end of a line."),
        ("def  two():\n    return 2", "."),
    ],
)
async def test_a_difference_of_white_space_only_is_called_that(
    bench: Bench, old_text: str, how: str
) -> None:
    bench.file("a.py", SOURCE)

    told = await bench.refused("edit", path="a.py", old_text=old_text, new_text="x")

    assert f"It differs only in white space{how}\n" in told


async def test_tabs_in_the_file_are_pointed_out(bench: Bench) -> None:
    bench.file("Makefile", "all:\n\tcc x.c\n")

    told = await bench.refused("edit", path="Makefile", old_text="    cc x.c", new_text="y")

    assert "the file indents with 1 tab, you with 4 spaces" in told


async def test_line_numbers_copied_from_read_are_pointed_out(bench: Bench) -> None:
    bench.file("a.py", SOURCE)

    told = await bench.refused(
        "edit", path="a.py", old_text="     1\tdef one():\n     2\t    return 1", new_text="x"
    )

    assert "begins with the line numbers that read shows; leave them out" in told


async def test_a_line_that_is_only_similar_is_found_too(bench: Bench) -> None:
    bench.file("a.py", "total = compute_everything(first, second)\n" + "pass\n" * 100)

    told = await bench.refused(
        "edit", path="a.py", old_text="total = compute_everythin(first,second)", new_text="x"
    )

    assert "nearest is at line 1" in told


async def test_text_that_is_nowhere_near_says_so(bench: Bench) -> None:
    bench.file("a.py", SOURCE)

    told = await bench.refused("edit", path="a.py", old_text="@@@@@@@@@@@@", new_text="x")

    assert "nothing is near it" in told


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
async def test_line_ends_are_kept(bench: Bench, ends: str) -> None:
    path = bench.file("a.txt", ends.join(["one", "two", "three", ""]))

    await bench.call("edit", path="a.txt", old_text="one\ntwo\n", new_text="1\n2\n2.5\n")

    assert path.read_bytes().decode() == ends.join(["1", "2", "2.5", "three", ""])


async def test_in_a_file_with_mixed_line_ends_every_other_byte_stays(bench: Bench) -> None:
    path = bench.file("a.txt", b"a\r\nb\nc\r\nd\ne\r\n")

    await bench.call("edit", path="a.txt", old_text="c\nd", new_text="C\nD")

    assert path.read_bytes() == b"a\r\nb\nC\r\nD\ne\r\n"


async def test_old_text_with_windows_line_ends_matches_too(bench: Bench) -> None:
    path = bench.file("a.txt", "one\ntwo\n")

    await bench.call("edit", path="a.txt", old_text="one\r\ntwo", new_text="1\r\n2")

    assert path.read_bytes() == b"1\n2\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le"),
        (b"", "latin-1"),
        (b"", "utf-8"),
    ],
)
async def test_encoding_and_mark_are_kept(bench: Bench, mark: bytes, encoding: str) -> None:
    path = bench.file("a.txt", mark + "é one\n".encode(encoding))

    await bench.call("edit", path="a.txt", old_text="one", new_text="ü")

    assert path.read_bytes() == mark + "é ü\n".encode(encoding)


async def test_bytes_that_are_no_characters_are_kept(bench: Bench) -> None:
    path = bench.file("a.txt", "日本 ".encode() + b"\xff one\n")

    result = await bench.call("edit", path="a.txt", old_text="one", new_text="two")

    assert path.read_bytes() == "日本 ".encode() + b"\xff two\n"
    assert result.display is not None
    assert "+日本 \ufffd two" in result.display


@pytest.mark.parametrize("end", ["", "\n"])
async def test_the_end_of_the_file_stays_as_it_is(bench: Bench, end: str) -> None:
    path = bench.file("a.txt", f"one\ntwo{end}")

    await bench.call("edit", path="a.txt", old_text="two", new_text="three")

    assert path.read_text() == f"one\nthree{end}"


NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["x = 1\\n"]}], "nbformat": 4}\n'


async def test_a_notebook_is_edited_as_json_and_stays_json(bench: Bench) -> None:
    path = bench.file("a.ipynb", NOTEBOOK)

    await bench.call("edit", path="a.ipynb", old_text='"x = 1\\n"', new_text='"x = 2\\n"')
    broken = await bench.refused("edit", path="a.ipynb", old_text='"x = 2', new_text='"x = "2"')
    absent = await bench.refused("edit", path="a.ipynb", old_text="x = 2\n", new_text="x = 3\n")

    assert path.read_text() == NOTEBOOK.replace("x = 1", "x = 2")
    assert "was not changed. The notebook would not be JSON any more: " in broken
    assert (
        'a line of a cell stands there as a string with its line break, like "x = 1\\n",' in absent
    )


async def test_a_broken_notebook_can_be_mended(bench: Bench) -> None:
    path = bench.file("a.ipynb", NOTEBOOK.replace("}],", "],"))

    await bench.call("edit", path="a.ipynb", old_text="],", new_text="}],")

    assert path.read_text() == NOTEBOOK


async def test_text_the_encoding_cannot_hold_is_refused(bench: Bench) -> None:
    path = bench.file("a.txt", "é one".encode("latin-1"))

    told = await bench.refused("edit", path="a.txt", old_text="one", new_text="日本")

    assert "cannot hold that text as latin-1" in told
    assert path.read_bytes() == "é one".encode("latin-1")


async def test_the_mode_is_kept(bench: Bench) -> None:
    path = bench.file("run.sh", "one")
    path.chmod(0o755)

    await bench.call("edit", path="run.sh", old_text="one", new_text="two")

    assert path.stat().st_mode & 0o777 == 0o755


async def test_files_that_cannot_be_edited_are_told(bench: Bench) -> None:
    bench.file("binary", b"\0\1\2")
    bench.file("dir/settings.py", "x")

    arguments = {"old_text": "a", "new_text": "b"}
    assert "binary" in await bench.refused("edit", path="binary", **arguments)
    assert "directory" in await bench.refused("edit", path="dir", **arguments)
    assert "settings.py" in await bench.refused("edit", path="dir/setting.py", **arguments)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"old_text": "a", "new_text": "b"}, "needs the argument `path`"),
        ({"path": 1, "old_text": "a", "new_text": "b"}, "`path` of edit must be a string"),
        ({"path": "a\0", "old_text": "a", "new_text": "b"}, "`path` of edit"),
        ({"path": "a"}, "needs the argument `old_text`"),
        ({"path": "a", "old_text": "a"}, "needs the argument `new_text`"),
        ({"path": "a", "new_text": "a"}, "needs the argument `old_text`"),
        ({"path": "a", "old_text": 1, "new_text": "b"}, "`old_text` of edit must be a string"),
        ({"path": "a", "old_text": "a", "new_text": None}, "`new_text` of edit must be a string"),
        ({"path": "a", "old_text": "", "new_text": "b"}, "`old_text` is empty"),
        ({"path": "a", "old_text": "b", "new_text": "b"}, "the same"),
        ({"path": "a", "old_text": "a", "new_text": "b", "replace_all": 1}, "`replace_all`"),
        ({"path": "a", "edits": []}, "`edits` of edit"),
        ({"path": "a", "edits": "x"}, "`edits` of edit must be an array"),
        ({"path": "a", "edits": [{"old_text": "a"}]}, "`edits[0].new_text`"),
        ({"path": "a", "edits": [{"old_text": 1, "new_text": "b"}]}, "`edits[0].old_text`"),
        (
            {"path": "a", "old_text": "a", "edits": [{"old_text": "a", "new_text": "b"}]},
            "not both",
        ),
    ],
)
async def test_a_wrong_argument_is_told_by_name_and_the_file_stays(
    bench: Bench, arguments: dict[str, object], told: str
) -> None:
    path = bench.file("a", "a b c")

    assert told in await bench.refused("edit", **arguments)
    assert path.read_text() == "a b c"
    assert list(bench.cwd.iterdir()) == [path]


async def test_a_small_change_in_a_large_file_is_shown_at_its_place(bench: Bench) -> None:
    bench.file("big", "".join(f"line {n}\n" for n in range(100_000)))

    result = await bench.call("edit", path="big", old_text="line 70000\n", new_text="changed\n")

    assert result.display is not None
    assert "@@ -69998,7 +69998,7 @@" in result.display
    assert len(result.display) < 500
