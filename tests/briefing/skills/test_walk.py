"""Where skills are looked for, and what is left aside."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from induscode.briefing import SkillOutcomeKind, load_skill_cards
from induscode.briefing import skill_walk as walk
from induscode.briefing.files import Child, DiskFiles, Refused
from tests.briefing.skills.trees import (
    PROJECT,
    foreign,
    kinds,
    loaded,
    loose,
    names,
    only_told,
    packaged,
)
from tests.requirements import requirement


@requirement("briefing.skill.sorted-walk")
def test_skills_come_in_the_order_of_their_paths_and_dot_files_are_none(tmp_path: Path) -> None:
    for name in ("pear", "apple", "group/fig", "group/date", ".hidden"):
        packaged(tmp_path, name)
    loose(tmp_path, "banana.md")
    loose(tmp_path, ".secret.md")
    load = loaded(tmp_path)
    assert names(load) == ["apple", "banana", "date", "fig", "pear"]
    assert kinds(load) == ["loaded"] * 5


@requirement("briefing.skill.pruned")
@pytest.mark.parametrize("folder", ["node_modules", ".git", "a/node_modules", "a/.git"])
def test_folders_of_tools_are_not_entered(tmp_path: Path, folder: str) -> None:
    packaged(tmp_path, f"{folder}/left-pad")
    assert loaded(tmp_path).diagnostics == ()


@requirement("briefing.skill.packaged")
def test_below_the_root_only_a_file_with_exactly_this_name_counts(tmp_path: Path) -> None:
    for number, name in enumerate(("skill.md", "Skill.md", "SKILL.MD", "README.md", "SKILL.txt")):
        loose(tmp_path / f"folder-{number}", name)
    assert loaded(tmp_path).diagnostics == ()
    packaged(tmp_path, "folder-9")
    assert names(loaded(tmp_path)) == ["folder-9"]


def test_a_skill_may_lie_inside_the_folder_of_another(tmp_path: Path) -> None:
    packaged(tmp_path, "outer")
    packaged(tmp_path, "outer/parts/inner")
    assert names(loaded(tmp_path)) == ["outer", "inner"]


@requirement("briefing.skill.symlink-cycle")
def test_links_in_a_circle_are_walked_once(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    packaged(root, "a")
    packaged(root, "b/inner")
    (root / "a" / "up").symlink_to(root)
    (root / "b" / "over").symlink_to(root / "a")
    (root / "b" / "self").symlink_to("self")
    load = loaded(root)
    assert names(load) == ["a", "inner"]
    assert [told.location.name for told in load.diagnostics if told.kind == "skipped"] == [
        "up",
        "over",
    ]


@requirement("briefing.skill.symlink-followed")
def test_links_to_a_file_and_to_a_folder_are_followed(tmp_path: Path) -> None:
    root, elsewhere = foreign(tmp_path), tmp_path / "elsewhere"
    packaged(elsewhere, "folder")
    kept = packaged(elsewhere, "kept")
    alone = loose(elsewhere, "alone.md")
    (root / "kept").mkdir(parents=True)
    (root / "folder").symlink_to(elsewhere / "folder")
    (root / "kept" / "SKILL.md").symlink_to(kept)
    (root / "alone.md").symlink_to(alone)
    load = loaded(root)
    assert names(load) == ["alone", "folder", "kept"]
    assert [card.location for card in load.cards] == [
        root / "alone.md",
        root / "folder" / "SKILL.md",
        root / "kept" / "SKILL.md",
    ]


def test_a_link_never_takes_the_place_of_the_folder_it_leads_to(tmp_path: Path) -> None:
    packaged(tmp_path, "real")
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    load = loaded(tmp_path)
    assert names(load) == ["real"]
    assert [(told.kind.value, told.location.name) for told in load.diagnostics] == [
        ("skipped", "alias"),
        ("loaded", "SKILL.md"),
    ]


def test_a_folder_that_is_not_there_has_no_skills(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for root in (tmp_path / "none", tmp_path / "file", tmp_path / "file" / "below"):
        load = loaded(root)
        assert (load.cards, load.diagnostics) == ((), ())


class Shut(DiskFiles):
    """A disk with one folder that its user may not list."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def children(self, folder: Path) -> Sequence[Child] | Refused:
        return Refused("it is shut") if folder == self._folder else super().children(folder)


def test_a_folder_that_cannot_be_listed_is_told_and_costs_only_itself(tmp_path: Path) -> None:
    packaged(tmp_path, "open")
    shut = packaged(tmp_path, "shut").parent
    load = load_skill_cards(tmp_path, PROJECT, Shut(shut))
    assert names(load) == ["open"]
    (told,) = [told for told in load.diagnostics if told.kind is SkillOutcomeKind.SKIPPED]
    assert (told.location, told.detail) == (shut, "it is shut")


def test_what_lies_too_deep_is_told_once(tmp_path: Path) -> None:
    deep = "/".join(f"d{number}" for number in range(walk.WALK_DEPTH))
    for name in ("at-the-bottom", "beside"):
        packaged(tmp_path, f"{deep}/{name}")
    packaged(tmp_path, deep.removesuffix("/d11") + "/still-fine")
    load = loaded(tmp_path)
    assert names(load) == ["still-fine"]
    (told,) = [told for told in load.diagnostics if told.kind is SkillOutcomeKind.SKIPPED]
    assert "nor at 1 more" in told.detail
    assert f"at most {walk.WALK_DEPTH} folders deep" in told.detail


def test_more_folders_than_the_bound_are_told_and_the_nearest_ones_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "WALK_FOLDERS", 6)
    for number in range(9):
        (tmp_path / "aaa" / f"{number}").mkdir(parents=True)
    packaged(tmp_path, "near")
    load = loaded(tmp_path)
    assert names(load) == ["near"]
    (told,) = [told for told in load.diagnostics if told.kind is SkillOutcomeKind.SKIPPED]
    assert "at most 6 folders" in told.detail


def test_more_skills_than_the_bound_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "WALK_SKILLS", 3)
    for number in range(5):
        packaged(tmp_path, f"s{number}")
    load = loaded(tmp_path)
    assert names(load) == ["s0", "s1", "s2"]
    assert kinds(load).count("skipped") == 1


@requirement("briefing.skill.loose-file")
def test_a_loose_file_has_its_declared_name_or_its_own(tmp_path: Path) -> None:
    loose(tmp_path, "stem.md")
    loose(tmp_path, "file.md", "name: declared\ndescription: Helps")
    assert names(loaded(tmp_path)) == ["declared", "stem"]


def test_what_is_no_regular_file_is_no_candidate(tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    (tmp_path / "nowhere").mkdir()
    (tmp_path / "nowhere" / "SKILL.md").symlink_to("gone")
    (tmp_path / "folder" / "SKILL.md").mkdir(parents=True)
    assert loaded(tmp_path).cards == ()


@pytest.mark.parametrize("name", ["bad\udcff", "two\nlines", "bell\x07"])
def test_a_path_that_is_no_text_never_becomes_a_skill(tmp_path: Path, name: str) -> None:
    packaged(tmp_path / name, "inner")
    load = loaded(tmp_path)
    assert load.cards == ()
    assert only_told(load).kind is SkillOutcomeKind.INVALID
    assert "characters that are no text" in only_told(load).detail
