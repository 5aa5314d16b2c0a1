"""Several roots together: who keeps a name, and what is said of every candidate."""

from __future__ import annotations

from pathlib import Path

from induscode.briefing import (
    SkillLoad,
    SkillOutcomeKind,
    SkillRoot,
    gather_skill_cards,
    load_skill_cards,
    model_invocable_cards,
)
from induscode.briefing import skills as skills_module
from induscode.briefing.files import DiskFiles, Refused
from tests.briefing.skills.trees import (
    PROJECT,
    USER,
    foreign,
    kinds,
    loaded,
    loose,
    names,
    only_told,
    ours,
    packaged,
)
from tests.requirements import requirement


def gathered(*roots: Path) -> SkillLoad:
    return gather_skill_cards([SkillRoot(root, PROJECT) for root in roots])


@requirement("briefing.skill.outcomes")
def test_every_candidate_has_one_diagnostic_with_its_place_and_a_word(tmp_path: Path) -> None:
    root, other = tmp_path / "one", tmp_path / "two"
    files = [packaged(root, "good"), packaged(root, "bad", "name: bad"), loose(root, "a.md")]
    files += [packaged(other, "good"), loose(other, "b.md")]
    (other / "c.md").symlink_to(files[2])
    load = gathered(root, other)
    assert sorted(told.location for told in load.diagnostics) == sorted([*files, other / "c.md"])
    assert {told.kind for told in load.diagnostics} == set(SkillOutcomeKind)
    assert all(told.detail for told in load.diagnostics)


@requirement("briefing.skill.first-root-wins")
def test_the_first_root_keeps_a_name_and_later_ones_collide(tmp_path: Path) -> None:
    first = packaged(tmp_path / "project", "same")
    second = packaged(tmp_path / "user", "same")
    third = packaged(tmp_path / "more", "same")
    load = gathered(first.parents[1], second.parents[1], third.parents[1])
    assert [card.location for card in load.cards] == [first]
    collisions = [told for told in load.diagnostics if told.kind is SkillOutcomeKind.COLLISION]
    assert [told.location for told in collisions] == [second, third]
    assert all(f"is taken by {first}" in told.detail for told in collisions)


def test_one_root_can_collide_with_itself(tmp_path: Path) -> None:
    first = packaged(tmp_path, "group-a/same")
    second = packaged(tmp_path, "group-b/same")
    load = loaded(tmp_path)
    assert [card.location for card in load.cards] == [first]
    assert [(told.kind.value, told.location) for told in load.diagnostics] == [
        ("loaded", first),
        ("collision", second),
    ]


@requirement("briefing.skill.load-no-dedup")
def test_loading_one_root_knows_nothing_of_another(tmp_path: Path) -> None:
    for name in ("one", "two"):
        packaged(tmp_path / name, "same")
        assert kinds(load_skill_cards(tmp_path / name, PROJECT)) == ["loaded"]


@requirement("briefing.skill.one-loaded-each")
def test_every_card_that_is_left_was_loaded_once(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("a", "b", "c")]
    for root in roots:
        packaged(root, "same")
        packaged(root, f"own-{root.name}")
        packaged(root, "broken", "")
    load = gathered(*roots, roots[0])
    told = [each.location for each in load.diagnostics if each.kind is SkillOutcomeKind.LOADED]
    assert told == [card.location for card in load.cards]
    assert names(load) == ["own-a", "same", "own-b", "own-c"]


def test_the_same_file_in_two_folders_by_a_link_is_one_skill(tmp_path: Path) -> None:
    real = packaged(tmp_path / ".agents" / "skills", "shared")
    linked = foreign(tmp_path) / "shared"
    linked.parent.mkdir(parents=True)
    linked.symlink_to(real.parent)
    load = gathered(real.parents[1], linked.parent)
    assert [card.location for card in load.cards] == [real]
    told = load.diagnostics[1]
    assert (told.kind.value, told.location) == ("skipped", linked / "SKILL.md")
    assert str(real) in told.detail


def test_a_file_that_was_invalid_in_a_strict_folder_still_loads_from_a_shared_one(
    tmp_path: Path,
) -> None:
    real = packaged(foreign(tmp_path), "shared", "name: shared\ndescription: Helps\nmodel: x")
    ours(tmp_path).mkdir(parents=True)
    (ours(tmp_path) / "shared").symlink_to(real.parent)
    load = gathered(ours(tmp_path), foreign(tmp_path))
    assert kinds(load) == ["invalid", "loaded"]
    assert [card.location for card in load.cards] == [real]


def test_each_card_keeps_the_origin_of_its_root(tmp_path: Path) -> None:
    packaged(tmp_path / "p", "one")
    packaged(tmp_path / "u", "two")
    load = gather_skill_cards([SkillRoot(tmp_path / "p", PROJECT), SkillRoot(tmp_path / "u", USER)])
    assert [card.origin for card in load.cards] == [PROJECT, USER]


@requirement("briefing.skill.model-invocable")
def test_hidden_skills_are_not_for_the_model(tmp_path: Path) -> None:
    packaged(tmp_path, "hidden", "description: Helps\ndisable-model-invocation: true")
    packaged(tmp_path, "seen")
    load = loaded(tmp_path)
    assert names(load) == ["hidden", "seen"]
    assert [card.name for card in model_invocable_cards(load.cards)] == ["seen"]


class Unreadable(DiskFiles):
    """A disk on which one file cannot be read, another is gone before it is."""

    def read(self, path: Path, most: int) -> bytes | Refused | None:
        if path.parent.name == "torn":
            return Refused("it cannot be read: Input/output error")
        return None if path.parent.name == "gone" else super().read(path, most)


@requirement("briefing.skill.unreadable")
def test_a_file_that_cannot_be_read_is_invalid_and_costs_only_itself(tmp_path: Path) -> None:
    for name in ("fine", "gone", "torn"):
        packaged(tmp_path, name)
    load = load_skill_cards(tmp_path, PROJECT, Unreadable())
    assert names(load) == ["fine"]
    assert kinds(load) == ["loaded", "invalid", "invalid"]
    assert "it is gone" in load.diagnostics[1].detail
    assert "Input/output error" in load.diagnostics[2].detail


def test_a_loose_note_in_a_shared_folder_is_not_taken_for_a_broken_skill(tmp_path: Path) -> None:
    for root in (foreign(tmp_path), ours(tmp_path)):
        root.mkdir(parents=True)
        (root / "README.md").write_text("# Our skills\n")
    assert only_told(loaded(foreign(tmp_path))).kind is SkillOutcomeKind.SKIPPED
    assert only_told(loaded(ours(tmp_path))).kind is SkillOutcomeKind.INVALID


@requirement("briefing.surface.skills")
def test_the_functions_are_at_the_face_and_in_their_module() -> None:
    assert skills_module.gather_skill_cards is gather_skill_cards
    assert skills_module.load_skill_cards is load_skill_cards
    assert skills_module.model_invocable_cards is model_invocable_cards
