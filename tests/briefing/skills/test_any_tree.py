"""Whatever a folder holds, looking for skills in it ends, raises nothing and accounts for all."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from induscode.briefing import SkillOutcomeKind, SkillRoot, gather_skill_cards, load_skill_cards
from induscode.briefing.files import DiskFiles
from induscode.briefing.skill_walk import walk_candidates
from tests.briefing.skills.trees import PROJECT, USER
from tests.requirements import requirement

FOLDERS = ["a", "b", "a/c", "a/c/d", "b/node_modules", "b/.git", "b/e", ".h", "Bad_Name"]
FILES = ["SKILL.md", "skill.md", "one.md", "note.txt"]
HEADS = [
    b"",
    b"\xff\xfe",
    b"text\n",
    b"---\n---\n",
    b"---\ndescription: d\n---\nbody\n",
    b"---\nname: a\ndescription: d\n---\n",
    b"---\nname: e\ndescription: d\nmodel: m\n---\nb",
    b"---\r\ndescription: use when: x\r\n---\r\n",
]
places = st.sampled_from(["", *FOLDERS])
trees = st.tuples(
    st.lists(st.tuples(places, st.sampled_from(FILES), st.sampled_from(HEADS)), max_size=14),
    st.lists(
        st.tuples(places, st.sampled_from(["a", "b", "l", "m", "one.md", "SKILL.md"]), places),
        max_size=8,
    ),
)


def grown(
    root: Path, tree: tuple[list[tuple[str, str, bytes]], list[tuple[str, str, str]]]
) -> None:
    root.mkdir()
    for folder in FOLDERS:
        (root / folder).mkdir(exist_ok=True)
    files, links = tree
    for folder, name, data in files:
        (root / folder / name).write_bytes(data)
    for folder, name, target in links:
        path = root / folder / name
        if not os.path.lexists(path):
            path.symlink_to(root / target)
    (root / "circle").symlink_to("circle")


@requirement("briefing.skill.symlink-cycle", "briefing.skill.outcomes")
@settings(deadline=None, max_examples=60)
@given(trees)
def test_every_candidate_of_any_tree_has_exactly_one_diagnostic(
    tree: tuple[list[tuple[str, str, bytes]], list[tuple[str, str, str]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        grown(root, tree)
        walked = walk_candidates(root, DiskFiles())
        load = load_skill_cards(root, PROJECT)
        told = Counter(each.location for each in load.diagnostics)
        assert told == Counter(
            [each.path for each in walked.candidates] + [each.location for each in walked.skipped]
        )
        assert all(each == 1 for each in told.values())
        folders = {candidate.path.parent.resolve() for candidate in walked.candidates}
        own = sorted(path for path in root.rglob("SKILL.md") if _is_own(path, root))
        assert {path.parent for path in own} <= folders | {root}


@requirement("briefing.skill.one-loaded-each")
@settings(deadline=None, max_examples=40)
@given(trees, trees)
def test_of_any_two_trees_each_card_is_loaded_once_and_no_name_is_there_twice(
    first: tuple[list[tuple[str, str, bytes]], list[tuple[str, str, str]]],
    second: tuple[list[tuple[str, str, bytes]], list[tuple[str, str, str]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        roots = [Path(folder) / "one", Path(folder) / "two"]
        grown(roots[0], first)
        grown(roots[1], second)
        (roots[1] / "over").symlink_to(roots[0])
        load = gather_skill_cards([SkillRoot(roots[0], PROJECT), SkillRoot(roots[1], USER)])
        names = [card.name for card in load.cards]
        assert len(names) == len(set(names))
        reals = [card.location.resolve() for card in load.cards]
        assert len(reals) == len(set(reals))
        said = [each.location for each in load.diagnostics if each.kind is SkillOutcomeKind.LOADED]
        assert said == [card.location for card in load.cards]


header_line = st.one_of(
    st.sampled_from(
        [
            "name: demo",
            "description: d",
            "description: >",
            "  more",
            "allowed-tools:",
            "- x",
            "  - Read",
            "allowed-tools: Bash(a b) [",
            "metadata: {a: b}",
            "disable-model-invocation: true",
            "a: &x [1]",
            "b: *x",
            "---",
        ]
    ),
    st.text(max_size=30),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(header_line, max_size=8), st.text(max_size=40), st.booleans())
def test_no_header_makes_reading_raise_and_lines_point_into_the_file(
    lines: list[str], body: str, lenient: bool
) -> None:
    text = "\n".join(["---", *lines, "---", body])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "demo" / "SKILL.md"
        file.parent.mkdir()
        file.write_bytes(text.encode(errors="surrogatepass"))
        load = load_skill_cards(Path(folder), PROJECT, lenient=lenient)
        assert len(load.diagnostics) == 1
        for card in load.cards:
            assert card.description == " ".join(card.description.split()) != ""
            there = file.read_bytes().decode().replace("\r\n", "\n").split("\n")
            assert "description" in there[card.line - 1] or card.line == 1
            if card.body:
                assert card.body.split("\n")[0].rstrip() == there[card.body_line - 1].rstrip()


def _is_own(path: Path, root: Path) -> bool:
    """Reached without links, and through no folder that is pruned or hidden."""
    below = path.relative_to(root).parts
    if any(part.startswith(".") or part == "node_modules" for part in below):
        return False
    return path.resolve() == path and path.is_file()
