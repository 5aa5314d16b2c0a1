"""What makes a file a skill: its name, its description, its keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.briefing import (
    SKILL_DESCRIPTION_LIMIT,
    SKILL_NAME_LIMIT,
    SkillFrontmatter,
    SkillOutcomeKind,
    load_skill_cards,
)
from induscode.briefing.skill_rules import KNOWN_FRONTMATTER_KEYS, SKILL_COMPATIBILITY_LIMIT
from tests.briefing.skills.trees import (
    PROJECT,
    foreign,
    loaded,
    loose,
    names,
    only_card,
    only_told,
    ours,
    packaged,
)
from tests.requirements import requirement

INVALID = SkillOutcomeKind.INVALID
FOREIGN_KEYS = ("model", "context", "user-invocable", "argument-hint", "hooks", "paths", "version")


@requirement("briefing.skill.card-fields")
def test_a_card_has_all_that_the_file_says_and_where_it_says_so(tmp_path: Path) -> None:
    head = """\
name: pdf-forms
license: MIT
description: Fills PDF forms
compatibility: needs qpdf
metadata:
  author: someone
  version: 2
allowed-tools: read bash"""
    file = packaged(ours(tmp_path), "pdf-forms", head, "\n\n# Forms\n\nOpen it.\n\n")
    card = only_card(loaded(ours(tmp_path)))
    assert (card.name, card.description) == ("pdf-forms", "Fills PDF forms")
    assert card.body == "# Forms\n\nOpen it."
    assert (card.location, card.origin) == (file, PROJECT)
    assert card.location.is_absolute()
    assert card.frontmatter == SkillFrontmatter(
        name="pdf-forms",
        description="Fills PDF forms",
        license="MIT",
        compatibility="needs qpdf",
        metadata={"author": "someone", "version": 2},
        allowed_tools=("read", "bash"),
    )
    lines = file.read_text().splitlines()
    assert lines[card.line - 1] == "description: Fills PDF forms"
    assert lines[card.body_line - 1] == "# Forms"


def test_a_relative_root_gives_absolute_locations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged(tmp_path / "skills", "one")
    monkeypatch.chdir(tmp_path)
    assert only_card(loaded(Path("skills"))).location == tmp_path / "skills" / "one" / "SKILL.md"


@requirement("briefing.skill.name-equals-folder")
def test_a_declared_name_must_be_the_folders(tmp_path: Path) -> None:
    packaged(tmp_path, "folder", "name: other\ndescription: Helps")
    told = only_told(loaded(tmp_path))
    assert told.kind is INVALID
    assert "'other' is not the name of its folder, 'folder'" in told.detail


def test_without_a_declared_name_the_folders_counts_and_must_be_one(tmp_path: Path) -> None:
    packaged(tmp_path, "good", "description: Helps")
    packaged(tmp_path, "Not_Good", "description: Helps")
    load = loaded(tmp_path)
    assert names(load) == ["good"]
    assert "the folder's name 'Not_Good'" in load.diagnostics[0].detail
    assert "e.g. not-good" in load.diagnostics[0].detail


@requirement("briefing.skill.name-pattern")
@pytest.mark.parametrize(
    "name",
    [
        "Upper",
        "a_b",
        "a--b",
        "-a",
        "a-",
        "a b",
        "a.b",
        "ärger",
        "日本",
        "a/b",
        "a\u200bb",
        "ª1",
        "①",
    ],
)
def test_any_other_name_is_invalid(tmp_path: Path, name: str) -> None:
    loose(tmp_path, "file.md", f"name: {name}\ndescription: Helps")
    assert only_told(loaded(tmp_path)).kind is INVALID


@requirement("briefing.skill.name-pattern")
@pytest.mark.parametrize("name", ["a", "9", "2024", "007", "a-b-c", "pdf2text", "true", "null-x"])
def test_words_of_lowercase_letters_and_digits_are_a_name(tmp_path: Path, name: str) -> None:
    packaged(tmp_path, name)
    assert names(loaded(tmp_path)) == [name]


@requirement("briefing.skill.name-limit", "briefing.surface.skill-limits")
def test_a_name_has_at_most_64_characters(tmp_path: Path) -> None:
    assert SKILL_NAME_LIMIT == 64
    packaged(tmp_path, "a" * 64)
    packaged(tmp_path, "b" * 65)
    load = loaded(tmp_path)
    assert names(load) == ["a" * 64]
    assert "longer than 64 characters" in load.diagnostics[1].detail


@requirement("briefing.skill.description-required")
@pytest.mark.parametrize(
    "head",
    ["name: one", "name: one\ndescription:", "name: one\ndescription: '  '", "", "description: []"],
)
def test_without_a_description_there_is_no_skill(tmp_path: Path, head: str) -> None:
    packaged(tmp_path, "one", head)
    told = only_told(loaded(tmp_path))
    assert told.kind is INVALID
    assert "description: it is" in told.detail


@requirement("briefing.skill.description-limit", "briefing.surface.skill-limits")
def test_a_description_has_at_most_1024_characters(tmp_path: Path) -> None:
    assert SKILL_DESCRIPTION_LIMIT == 1024
    packaged(tmp_path, "fits", f"description: {'ä' * 1024}")
    packaged(tmp_path, "over", f"description: {'a' * 1025}")
    load = loaded(tmp_path)
    assert names(load) == ["fits"]
    assert "1,025 characters, more than 1,024" in load.diagnostics[1].detail


@requirement("briefing.skill.unknown-key")
@pytest.mark.parametrize("folder", [".indus", ".indusagi"])
@pytest.mark.parametrize("key", FOREIGN_KEYS)
def test_in_folders_of_ours_an_unknown_key_is_an_error(
    tmp_path: Path, folder: str, key: str
) -> None:
    root = tmp_path / folder / "skills"
    packaged(root, "one", f"name: one\ndescription: Helps\n{key}: x")
    told = only_told(loaded(root))
    assert told.kind is INVALID
    assert told.detail.startswith(f"line 4: {key}: the format has no such key")


@requirement("briefing.skill.unknown-key-foreign")
@pytest.mark.parametrize("folder", [".claude", ".agents", "anywhere"])
@pytest.mark.parametrize("key", FOREIGN_KEYS)
def test_in_shared_folders_an_unknown_key_is_a_note(tmp_path: Path, folder: str, key: str) -> None:
    root = tmp_path / folder / "skills"
    packaged(root, "one", f"name: one\ndescription: Helps\n{key}: x")
    load = loaded(root)
    assert only_card(load).frontmatter.unknown == (key,)
    (note,) = only_told(load).notes
    assert note.startswith(f"line 4: {key}: the format has no such key")


def test_whoever_loads_may_say_how_strict_a_folder_is(tmp_path: Path) -> None:
    for root in (ours(tmp_path), foreign(tmp_path)):
        packaged(root, "one", "name: one\ndescription: Helps\nmodel: x")
        assert names(load_skill_cards(root, PROJECT, lenient=True)) == ["one"]
        assert names(load_skill_cards(root, PROJECT, lenient=False)) == []


@pytest.mark.parametrize("key", ["allowed_tools", "Description", "disable_model_invocation"])
def test_a_key_that_was_nearly_right_names_the_right_one(tmp_path: Path, key: str) -> None:
    packaged(ours(tmp_path), "one", f"name: one\ndescription: Helps\n{key}: x")
    meant = key.lower().replace("_", "-")
    assert f"did you mean {meant}?" in only_told(loaded(ours(tmp_path))).detail


def test_the_known_keys_are_the_formats(tmp_path: Path) -> None:
    head = "\n".join(
        f"{key}: {{a: b}}" if key == "metadata" else f"{key}: one" for key in KNOWN_FRONTMATTER_KEYS
    )
    packaged(ours(tmp_path), "one", head)
    assert only_card(loaded(ours(tmp_path))).frontmatter.unknown == ()


@requirement("briefing.skill.allowed-tools")
@pytest.mark.parametrize(
    ("written", "tools"),
    [
        ("Read Grep", ("Read", "Grep")),
        ("Read,Grep , Glob", ("Read", "Grep", "Glob")),
        ("Read, Bash(git diff *), Bash(npm run test:*)",
         ("Read", "Bash(git diff *)", "Bash(npm run test:*)")),
        ("[Read, Grep]", ("Read", "Grep")),
        ("\n  - Read\n  - Bash(ls -l, x)", ("Read", "Bash(ls -l, x)")),
        ("mcp__server__tool", ("mcp__server__tool",)),
        ("''", ()),
        ("[]", ()),
        ("", None),
    ],
)  # fmt: skip
def test_allowed_tools_are_split_at_white_space_and_commas(
    tmp_path: Path, written: str, tools: tuple[str, ...] | None
) -> None:
    packaged(tmp_path, "one", f"description: Helps\nallowed-tools: {written}")
    assert only_card(loaded(tmp_path)).frontmatter.allowed_tools == tools


@pytest.mark.parametrize(
    "written",
    ["Bash(git", "Bash git)", "Bash) git(", "7", "{a: b}", "[Read, 7]", "[[Read]]", "true"],
)
def test_allowed_tools_that_cannot_be_read_never_let_a_skill_do_more(
    tmp_path: Path, written: str
) -> None:
    packaged(tmp_path, "one", f"description: Helps\nallowed-tools: {written}")
    assert only_told(loaded(tmp_path)).kind is INVALID


def test_allowed_tools_are_not_lost_with_a_header_that_is_no_yaml(tmp_path: Path) -> None:
    head = 'description: "Helps\nallowed-tools:\n  - Read\n - [: broken'
    packaged(tmp_path, "one", head)
    load = loaded(tmp_path)
    assert all(card.frontmatter.allowed_tools is not None for card in load.cards)


@requirement("briefing.skill.disable-model-invocation")
@pytest.mark.parametrize(
    ("written", "hidden"),
    [("true", True), ("'true'", True), ("false", False), ("yes", False), ("1", False),
     ("on", False), ("[true]", False), ("", False)],
)  # fmt: skip
def test_only_true_hides_a_skill_from_the_model(tmp_path: Path, written: str, hidden: bool) -> None:
    packaged(tmp_path, "one", f"description: Helps\ndisable-model-invocation: {written}")
    assert only_card(loaded(tmp_path)).frontmatter.disable_model_invocation is hidden


def test_a_value_that_is_neither_true_nor_false_is_noted(tmp_path: Path) -> None:
    packaged(tmp_path, "one", "description: Helps\ndisable-model-invocation: yes")
    (note,) = only_told(loaded(tmp_path)).notes
    assert "line 3: disable-model-invocation: 'yes' is neither true nor false" in note


@pytest.mark.parametrize(
    "field",
    ["license: [MIT]", "metadata: text", "compatibility: {a: b}",
     f"compatibility: {'c' * (SKILL_COMPATIBILITY_LIMIT + 1)}"],
)  # fmt: skip
def test_a_field_of_the_wrong_kind_is_an_error_in_our_folders_and_a_note_elsewhere(
    tmp_path: Path, field: str
) -> None:
    for root in (ours(tmp_path), foreign(tmp_path)):
        packaged(root, "one", f"description: Helps\n{field}")
    assert only_told(loaded(ours(tmp_path))).kind is INVALID
    (note,) = only_told(loaded(foreign(tmp_path))).notes
    assert note.startswith(f"line 3: {field.partition(':')[0]}: ")


def test_compatibility_may_be_500_characters_long(tmp_path: Path) -> None:
    packaged(ours(tmp_path), "one", f"description: Helps\ncompatibility: {'c' * 500}")
    assert names(loaded(ours(tmp_path))) == ["one"]


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    packaged(ours(tmp_path), "one", "name: Two\nmodel: x")
    detail = only_told(loaded(ours(tmp_path))).detail
    assert "line 1: description: it is missing" in detail
    assert "line 2: name: 'Two' is not the name of its folder" in detail
    assert "line 3: model: " in detail
