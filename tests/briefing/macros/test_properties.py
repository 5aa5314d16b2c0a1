"""What holds of the scanner whatever a body and its arguments are."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.briefing.contract import Literal, MacroDef, MacroOrigin, MacroScope
from induscode.briefing.macros import (
    apply_macros,
    build_macro_scope,
    expansion,
    resolve_tokens,
    scan_macro_body,
)
from tests.requirements import requirement

pieces = st.sampled_from(
    ["{{", "}}", "{", "}", "$", "@", ":", "arg", ".", "all", "slice", "rest", "ARGUMENTS", " ",
     "\n", "\t", "1", "2", "12", "0", "${@", "{{arg.", "{{arg.1}}", "$1", "'", '"', "a", "é",
     "\ud800", "_"]
)  # fmt: skip
bodies = st.one_of(st.lists(pieces, max_size=20).map("".join), st.text(max_size=40))
marks = st.text("abcdefgh", min_size=1, max_size=8)

ESCAPE = re.compile(r"\{\{\{\{|\$\$")


def _half(text: str) -> str:
    return text[: len(text) // 2]


@given(bodies, bodies)
def test_no_body_and_no_argument_is_too_odd(body: str, raw: str) -> None:
    tokens = scan_macro_body(body)
    scope = build_macro_scope(raw)
    assert resolve_tokens(tokens, scope) == apply_macros(body, raw)
    assert all(token.text for token in tokens if isinstance(token, Literal))
    assert not any(
        isinstance(one, Literal) and isinstance(next_one, Literal)
        for one, next_one in pairwise(tokens)
    )
    assert scope.all == " ".join(scope.args)
    assert scope.raw == raw


@given(st.text(st.characters(exclude_characters="{$")), bodies)
def test_a_text_without_signs_of_a_placeholder_is_itself(text: str, raw: str) -> None:
    assert apply_macros(text, raw) == text


@given(bodies)
def test_a_body_without_placeholders_changes_only_by_its_escapes(body: str) -> None:
    tokens = scan_macro_body(body)
    if all(isinstance(token, Literal) for token in tokens):
        unescaped = ESCAPE.sub(lambda found: _half(found[0]), body)
        assert resolve_tokens(tokens, build_macro_scope("")) == unescaped


@given(bodies, bodies)
def test_every_text_can_be_written_so_that_it_is_literal(text: str, raw: str) -> None:
    escaped = text.replace("$", "$$").replace("{{", "{{{{")
    assert apply_macros(escaped, raw) == text


@requirement("briefing.macro.single-pass")
@given(bodies, st.lists(bodies, max_size=4))
def test_an_argument_is_never_scanned(body: str, arguments: list[str]) -> None:
    """Each argument is put in as a mark first, and the marks are then replaced by the arguments."""
    scanned = scan_macro_body(body)
    scope = build_macro_scope(" ".join(f"\ue000{at}\ue001" for at in range(len(arguments))))
    marked = resolve_tokens(scanned, scope)
    real = MacroScope(tuple(arguments), " ".join(arguments), "")
    expected = re.sub("\ue000([0-9])\ue001", lambda found: arguments[int(found[1])], marked)
    assert resolve_tokens(scanned, real) == expected


@given(bodies, st.lists(marks, max_size=3))
def test_every_stretch_of_an_expansion_is_found_where_it_is_said_to_be(
    body: str, arguments: list[str]
) -> None:
    macro = MacroDef("m", "", body, MacroOrigin.USER, Path("/m.md"), 7)
    expanded = expansion(macro, " ".join(arguments))
    lines = body.split("\n")
    ends = [part.start for part in expanded.parts[1:]] + [len(expanded.text)]
    assert [part.start for part in expanded.parts[:1]] == [0][: len(expanded.text)]
    for part, end in zip(expanded.parts, ends, strict=False):
        assert part.start < end
        for at, text in enumerate(expanded.text[part.start : end].split("\n")):
            if part.file:
                written = lines[part.line - 7 + at]
                assert text in ESCAPE.sub(lambda found: _half(found[0]), written)
            else:
                assert set(text) <= {" ", *"".join(arguments)}


@given(st.lists(marks, max_size=5), st.data())
def test_arguments_survive_their_quotes(arguments: list[str], data: st.DataObject) -> None:
    quotes = [data.draw(st.sampled_from(["", "'", '"'])) for _ in arguments]
    gaps = [data.draw(st.sampled_from([" ", "  ", "\t", "\n"])) for _ in arguments]
    raw = "".join(
        f"{gap}{quote}{argument}{quote}"
        for gap, quote, argument in zip(gaps, quotes, arguments, strict=True)
    )
    assert list(build_macro_scope(raw).args) == arguments


HOSTILE: dict[str, Callable[[int], str]] = {
    "braces": lambda size: "{{" * size,
    "odd braces": lambda size: "{{{{" * (size // 2) + "{",
    "gaps": lambda size: "{{ " * size,
    "one gap": lambda size: "{{" + " " * size * 2,
    "beginnings": lambda size: "{{arg." * (size // 2),
    "slices": lambda size: "{{arg.slice 1 " * (size // 4),
    "a gap in a slice": lambda size: "{{arg.slice 1" + " " * size * 2 + "x",
    "dollars": lambda size: "$" * size + "x",
    "old slices": lambda size: "${@:" * (size // 2),
    "digits": lambda size: "$" + "1" * size * 2,
    "placeholders": lambda size: "$1" * (size // 4),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=list(HOSTILE))
def test_a_body_four_times_as_long_takes_about_four_times_as_long(
    make: Callable[[int], str],
) -> None:
    def took(size: int) -> float:
        body = make(size)
        fastest = float("inf")
        for _ in range(3):
            started = process_time()
            scan_macro_body(body)
            fastest = min(fastest, process_time() - started)
        return fastest

    assert took(200_000) < max(took(50_000), 0.002) * 10
