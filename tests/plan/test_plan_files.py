"""Approved plans as files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from induscode.capability_deck import (
    PLANS_DIRNAME,
    plan_file_path,
    plan_slug,
    read_plan,
    write_plan,
)
from tests.requirements import requirement


@requirement("deck.cards.plan.dirname", "deck.cards.plan.file-path", "deck.surface-rust.plan")
def test_a_plan_has_its_place_below_the_session(tmp_path: Path) -> None:
    assert PLANS_DIRNAME == "plans"
    assert plan_file_path(tmp_path, "mend-it") == tmp_path / "plans" / "mend-it.md"


@requirement("deck.cards.plan.slug")
@pytest.mark.parametrize(
    ("plan", "slug"),
    [
        ("# Mend the parser\n\n1. Look", "mend-the-parser"),
        ("\n\n  Rename: a/b -> c\n", "rename-a-b-c"),
        ("", "plan"),
        ("  \n\t\n", "plan"),
        ("§§§", "plan"),
        ("x" * 60, "x" * 48),
        ("word " * 20, "word-word-word-word-word-word-word-word-word-wor"),
        ("../../etc/passwd", "etc-passwd"),
        ("Über alles", "ber-alles"),
        ("a" * 47 + " b", "a" * 47),
    ],
)
def test_a_slug_is_made_of_the_first_line_that_says_something(plan: str, slug: str) -> None:
    assert plan_slug(plan) == slug
    assert len(plan_slug(plan)) <= 48


@requirement("deck.cards.plan.write-unique")
def test_two_equal_plans_are_two_files(tmp_path: Path) -> None:
    paths = {write_plan(tmp_path, "# Mend it\n") for _ in range(20)}
    assert len(paths) == 20
    for path in paths:
        assert path.parent == tmp_path / "plans"
        assert re.fullmatch(r"[0-9a-z]{8,9}-mend-it\.md", path.name)
        assert read_plan(path) == "# Mend it\n"


@requirement("deck.cards.plan.read-missing")
def test_a_plan_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\xff")
    for path in (tmp_path / "missing", tmp_path, tmp_path / "binary"):
        assert read_plan(path) is None
