"""What in a text is an import, and which file it means."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from induscode.briefing.imports import TEXT_FILE_EXTENSIONS, find_imports, is_text_file
from tests.requirements import requirement

IMPORTER = Path("/work/app/docs/AGENTS.md")
HOME = Path("/home/ada")
SEED = re.compile(r"(?:^|\s)@((?:[^\s\\]|\\ )+)")


def targets(text: str) -> list[str]:
    return [str(each.target) for each in find_imports(text, IMPORTER, HOME)]


@requirement("briefing.docs.import-inlined")
@pytest.mark.parametrize("text", ["@a.md", "see @a.md here", "\t@a.md", "- @a.md", "x\n@a.md\ny"])
def test_an_import_begins_a_line_or_follows_white_space(text: str) -> None:
    assert targets(text) == ["/work/app/docs/a.md"]


@requirement("briefing.docs.import-inlined")
@pytest.mark.parametrize("text", ["ada@a.md", "(@a.md)", "**@a.md**", "@", "@ a.md", "a @"])
def test_an_at_sign_elsewhere_is_no_import(text: str) -> None:
    assert targets(text) == []


@requirement("briefing.docs.import-unescape")
def test_an_escaped_space_is_a_space_and_a_fragment_is_cut_off(tmp_path: Path) -> None:
    assert targets(r"@my\ notes.md#part\ two and") == ["/work/app/docs/my notes.md"]
    assert targets("@a.md#one#two") == ["/work/app/docs/a.md"]
    assert targets("@#part") == []


@requirement("briefing.docs.import-home")
def test_an_import_from_the_home() -> None:
    assert targets("@~/notes/a.md") == ["/home/ada/notes/a.md"]
    assert targets("@~ada/a.md") == ["/work/app/docs/~ada/a.md"]


@requirement("briefing.docs.import-absolute")
def test_an_absolute_import_is_used_as_it_is() -> None:
    assert targets("@/srv/a.md") == ["/srv/a.md"]


@requirement("briefing.docs.import-relative")
def test_a_relative_import_is_meant_from_the_folder_of_the_importer() -> None:
    assert targets("@a.md @./b.md @../c.md") == [
        "/work/app/docs/a.md",
        "/work/app/docs/b.md",
        "/work/app/c.md",
    ]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("@../../../../../etc/passwd", "/etc/passwd"),
        ("@/work/app/../../etc/passwd", "/etc/passwd"),
        ("@//etc/passwd", "/etc/passwd"),
        ("@~//etc/passwd", "/home/ada/etc/passwd"),
        ("@~/../../etc/passwd", "/etc/passwd"),
    ],
)
def test_a_target_is_the_path_that_it_leads_to(text: str, target: str) -> None:
    assert targets(text) == [target]


def test_the_punctuation_that_ends_a_sentence_is_not_part_of_a_name() -> None:
    assert targets("See @a.md, @b.md; @c.md: and @d.md.") == [
        f"/work/app/docs/{name}.md" for name in "abcd"
    ]


@pytest.mark.parametrize("text", ["@.", "@..", "@docs/", "@/", "@~/", "@a\0b", "@" + "x" * 256])
def test_what_cannot_name_a_file_is_no_import(text: str) -> None:
    assert targets(text) == []


def test_imports_come_in_their_order_with_their_lines_and_each_target_once() -> None:
    text = "@z.md\n@b.md\n\n@a.md @./b.md\n```\n@c.md\n```\n  @d.md"
    found = find_imports("\ufeff" + text.replace("\n", "\r\n"), IMPORTER, HOME)
    assert [(each.spec, each.line) for each in found] == [
        ("@z.md", 1),
        ("@b.md", 2),
        ("@a.md", 4),
        ("@d.md", 8),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n@a.md\n```",
        "```python\n@a.md\n",
        "~~~\n@a.md\n```\n@a.md\n~~~~",
        "````\n```\n@a.md\n````",
        "- list\n\n  ```sh\n  @a.md\n  ```",
        "1. ```\n   @a.md\n   ```",
        "> ```\n> @a.md\n> ```",
        "`@a.md`",
        "say ` @a.md `",
        "say `` a ` @a.md `` end",
        "say `one\n@a.md two` end",
    ],
)
def test_code_is_quoted_and_not_meant(text: str) -> None:
    assert targets(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\ncode\n```\n@a.md",
        "```not a fence``` @a.md",
        "a ` stray tick @a.md",
        "a ` stray tick\n\n@a.md and another `",
        "- a ` stray tick\n- @a.md and another `",
        "a ` @no.md ` and @a.md",
        r"an escaped \` tick @a.md `",
        "`` two @a.md and one `",
        "    @a.md",
    ],
)
def test_what_only_looks_like_code_is_read(text: str) -> None:
    assert targets(text) == ["/work/app/docs/a.md"]


@requirement("briefing.docs.import-text-only")
@pytest.mark.parametrize(
    "name", ["a.png", "a.tar.gz", "a.exe", ".env", ".env.local", ".netrc", ".npmrc", "x/.pgpass"]
)
def test_files_that_are_no_text(name: str) -> None:
    assert not is_text_file(Path(name))


@requirement("briefing.docs.import-bare-name")
@pytest.mark.parametrize("name", ["a.md", "A.MD", "LICENSE", "Makefile", "a.b.py", ".cursorrules"])
def test_files_that_are_text(name: str) -> None:
    assert is_text_file(Path(name))


def test_the_extensions_are_written_in_lower_case_with_their_dot() -> None:
    assert all(re.fullmatch(r"\.[a-z0-9]+", each) for each in TEXT_FILE_EXTENSIONS)
    assert {".md", ".txt", ".json", ".toml", ".py"} <= TEXT_FILE_EXTENSIONS


words = st.text(st.sampled_from("@ab ./\\#~\n\t`>-1.é"), max_size=60)


@given(st.one_of(words, st.text(max_size=60)))
@example("@\\ ")
def test_any_text_has_imports_of_absolute_paths_on_lines_that_exist(text: str) -> None:
    lines = text.split("\n")
    for each in find_imports(text, IMPORTER, HOME):
        assert each.spec in lines[each.line - 1]
        assert each.target.is_absolute()
        assert ".." not in each.target.parts
        assert not str(each.target).startswith("//")


@given(st.text(st.sampled_from("@ab ./\\#~\n\t-1é"), max_size=60))
def test_outside_of_code_each_import_is_one_of_the_documented_grammar(text: str) -> None:
    documented = SEED.findall(text)
    found = [each.spec[1:] for each in find_imports(text, IMPORTER, HOME)]
    assert [spec for spec in documented if spec in found] or not found
    assert set(found) <= set(documented)
    for spec in documented:
        if re.fullmatch(r"[ab]+", spec):
            assert f"/work/app/docs/{spec}" in targets(text)


@pytest.mark.parametrize(
    "hostile",
    ["` ", "\\`", "``` ", "- ", "> ", "1. ", "@", "@a ", "\n@a", "~~~\n", "\\ ", "@\\ ", "`" * 9],
)
def test_the_time_grows_with_the_text_and_not_faster(hostile: str) -> None:
    text = hostile * (200_000 // len(hostile)) + " @a"
    ticks = "".join("`" * length + " " for length in range(600)) + "@a"
    began = time.process_time()
    find_imports(text, IMPORTER, HOME)
    find_imports(ticks, IMPORTER, HOME)
    assert time.process_time() - began < 5
