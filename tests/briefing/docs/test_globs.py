"""Globs of rules, against a plain reading of the same words."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.briefing.globs import GLOB_ALTERNATIVES, GLOB_CHARACTERS, compile_glob
from induscode.briefing.rules import MOST_GLOBS, RuleMatcher


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        ("*.ts", ["a.ts", "src/a.ts", "src/deep/.ts"], ["a.tsx", "a.ts/b", "ats"]),
        ("/*.ts", ["a.ts"], ["src/a.ts"]),
        ("./a.ts", ["a.ts"], ["src/a.ts"]),
        ("src/*.ts", ["src/a.ts"], ["src/x/a.ts", "lib/src/a.ts"]),
        ("src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["a.ts", "xsrc/a.ts", "src/a.tsx"]),
        ("src/**", ["src/a", "src/x/a"], ["src", "srcs/a"]),
        ("**/test/**", ["test/a", "x/test/a", "x/y/test/z/a"], ["test", "tests/a", "x/atest/a"]),
        ("**", ["a", "x/y"], []),
        ("**/*", ["a", "x/y"], []),
        ("src/**.ts", ["src/a.ts"], ["src/x/a.ts"]),
        ("a***b**", ["ab", "axb", "x/abx"], ["a/b"]),
        ("a?c", ["abc", "x/aéc"], ["ac", "a/c", "abbc"]),
        ("[a-cx]1", ["a1", "c1", "x1"], ["d1", "-1"]),
        ("[!a-c]1", ["d1"], ["a1", "/1"]),
        ("[^a]", ["b"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("a[", ["a["], ["a"]),
        ("*.{ts,tsx}", ["a.ts", "x/a.tsx"], ["a.js", "a.{ts,tsx}"]),
        ("{src,lib/{a,b}}/*.py", ["src/x.py", "lib/a/x.py", "lib/b/x.py"], ["lib/x.py"]),
        ("{a}", ["{a}"], ["a"]),
        ("src", ["src", "src/a", "lib/src/x/a"], ["srcs", "a/srcs/b"]),
        ("src/app", ["src/app", "src/app/a/b"], ["x/src/app", "src/apps"]),
        ("docs/", ["docs/a", "x/docs/y/a"], ["docs", "docs.md"]),
        ("src/*/", ["src/a/b"], ["src/a"]),
        ("app/[id]/page.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/id/page.tsx"]),
        (r"a\*", ["a*"], ["ab"]),
        (r"\[a]", ["[a]"], ["a"]),
        ("", [], ["a", ""]),
        ("/", [], ["a"]),
    ],
)
def test_what_a_glob_matches(glob: str, matching: list[str], others: list[str]) -> None:
    matcher = RuleMatcher([glob])
    assert [path for path in matching if not matcher.matches(path)] == []
    assert [path for path in others if matcher.matches(path)] == []


def test_any_of_several_globs_is_enough_and_an_exclamation_mark_takes_back() -> None:
    matcher = RuleMatcher(["src/**", "*.md", "!src/gen/**", "src/gen/kept.ts"])
    assert matcher.matches("src/a.ts")
    assert matcher.matches("README.md")
    assert not matcher.matches("src/gen/a.ts")
    assert matcher.matches("src/gen/kept.ts")
    assert not RuleMatcher([]).matches("a")
    assert not RuleMatcher(["!a"]).matches("b")


def test_a_glob_that_is_too_long_or_too_wide_cannot_be_used() -> None:
    assert compile_glob("a" * (GLOB_CHARACTERS + 1)) == "it has more than 256 characters"
    assert isinstance(compile_glob("a" * GLOB_CHARACTERS), list)
    wide = "{a,b}" * 7
    assert compile_glob(wide) == "its braces stand for more than 64 alternatives"
    assert len(compile_glob("{a,b}" * 6 + "/")) == GLOB_ALTERNATIVES
    assert not RuleMatcher([wide]).matches("aaaaaaa")
    assert RuleMatcher([wide, "x"]).matches("x")


def test_only_so_many_globs_count() -> None:
    globs = [f"n{number}" for number in range(MOST_GLOBS + 1)]
    assert RuleMatcher(globs).matches(globs[MOST_GLOBS - 1])
    assert not RuleMatcher(globs).matches(globs[MOST_GLOBS])


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 127, "a" * 4_000),
        ("**/a/" * 51, "a/" * 2_000),
        ("{a,b}" * 6 + "*?" * 100, "a" * 4_000),
        ("{" * 255, "{" * 4_000),
        ("{,}" * 80, "x"),
        ("[" * 255, "[" * 4_000),
        ("[!" + "a-b" * 80 + "]*" * 3, "c" * 4_000),
    ],
)
def test_a_hostile_glob_costs_no_more_than_another(glob: str, path: str) -> None:
    began = time.process_time()
    RuleMatcher([glob]).matches(path)
    assert time.process_time() - began < 2


def oracle(glob: str) -> re.Pattern[str]:
    """The same words as an expression; slow, and simple enough to be seen to be right."""
    names = glob.split("/")
    source = "(?:[^/]+/)*" if len(names) == 1 else ""
    for at, name in enumerate(names):
        last = at == len(names) - 1
        if name == "**":
            source += ".+" if last else "(?:[^/]+/)*"
        else:
            source += re.sub(r"\*+", "[^/]*", name).replace("?", "[^/]") + ("" if last else "/")
    return re.compile(source + ("(?:/.+)?" if not {"*", "?"} & set(names[-1]) else ""))


names = st.text(st.sampled_from("ab"), min_size=1, max_size=3)
patterns = st.one_of(st.just("**"), st.text(st.sampled_from("ab*?"), min_size=1, max_size=4))


@given(
    st.lists(patterns, min_size=1, max_size=4).map("/".join),
    st.lists(names, min_size=1, max_size=5).map("/".join),
)
def test_a_match_is_what_the_words_say(glob: str, path: str) -> None:
    assert RuleMatcher([glob]).matches(path) == bool(oracle(glob).fullmatch(path))


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_glob_and_no_path_raises(glob: str, path: str) -> None:
    RuleMatcher([glob, f"!{glob}"]).matches(path)


@given(st.lists(st.text(st.sampled_from("ab[]{},*!-é."), min_size=1, max_size=6), min_size=1))
def test_a_glob_that_is_the_path_with_its_marks_escaped_matches_it(parts: list[str]) -> None:
    path = "/".join(parts)
    if len(path) * 2 < GLOB_CHARACTERS:
        assert RuleMatcher(["/" + re.sub(r"([\[\]{},*!?\\])", r"\\\1", path)]).matches(path)
