"""All documents together have a budget; what has no room in it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.briefing.docs.place import Place


@pytest.fixture
def full(place: Place) -> Place:
    """One document of 10 bytes at each place."""
    place.write("AGENTS.md", "x" * 10)
    place.write("work/AGENTS.md", "x" * 10)
    place.write("./AGENTS.md", "@a.md @b.m")
    place.write("./CLAUDE.md", "x" * 10)
    place.write("./a.md", "x" * 4 + " @c.md")
    place.write("./c.md", "x" * 10)
    place.write("./.claude/rules/r.md", "x" * 10)
    place.write("~/AGENTS.md", "@a.md    x")
    place.write("~/a.md", "x" * 10)
    return place


ORDER = [
    "~/a.md",
    "~/AGENTS.md",
    "TOP/AGENTS.md",
    "TOP/work/AGENTS.md",
    "./.claude/rules/r.md",
    "./c.md",
    "./a.md",
    "./AGENTS.md",
]
"""The order in which they go; `./CLAUDE.md` stays."""


def gone(place: Place, room: int) -> list[str]:
    found = place.gather(together=room, rules=(place.cwd / ".claude/rules",))
    assert sum(len(doc.body) for doc in found.docs) <= max(room, 10)
    told = [note.file for note in found.notes if note.reason.startswith("left out")]
    assert sorted(told) == sorted(found.left_out)
    return [heading.replace(str(place.root), "TOP") for heading in found.left_out]


@pytest.mark.parametrize("number", range(9))
def test_the_least_specific_documents_go_first(full: Place, number: int) -> None:
    everything = full.gather(rules=(full.cwd / ".claude/rules",))
    size = sum(len(doc.body) for doc in everything.docs)
    assert sorted(gone(full, size - 10 * number)) == sorted(ORDER[:number])


def test_what_stays_keeps_its_order(full: Place) -> None:
    found = full.gather(together=40, rules=(full.cwd / ".claude/rules",))
    assert [doc.path for doc in found.docs] == ["./AGENTS.md", "./a.md", "./c.md", "./CLAUDE.md"]


def test_the_note_says_why_and_what_to_do(place: Place) -> None:
    place.write("~/AGENTS.md", "home")
    place.write("./AGENTS.md", "work")
    found = place.gather(together=7)
    assert found.left_out == ("~/AGENTS.md",)
    assert [note.sentence() for note in found.notes] == [
        "~/AGENTS.md: left out: all documents together are larger than 7 bytes; shorten them"
    ]


def test_the_closest_document_is_cut_and_not_left_out(place: Place) -> None:
    place.write("./AGENTS.md", "x" * 30)
    found = place.gather(together=20)
    assert [(len(doc.body), doc.cut) for doc in found.docs] == [(20, 10)]
    assert found.left_out == ()


@pytest.mark.parametrize(("each", "together"), [(-5, None), (None, -5), (0, 0)])
def test_no_room_is_no_documents_and_told(
    place: Place, each: int | None, together: int | None
) -> None:
    place.write("./AGENTS.md", "x" * 30)
    found = place.gather(each=each, together=together)
    assert found.docs == ()
    assert [note.sentence() for note in found.notes] == [
        "./AGENTS.md:1: 30 bytes are cut off here: a document has room for 0; shorten it"
    ]


def test_rules_of_the_home_go_with_the_homes_documents(place: Place) -> None:
    place.write("~/.claude/rules/r.md", "rule")
    place.write("~/AGENTS.md", "home")
    place.write("./AGENTS.md", "work")
    rules: tuple[Path, ...] = (place.home / ".claude/rules",)
    assert place.gather(together=11, rules=rules).left_out == ("~/.claude/rules/r.md",)
    assert [doc.body for doc in place.gather(rules=rules).docs] == ["work", "rule", "home"]
