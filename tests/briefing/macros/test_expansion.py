"""What a macro becomes, and the file and line behind each stretch of it."""

from pathlib import Path

import pytest

from induscode.briefing.contract import BriefingFault, BriefingFaultKind, MacroDef, MacroOrigin
from induscode.briefing.macro_files import read_macro_file
from induscode.briefing.macros import (
    EXPANDED_CHARACTERS,
    EXPANDED_PARTS,
    apply_macros,
    expansion,
)
from induscode.kernel.provenance import SourcePart

FILE = "/repo/.indus/commands/fix.md"


def fix(body: str, line: int = 1) -> MacroDef:
    return MacroDef("fix", "", body, MacroOrigin.PROJECT, Path(FILE), line)


def behind(macro: MacroDef, raw: str) -> list[tuple[str, int | None]]:
    """Each line of the text, from each part's start to its end, with its line in the file."""
    expanded = expansion(macro, raw)
    ends = [part.start for part in expanded.parts[1:]] + [len(expanded.text)]
    found: list[tuple[str, int | None]] = []
    for part, end in zip(expanded.parts, ends, strict=True):
        lines = expanded.text[part.start : end].split("\n")
        found += [(text, part.line + at if part.file else None) for at, text in enumerate(lines)]
    return found


def test_a_text_without_arguments_is_one_stretch_of_its_file() -> None:
    expanded = expansion(fix("one\ntwo", line=5), "")
    assert expanded.text == "one\ntwo"
    assert expanded.parts == (SourcePart(0, FILE, 5),)


def test_an_argument_comes_from_no_file_and_what_follows_it_from_its_own_line() -> None:
    assert behind(fix("a\nb $1 c\n$2d\ne", line=3), "'x\ny' z") == [
        ("a", 3),
        ("b ", 4),
        ("x", None),
        ("y", None),
        (" c", 4),
        ("", 5),
        ("z", None),
        ("d", 5),
        ("e", 6),
    ]


def test_a_placeholder_that_spans_lines_does_not_move_the_lines_after_it() -> None:
    assert behind(fix("{{\narg.1\n}}a\nb"), "x") == [("x", None), ("a", 3), ("b", 4)]


def test_an_escape_is_part_of_the_text_around_it() -> None:
    expanded = expansion(fix("a $$ {{{{\nb $1"), "x")
    assert expanded.text == "a $ {{\nb x"
    assert expanded.parts == (SourcePart(0, FILE, 1), SourcePart(9, ""))


def test_arguments_side_by_side_are_one_stretch_and_empty_ones_none() -> None:
    expanded = expansion(fix("$1$2{{arg.all}}"), "x y")
    assert (expanded.text, expanded.parts) == ("xyx y", (SourcePart(0, ""),))
    assert expansion(fix("$1"), "").parts == ()


def test_the_text_is_what_the_body_resolves_to() -> None:
    body, raw = "{{arg.1}} $2\n{{arg.rest}} $$ ${@:1:1} {{x", "a 'b c' $1"
    assert expansion(fix(body), raw).text == apply_macros(body, raw)


def test_arguments_that_a_macro_has_no_place_for_follow_after_a_blank_line() -> None:
    macro = fix("Mend it.\nCosts $$5.")
    assert expansion(macro, "").text == expansion(macro, "  \n").text == "Mend it.\nCosts $5."
    assert expansion(macro, "  the 'login'\n page ").text == (
        "Mend it.\nCosts $5.\n\nthe 'login'\n page"
    )
    assert behind(macro, "now")[-1] == ("now", None)
    assert expansion(fix("Mend $2."), "it").text == "Mend ."


def test_the_line_is_that_of_the_file_below_its_front_matter(tmp_path: Path) -> None:
    file = tmp_path / "fix.md"
    file.write_text("---\ndescription: x\n---\n\n\nfirst\nsecond $1 third\n")
    macro = read_macro_file(file, MacroOrigin.USER, "")
    assert behind(macro, "x") == [("first", 6), ("second ", 7), ("x", None), (" third", 7)]
    lines = file.read_text().split("\n")
    for text, line in behind(macro, "x"):
        assert line is None or text in lines[line - 1]


def test_a_folder_whose_name_is_no_text_is_named_in_a_form_that_is() -> None:
    macro = MacroDef("a", "", "x", MacroOrigin.USER, Path("/\udcff/a.md"))
    assert expansion(macro, "").parts == (SourcePart(0, "/\\udcff/a.md"),)


@pytest.mark.parametrize(
    ("body", "raw"),
    [("$1" * 1_000, "x" * (EXPANDED_CHARACTERS // 500)), ("$1x" * EXPANDED_PARTS, "y")],
)
def test_a_macro_that_would_become_too_large_is_a_fault(body: str, raw: str) -> None:
    with pytest.raises(
        BriefingFault, match=r"fix\.md: with these arguments /fix becomes"
    ) as raised:
        expansion(fix(body), raw)
    assert raised.value.kind is BriefingFaultKind.MACRO_INVALID


def test_a_large_argument_for_which_there_is_room_is_no_fault() -> None:
    assert len(expansion(fix("$1"), "x" * EXPANDED_CHARACTERS).text) == EXPANDED_CHARACTERS
