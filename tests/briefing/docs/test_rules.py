"""Folders of rules: which always hold, which wait for a file, and which cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.briefing.rules import MOST_GLOBS, MOST_RULES, Rules, load_rules
from tests.briefing.docs.place import Place


def load(place: Place) -> Rules:
    return load_rules([place.cwd / ".claude/rules"], place.files, place.cwd, place.home)


def globs_of(place: Place, head: str) -> tuple[str, ...]:
    place.write("./.claude/rules/a.md", f"---\n{head}\n---\nBody.")
    [rule] = load(place).rules
    return rule.globs


def test_a_rule_without_front_matter_always_holds(place: Place) -> None:
    path = place.write("./.claude/rules/a.md", "\nBe kind.\n")
    [rule] = load(place).rules
    assert (rule.path, rule.body, rule.globs) == ("./.claude/rules/a.md", "Be kind.", ())
    assert (rule.file, rule.line) == (str(path), 2)


def test_a_rule_with_paths_knows_where_its_body_begins(place: Place) -> None:
    place.write("./.claude/rules/a.md", "---\npaths:\n  - src/**/*.ts\n---\n\n# Style\n")
    [rule] = load(place).rules
    assert (rule.body, rule.line, rule.globs) == ("# Style", 6, ("src/**/*.ts",))


@pytest.mark.parametrize(
    ("head", "globs"),
    [
        ("paths: src/**/*.ts", ("src/**/*.ts",)),
        ("paths: 'src/**/*.ts'", ("src/**/*.ts",)),
        ("paths: src/a.py, src/b.py", ("src/a.py", "src/b.py")),
        ("paths: 'src/**/*.{ts,tsx}, lib/**'", ("src/**/*.{ts,tsx}", "lib/**")),
        ("paths: ['src/**', \"lib/**\"]", ("src/**", "lib/**")),
        ("paths:\n- src/**\n- 'lib/*.{a,b}'", ("src/**", "lib/*.{a,b}")),
        ("paths: |\n  src/**\n  lib/**", ("src/**", "lib/**")),
        ("globs: src/**", ("src/**",)),
        ("description: x\nglobs: '*.py'", ("*.py",)),
        ("paths:\nglobs: ignored", ()),
        ("paths: []", ()),
        ("description: all the time", ()),
        ("paths: 2024", ("2024",)),
    ],
)
def test_paths_in_yaml(place: Place, head: str, globs: tuple[str, ...]) -> None:
    assert globs_of(place, head) == globs
    assert load(place).notes == ()


@pytest.mark.parametrize(
    ("head", "globs"),
    [
        ("paths: **/*.ts", ("**/*.ts",)),
        ("paths: *.ts, *.tsx # both", ("*.ts", "*.tsx")),
        ("paths: {src,lib}/**/*.ts", ("{src,lib}/**/*.ts",)),
        ("paths: {src,lib}", ("{src,lib}",)),
        ("paths: [**/*.ts, 'b']", ("**/*.ts", "b")),
        ('paths:\n  - **/*.ts\n  - "*.md" # docs\ndescription: x', ("**/*.ts", "*.md")),
        ("paths:\n  - {a,b}.ts\n  - 5", ("{a,b}.ts", "5")),
        ("globs: *.py\nalwaysApply: false", ("*.py",)),
    ],
)
def test_paths_that_their_author_did_not_quote(
    place: Place, head: str, globs: tuple[str, ...]
) -> None:
    assert globs_of(place, head) == globs


@pytest.mark.parametrize("head", ["paths:\n  src: yes", "paths:\n  - [a, b]", "paths: [{a: b}]"])
def test_paths_that_are_no_globs_leave_the_rule_out_and_are_told(place: Place, head: str) -> None:
    place.write("./.claude/rules/a.md", f"---\nname: x\n{head}\n---\nBody.")
    found = load(place)
    assert found.rules == ()
    remedy = "`paths` is a glob or a list of globs, such as src/**/*.py"
    told = [note.sentence() for note in found.notes]
    assert told == [f"./.claude/rules/a.md:3: left out: {remedy}"]


def test_a_glob_that_cannot_be_used_is_told_and_the_others_count(place: Place) -> None:
    wide = "{a,b}" * 7
    place.write("./.claude/rules/a.md", f"---\npaths: ['{wide}', 'src/**']\n---\nBody.")
    place.write("./.claude/rules/b.md", f"---\npaths: ['{wide}']\n---\nBody.")
    found = load(place)
    assert [rule.path for rule in found.rules] == ["./.claude/rules/a.md"]
    reason = f"the glob {wide} matches nothing: its braces stand for more than 64 alternatives"
    assert [note.sentence() for note in found.notes] == [
        f"./.claude/rules/a.md:2: {reason}",
        f"./.claude/rules/b.md:2: {reason}",
    ]


def test_too_many_globs_are_told(place: Place) -> None:
    many = ", ".join(f"f{number}" for number in range(MOST_GLOBS + 1))
    place.write("./.claude/rules/a.md", f"---\npaths: {many}\n---\nBody.")
    assert [note.sentence() for note in load(place).notes] == [
        "./.claude/rules/a.md:2: only the first 100 globs count"
    ]


def test_front_matter_that_never_ends_counts_as_text_and_is_told(place: Place) -> None:
    place.write("./.claude/rules/a.md", "---\npaths: src/**\nBody.")
    found = load(place)
    assert [rule.globs for rule in found.rules] == [()]
    assert [note.line for note in found.notes] == [1]


def test_a_tree_of_rules_is_read_in_order_without_hidden_and_other_files(place: Place) -> None:
    for name in ("b.md", "a.MD", "z/c.md", "y/x/d.md", ".hidden.md", ".git/e.md", "notes.txt"):
        place.write(f"./.claude/rules/{name}", name)
    assert [rule.body for rule in load(place).rules] == ["a.MD", "b.md", "y/x/d.md", "z/c.md"]


def test_links_are_followed_and_a_circle_ends(place: Place) -> None:
    place.write("~/shared/s.md", "shared")
    real = place.write("./.claude/rules/a.md", "a")
    place.link("./.claude/rules/shared", place.home / "shared")
    place.link("./.claude/rules/loop", place.cwd / ".claude")
    place.link("./.claude/rules/z.md", real)
    assert [rule.body for rule in load(place).rules] == ["a", "shared"]


def test_a_rule_that_cannot_be_read_costs_only_itself(place: Place) -> None:
    place.write("./.claude/rules/a.md", b"\0")
    place.write("./.claude/rules/b.md", "b")
    place.link("./.claude/rules/c.md", place.cwd / "nowhere")
    os.mkfifo(place.cwd / ".claude/rules/d.md")
    place.write("./.claude/rules/e.md", "")
    found = load(place)
    assert [rule.body for rule in found.rules] == ["b"]
    assert [note.file for note in found.notes] == ["./.claude/rules/a.md"]


def test_rules_are_bounded_in_number_and_depth_and_that_is_told(place: Place) -> None:
    for number in range(MOST_RULES + 5):
        place.write(f"./.claude/rules/{number:04}.md", "x")
    found = load(place)
    assert len(found.rules) == MOST_RULES - 1
    [note] = found.notes
    assert note.reason == "not read, and nothing after it: over 500 rules and folders"


def test_empty_folders_count_as_well(place: Place) -> None:
    for number in range(MOST_RULES + 5):
        (place.cwd / f".claude/rules/{number:04}").mkdir(parents=True)
    [note] = load(place).notes
    assert note.file == "./.claude/rules/0499"


def test_folders_that_are_too_deep_are_told(place: Place) -> None:
    place.write("./.claude/rules/" + "d/" * 11 + "a.md", "deep")
    found = load(place)
    assert found.rules == ()
    [note] = found.notes
    assert note.reason == "the folders in it are not read: it lies 10 deep"


def test_a_long_rule_is_cut_and_told(place: Place) -> None:
    place.write("./.claude/rules/a.md", "---\npaths: a\n---\n" + "x\n" * 30_000)
    found = load(place)
    assert [(len(rule.body), rule.cut) for rule in found.rules] == [(40_000, 19_999)]
    assert [note.line for note in found.notes] == [20_004]


def test_a_rule_that_always_holds_is_a_document_after_the_chain_and_imports(place: Place) -> None:
    place.write("./AGENTS.md", "app")
    place.write("~/AGENTS.md", "home")
    path = place.write("./.claude/rules/a.md", "---\ntitle: x\n---\nrule @b.txt")
    place.write("./.claude/rules/b.txt", "imported")
    place.write("./.claude/rules/c.md", "---\npaths: src/**\n---\nonly there")
    found = place.gather(rules=(place.cwd / ".claude/rules",))
    assert [doc.body for doc in found.docs] == ["app", "rule @b.txt", "imported", "home"]
    assert (found.docs[1].file, found.docs[1].line) == (str(path), 4)
    assert found.docs[2].importer == f"{path}:4"


def test_a_rule_that_a_document_imports_appears_once(place: Place) -> None:
    place.write("./AGENTS.md", "app @.claude/rules/a.md")
    place.write("./.claude/rules/a.md", "rule")
    found = place.gather(rules=(place.cwd / ".claude/rules",))
    assert [doc.body for doc in found.docs] == ["app @.claude/rules/a.md", "rule"]


def test_rules_whose_names_differ_only_in_what_cannot_be_shown_are_two(place: Place) -> None:
    for name in (b"a\xfe.md", b"a\xff.md"):
        place.write(f"./.claude/rules/{os.fsdecode(name)}", repr(name))
    found = place.gather(rules=(place.cwd / ".claude/rules",))
    assert len(found.docs) == 2
    assert {doc.path for doc in found.docs} == {"./.claude/rules/a\ufffd.md"}


def test_a_folder_of_rules_that_is_not_there_has_none(place: Place) -> None:
    assert load(place) == Rules()
    assert load_rules([Path("/no\0where")], place.files, place.cwd, place.home).rules == ()
