"""Skill files in the shapes that people have them in."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.briefing import SkillCard, SkillDiagnostic, SkillOutcomeKind
from induscode.briefing.skill_file import SKILL_FILE_BYTES
from tests.briefing.skills.trees import foreign, loaded, only_card, only_told, ours

BODY = "\n# Steps\n\nDo it.\n"


def written(root: Path, data: bytes | str, name: str = "demo") -> Path:
    file = root / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return root


def card_of(root: Path, data: bytes | str) -> SkillCard:
    return only_card(loaded(written(root, data)))


def told_of(root: Path, data: bytes | str) -> SkillDiagnostic:
    return only_told(loaded(written(root, data)))


@pytest.mark.parametrize(
    ("field", "description"),
    [
        ("description: Fills forms", "Fills forms"),
        ('description: "Fills forms: all of them"', "Fills forms: all of them"),
        ("description: 'It''s for forms # and more'", "It's for forms # and more"),
        ('description: "Says \\"hi\\""', 'Says "hi"'),
        ("description: >\n  Fills\n  forms.\n\n  Well.", "Fills forms. Well."),
        ("description: >-\n  Fills\n  forms.", "Fills forms."),
        ("description: |\n  Fills forms.\n    - and more", "Fills forms. - and more"),
        ("description: Fills\n  forms\n  well", "Fills forms well"),
        ('description: "Fills\n  forms"', "Fills forms"),
        ("description:   Fills   forms   ", "Fills forms"),
        ("description: Fills forms # not this", "Fills forms"),
        ("description: 填写表格。当用户要求时使用", "填写表格。当用户要求时使用"),
        ("description: Füllt — “alles” 🚀", "Füllt — “alles” 🚀"),
        ("description: C# and http://a.b/c:d", "C# and http://a.b/c:d"),
        ("description: 2024", "2024"),
        ("description: true", "true"),
        ("description: 1.10", "1.10"),
        ("# a comment\ndescription: Fills forms", "Fills forms"),
        ("description: First\ndescription: Second", "Second"),
        ('"description": Fills forms', "Fills forms"),
        ("description: <b>Bold</b> & more", "<b>Bold</b> & more"),
    ],
)
def test_a_description_is_what_its_author_meant_on_one_line(
    tmp_path: Path, field: str, description: str
) -> None:
    text = f"---\nname: demo\n{field}\n---\n{BODY}"
    assert card_of(ours(tmp_path), text).description == description


@pytest.mark.parametrize(
    ("field", "description"),
    [
        ("description: Use when: forms are asked for", "Use when: forms are asked for"),
        ("description: [forms] and more", "[forms] and more"),
        ("description: @user asks", "@user asks"),
        ("description: `code` first", "`code` first"),
        ("description: * all", "* all"),
        ('description: "Forms" and more', '"Forms" and more'),
    ],
)
def test_a_value_that_lacks_its_quotes_is_read_in_shared_folders_and_refused_in_ours(
    tmp_path: Path, field: str, description: str
) -> None:
    text = f"---\nname: demo\n{field}\n---\n{BODY}"
    assert card_of(foreign(tmp_path), text).description == description
    (note,) = told_of(foreign(tmp_path), text).notes
    assert note.startswith("line 3: front matter: not YAML")
    told = told_of(ours(tmp_path), text)
    assert told.kind is SkillOutcomeKind.INVALID
    assert "in quotes" in told.detail


def test_a_skill_of_another_program_loads_with_all_its_keys(tmp_path: Path) -> None:
    head = """\
name: demo
description: Reviews code
model: sonnet
context: fork
agent: Explore
user-invocable: false
argument-hint: "[file] [branch]"
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./check.sh
paths:
  - "src/**"
allowed-tools: Read, Grep, Bash(git diff:*)"""
    root = written(foreign(tmp_path), f"---\n{head}\n---\n{BODY}")
    load = loaded(root)
    assert only_card(load).frontmatter.allowed_tools == ("Read", "Grep", "Bash(git diff:*)")
    assert len(only_told(load).notes) == 7


def test_carriage_returns_make_no_difference(tmp_path: Path) -> None:
    text = f"---\nname: demo\ndescription: >\n  Fills\n  forms\n---\n{BODY}"
    plain = card_of(ours(tmp_path / "a"), text)
    other = card_of(ours(tmp_path / "b"), text.replace("\n", "\r\n"))
    assert (other.description, other.body) == (plain.description, plain.body)
    assert (other.line, other.body_line) == (plain.line, plain.body_line) == (3, 8)


def test_a_byte_order_mark_is_a_note(tmp_path: Path) -> None:
    text = "\ufeff---\ndescription: Fills forms\n---\nDo it.\n"
    card = card_of(ours(tmp_path), text)
    assert (card.description, card.line) == ("Fills forms", 2)
    (note,) = told_of(ours(tmp_path), text).notes
    assert "byte order mark" in note


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\U000e0041\U000e0042"])
def test_characters_that_nobody_sees_are_told(tmp_path: Path, hidden: str) -> None:
    said = "an invisible character" if len(hidden) == 1 else "2 invisible characters"
    in_body = f"---\ndescription: Fills\n---\nDo it.{hidden}\n"
    (note,) = told_of(foreign(tmp_path), in_body).notes
    assert f"line 1: file: it has {said}" in note
    in_description = f"---\nname: demo\ndescription: Fills{hidden} more\n---\nDo it.\n"
    notes = told_of(foreign(tmp_path), in_description).notes
    assert f"line 3: description: it has {said}" in notes[-1]


def test_characters_that_nobody_sees_are_told_also_when_they_are_spelled_out(
    tmp_path: Path,
) -> None:
    text = '---\ndescription: "Fills\\u200b\\u202e forms"\n---\nDo it.\n'
    (note,) = told_of(ours(tmp_path), text).notes
    assert "line 2: description: it has 2 invisible characters" in note


@pytest.mark.parametrize("control", ["\\u001b[2J", "\\0", "\\x7f", "\\a", "\\x9b"])
def test_control_characters_never_get_into_a_description(tmp_path: Path, control: str) -> None:
    text = f'---\ndescription: "Fills{control} forms"\n---\nDo it.\n'
    told = told_of(foreign(tmp_path), text)
    assert told.kind is SkillOutcomeKind.INVALID
    assert "line 2: description: it has control characters" in told.detail


@pytest.mark.parametrize("control", ["\x1b[2J", "\x07", "\x7f", "\x9b"])
def test_nor_do_they_where_a_header_is_no_yaml_because_of_them(
    tmp_path: Path, control: str
) -> None:
    text = f"---\ndescription: Fills{control} forms\n---\nDo it.\n"
    assert told_of(foreign(tmp_path), text).kind is SkillOutcomeKind.INVALID


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b" \n\n", "it is empty"),
        (b"---\ndescription: x\n---\n\x00\x01", "it is binary"),
        (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
        (b"---\ndescription: caf\xe9\n---\n", "line 2: file: it is not UTF-8"),
        ("---\ndescription: x\n---\n".encode("utf-16"), "not UTF-8"),
        (b"# Just text\n", "front matter: there is none"),
        (b"---\ndescription: x\n", "it never ends"),
        (b"---\ndescription: x\n----\n", "it never ends"),
        (b"\n\n---\ndescription: x\n---\n", "line 3: front matter: it does not begin on the first"),
        (b"---\n- a\n- b\n---\n", "front matter: it has no fields"),
        (b"---\nplain\n---\n", "front matter: it has no fields"),
        (b"---\ndescription: {a: b}\n---\n", "line 2: description: it is not a text"),
        (b"---\ndescription: x\nname: [a]\n---\n", "line 3: name: it is not a text"),
        (b"---\n? [a]\n: b\n---\n", "front matter: "),
        (b"---\na: &x [*x]\n---\n", "front matter: "),
        (b"---\ndescription: " + b"[" * 5000 + b"\n---\n", "front matter: "),
        (b"---\ndescription: x\n---\n" + b"x" * SKILL_FILE_BYTES, "it is larger than 512 KB"),
    ],
)
def test_what_is_no_skill_says_why_and_what_to_do(tmp_path: Path, data: bytes, said: str) -> None:
    told = told_of(ours(tmp_path), data)
    assert told.kind is SkillOutcomeKind.INVALID
    assert said in told.detail
    assert told.detail.endswith(")"), "a remedy stands at its end"
    assert len(told.detail) < 500


def test_a_file_of_just_the_largest_size_loads(tmp_path: Path) -> None:
    head = b"---\ndescription: x\n---\n"
    card = card_of(ours(tmp_path), head + b"x" * (SKILL_FILE_BYTES - len(head)))
    assert len(card.body) == SKILL_FILE_BYTES - len(head)


def test_a_skill_without_a_body_loads_with_a_note(tmp_path: Path) -> None:
    text = "---\ndescription: Fills forms\n---"
    assert card_of(ours(tmp_path), text).body == ""
    (note,) = told_of(ours(tmp_path), text).notes
    assert "body: it is empty" in note


def test_a_key_that_is_given_twice_is_a_note(tmp_path: Path) -> None:
    text = "---\ndescription: One\ndescription: Two\n---\nDo it.\n"
    (note,) = told_of(ours(tmp_path), text).notes
    assert note.startswith("line 3: description: it is given twice")


def test_a_fence_inside_the_body_is_text(tmp_path: Path) -> None:
    text = "---\ndescription: x\n---\nabove\n---\nbelow\n"
    assert card_of(ours(tmp_path), text).body == "above\n---\nbelow"
