"""Macros of one folder, in the plain form that raises."""

import os
from pathlib import Path

import pytest

from induscode.briefing.contract import (
    BriefingFault,
    BriefingFaultKind,
    MacroDef,
    MacroOrigin,
)
from induscode.briefing.macros import (
    DERIVED_DESCRIPTION_BUDGET,
    expand_invocation,
    load_macros,
    read_macro_file,
)
from tests.requirements import requirement


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    commands = tmp_path / "commands"
    commands.mkdir()
    return commands


def macro_of(folder: Path, text: str, label: str = "(project)") -> MacroDef:
    file = folder / "it.md"
    file.write_text(text)
    return read_macro_file(file, MacroOrigin.PROJECT, label)


@requirement("briefing.macro.example-deploy")
def test_the_documented_example_of_a_folder_and_a_line(folder: Path) -> None:
    (folder / "deploy.md").write_text("ship $1 in mode $2\n")
    macros = load_macros(folder, MacroOrigin.PROJECT, None)
    assert expand_invocation("/deploy staging fast", macros) == "ship staging in mode fast"


@requirement("briefing.macro.load-flat")
def test_only_the_markdown_files_directly_in_the_folder_are_read_and_in_order(folder: Path) -> None:
    for name in ("b.md", "a.md", "C.MD", ".hidden.md", ".md", "a.txt", "md", "x.md.bak"):
        (folder / name).write_text(name)
    (folder / "sub").mkdir()
    (folder / "sub" / "deep.md").write_text("deep")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "fifo.md")
    macros = load_macros(folder, MacroOrigin.USER)
    assert [(macro.name, macro.body) for macro in macros] == [
        ("C", "C.MD"),
        ("a", "a.md"),
        ("b", "b.md"),
    ]
    assert {macro.origin for macro in macros} == {MacroOrigin.USER}
    assert macros[1].source == folder / "a.md"


@requirement("briefing.macro.load-dedup")
def test_of_two_files_of_one_name_the_first_is_kept(folder: Path) -> None:
    (folder / "a.MD").write_text("first")
    (folder / "a.md").write_text("second")
    assert [macro.body for macro in load_macros(folder, MacroOrigin.USER)] == ["first"]


@requirement("briefing.macro.load-missing-dir")
def test_a_folder_that_is_missing_or_none_has_no_macros(folder: Path) -> None:
    (folder / "a.md").write_text("x")
    assert load_macros(folder / "none", MacroOrigin.USER) == []
    assert load_macros(folder / "a.md", MacroOrigin.USER) == []


@requirement("briefing.macro.load-unreadable", "briefing.fault.text")
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.write_bytes(b"a\0b")])
def test_a_file_that_cannot_be_read_raises_a_fault_that_names_it(folder: Path, make) -> None:
    file = folder / "a.md"
    make(file)
    with pytest.raises(BriefingFault, match=r"^macro invalid: .*a\.md: it ") as raised:
        read_macro_file(file, MacroOrigin.USER, "")
    assert raised.value.kind is BriefingFaultKind.MACRO_INVALID


def test_a_file_that_is_not_there_raises_a_fault(folder: Path) -> None:
    with pytest.raises(BriefingFault, match=r"none\.md: there is no such file"):
        read_macro_file(folder / "none.md", MacroOrigin.USER, "")


def test_a_folder_with_one_file_that_cannot_be_read_raises_that_fault(folder: Path) -> None:
    (folder / "a.md").write_text("fine")
    (folder / "b.md").write_bytes(b"\xff\xfe")
    with pytest.raises(BriefingFault, match=r"b\.md: line 1 is not UTF-8"):
        load_macros(folder, MacroOrigin.USER)


@requirement("briefing.macro.name")
@pytest.mark.parametrize("name", ["review.md", "review.MD", "review.Md"])
def test_the_name_is_that_of_the_file_without_its_ending(folder: Path, name: str) -> None:
    (folder / name).write_text("x")
    (macro,) = load_macros(folder, MacroOrigin.USER)
    assert macro.name == "review"


@requirement("briefing.macro.description-frontmatter")
def test_a_description_of_the_file_is_followed_by_the_label(folder: Path) -> None:
    text = "---\ndescription: Ship it\n---\nbody"
    assert macro_of(folder, text, "(mine)").description == "Ship it (mine)"
    assert macro_of(folder, text, "").description == "Ship it"
    (loaded,) = load_macros(folder, MacroOrigin.PROJECT)
    assert loaded.description == "Ship it (project)"
    (labelled,) = load_macros(folder, MacroOrigin.PROJECT, "[team]")
    assert labelled.description == "Ship it [team]"


@requirement("briefing.macro.description-derived", "briefing.macro.description-budget")
def test_without_one_it_is_the_first_line_of_the_body_within_its_budget(folder: Path) -> None:
    assert DERIVED_DESCRIPTION_BUDGET == 72
    assert macro_of(folder, "\n \n  Ship it \nnow").description == "Ship it"
    assert macro_of(folder, "---\ndescription:\n---\nShip it").description == "Ship it"
    for letter in ("x", "é", "😀"):
        assert macro_of(folder, letter * 72).description == letter * 72
        assert macro_of(folder, letter * 73).description == letter * 71 + "…"
    assert macro_of(folder, "").description == ""


def test_a_description_that_never_ends_is_cut(folder: Path) -> None:
    macro = macro_of(folder, f"---\ndescription: {'x' * 5_000}\n---\nbody")
    assert macro.description == "x" * 1_023 + "… (project)"


def test_a_macro_keeps_where_its_body_begins(folder: Path) -> None:
    assert macro_of(folder, "---\na: b\n---\n\n\n  body\n\n").line == 6
    assert macro_of(folder, "body").line == 1
