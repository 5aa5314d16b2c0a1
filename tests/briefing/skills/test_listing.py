"""Which skills fit into the prompt, and how the others are found."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from induscode.briefing import (
    BriefingInput,
    MacroOrigin,
    SkillCard,
    SkillFrontmatter,
    compose_with,
)
from induscode.briefing.sections import section_skills
from induscode.briefing.skill_listing import (
    LISTING_CHARACTERS,
    found_text,
    listed,
    search_skills,
)

BLOCK = "<available_skills>\n"


def card(name: str, description: str = "Helps") -> SkillCard:
    return SkillCard(
        name=name,
        description=description,
        body="Do it.",
        location=Path("/skills") / name / "SKILL.md",
        origin=MacroOrigin.USER,
        frontmatter=SkillFrontmatter(name=name, description=description),
    )


def names(cards: list[SkillCard] | tuple[SkillCard, ...]) -> list[str]:
    return [each.name for each in cards]


def entries(cards: tuple[SkillCard, ...]) -> str:
    """What the prompt says of them between its marks."""
    text = compose_with([section_skills], BriefingInput(skills=cards))
    return text.partition(BLOCK)[2].partition("</available_skills>")[0]


cards_of_any_kind = st.lists(
    st.builds(card, st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.text("ab<>& ", max_size=90)),
    max_size=12,
)


@given(cards_of_any_kind, st.integers(0, 3000))
def test_nothing_is_lost_nothing_is_cut_and_the_order_stays(
    cards: list[SkillCard], budget: int
) -> None:
    listing = listed(cards, budget)
    assert sorted(map(id, [*listing.cards, *listing.unlisted])) == sorted(map(id, cards))
    for part in (listing.cards, listing.unlisted):
        at = [next(i for i, each in enumerate(cards) if each is one) for one in part]
        assert at == sorted(at)
    assert len(entries(listing.cards)) <= budget
    for left in listing.unlisted:
        assert len(entries((*listing.cards, left))) > budget


def test_the_budget_is_the_length_of_what_the_prompt_says_of_them() -> None:
    cards = [card("one", "a < b & c > d"), card("two")]
    needed = len(entries(tuple(cards)))
    assert names(listed(cards, needed).cards) == ["one", "two"]
    assert names(listed(cards, needed - 1).unlisted) == ["two"]


def test_fifty_skills_of_usual_length_fit() -> None:
    cards = [card(f"skill-{number}", "x" * 200) for number in range(50)]
    assert listed(cards).unlisted == ()
    assert len(entries(tuple(cards))) <= LISTING_CHARACTERS


def test_a_word_in_the_name_counts_for_more_than_one_in_the_description() -> None:
    cards = [
        card("notes", "Takes notes about forms"),
        card("platforms", "Builds things"),
        card("pdf-forms", "Fills them"),
        card("forms", "Fills them"),
        card("other", "Informs nobody"),
        card("none", "Nothing of it"),
    ]
    assert names(search_skills(cards, "FORMS", 10)) == [
        "forms",
        "pdf-forms",
        "platforms",
        "notes",
        "other",
    ]


def test_a_query_that_is_a_name_finds_it_first() -> None:
    cards = [card("pdf-forms-and-more"), card("pdf-forms")]
    assert names(search_skills(cards, "pdf forms")) == ["pdf-forms", "pdf-forms-and-more"]


def test_more_words_of_the_query_count_for_more() -> None:
    cards = [card("deploy"), card("web", "Can deploy to staging"), card("staging-deploy")]
    assert names(search_skills(cards, "deploy staging", 10)) == ["staging-deploy", "web", "deploy"]


def test_short_words_are_not_looked_for_inside_of_others() -> None:
    assert search_skills([card("database", "A big one")], "a as", 5) == [
        card("database", "A big one")
    ]
    assert search_skills([card("database", "Big one")], "a as", 5) == []


def test_of_equals_the_first_is_found_first_and_no_more_than_asked() -> None:
    cards = [card(f"tool-{number}") for number in range(9)]
    assert names(search_skills(cards, "tool", 3)) == ["tool-0", "tool-1", "tool-2"]
    assert names(search_skills(cards, "  ", 2)) == ["tool-0", "tool-1"]
    assert search_skills(cards, "tool", 0) == search_skills(cards, "tool", -1) == []


@given(cards_of_any_kind, st.text(max_size=20), st.integers(-2, 20))
def test_any_query_finds_some_of_the_cards_each_once_and_always_the_same(
    cards: list[SkillCard], query: str, limit: int
) -> None:
    found = search_skills(cards, query, limit)
    assert len(found) <= max(limit, 0)
    assert len({id(each) for each in found}) == len(found)
    assert all(any(each is one for one in cards) for each in found)
    assert found == search_skills(cards, query, limit)


def test_what_is_found_is_told_with_its_place() -> None:
    text = found_text([card("one", "Helps with one"), card("two")])
    assert "one: Helps with one\n  /skills/one/SKILL.md\n" in text
    assert "/skills/two/SKILL.md" in text
    assert "Do it." not in text
    assert found_text([]).startswith("No skill has any of these words")
