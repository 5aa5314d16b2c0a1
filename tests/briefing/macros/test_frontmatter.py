"""The header of a file: the small reader, and the one for files of any program."""

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from induscode.briefing.frontmatter import (
    HEAD_CHARACTERS,
    Front,
    read_front,
    split_frontmatter,
    tool_words,
)
from induscode.kernel.yamltext import load_yaml
from tests.boot.test_imports import imported
from tests.requirements import requirement


@requirement("briefing.frontmatter.fence")
def test_there_is_a_header_only_between_two_lines_of_exactly_three_hyphens() -> None:
    assert split_frontmatter("---\na: 1\n---\nbody\n") == ([("a", "1")], "body\n")
    assert split_frontmatter("---\r\na: 1\r\n---\r\nbody\r\n") == ([("a", "1")], "body\r\n")
    assert split_frontmatter("---\na: 1\n---") == ([("a", "1")], "")
    assert split_frontmatter("---\n---\n---\nx") == ([], "---\nx")
    for text in (
        "", "---", "---\n", "a: 1\n---\n", "\n---\na: 1\n---\n", "--- \na: 1\n---\n",
        "----\na: 1\n----\n", "---\na: 1\n--- \nbody", "---\na: 1\n ---\n",
        "\ufeff---\na: 1\n---\n",
    ):  # fmt: skip
        assert split_frontmatter(text) == ([], text)


@requirement("briefing.frontmatter.pairs")
def test_each_line_is_an_entry_in_order_and_the_last_value_of_a_key_counts() -> None:
    head = "b: 2\na:1\n c : x: y \nno colon\n: no key\nb: 3\nempty:\n"
    pairs, _ = split_frontmatter(f"---\n{head}---\n")
    assert pairs == [("b", "3"), ("a", "1"), ("c", "x: y"), ("empty", "")]


@requirement("briefing.frontmatter.unquote")
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'a'", "a"),
        ('"a: b"', "a: b"),
        ("\"a'", "\"a'"),
        ("'", "'"),
        ("''", ""),
        ("'it''s'", "it''s"),
        ("a 'b'", "a 'b'"),
    ],
)
def test_quotes_that_match_around_a_value_are_taken_off(written: str, value: str) -> None:
    assert split_frontmatter(f"---\nkey: {written}\n---\n")[0] == [("key", value)]


@requirement("briefing.frontmatter.comments")
def test_blank_lines_and_comments_are_passed_over() -> None:
    pairs, _ = split_frontmatter("---\n\n# a: 1\n  \n  # b: 2\nc: 3 # 4\n---\n")
    assert pairs == [("c", "3 # 4")]


lines = st.lists(
    st.one_of(
        st.sampled_from(["---", "--- ", "", "a: b", "a: 'b'", "#x", "- y", "k:", "é: 日", "\r"]),
        st.text(max_size=12),
    ),
    max_size=12,
)
endings = st.sampled_from(["\n", "\r\n"])


@given(lines, endings)
def test_nothing_of_a_text_is_lost_between_header_and_body(parts: list[str], ending: str) -> None:
    text = ending.join(parts)
    pairs, body = split_frontmatter(text)
    assert text.endswith(body)
    taken = text[: len(text) - len(body)]
    if taken:
        assert taken.startswith("---")
        assert taken.rstrip("\r\n").endswith("\n---")
        for key, value in pairs:
            assert key in taken
            assert value in taken
    else:
        assert pairs == []
    assert split_frontmatter(taken) == (pairs, "")


@given(lines, endings)
@example(["---", "a: [", "---", "", "b"], "\n")
@example(["---", "*a: &a", "---"], "\n")
@example(["---", "!!python/object:os.system x: 1", "---"], "\n")
def test_no_header_is_too_odd_to_be_read(parts: list[str], ending: str) -> None:
    text = ending.join(parts)
    front = read_front(text)
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    assert front.body in plain
    below = "\n".join(plain.split("\n")[front.body_line - 1 :])
    assert below.startswith(front.body)
    assert all(isinstance(key, str) for key in front.fields)


VALUES = (
    "x", "true", "No", "NULL", "1", "-", "a: b", "a #b", "a:b", "'a'", '"a"', '"a\\n"', "'it''s'",
    "[a]", "{a}", "|", ">", "&a", "*a", "!x", "%x", "@x", "`x", "a ", "  a", "a:", "ä b", "e5", "",
    "a\tb", "a\u2028b", "a\u200db", "a\x07", "~", "?", "- a", "..", "...", "---", "<<", "a, b",
    "\x85", "<file>", "(x)", "/a", "_x", "$1", "</", "(: b", "< #",
)  # fmt: skip
KEYS = (
    "a",
    "b",
    "c-d",
    "e_f",
    "true",
    "null",
    "a.b",
    "y",
    "<<",
    "'q'",
    " i",
    "1",
    "# a",
    "- b",
    "#",
)


def like_yaml(head: str) -> None:
    front = read_front(f"---\n{head}\n---\n")
    if front.head != head:
        return
    try:
        expected = load_yaml(head)
    except ValueError:
        assert front.not_yaml
    else:
        fields = expected if isinstance(expected, dict) else {}
        assert front.fields == fields
        assert bool(front.not_yaml) == (expected is not None and fields is not expected)


@pytest.mark.parametrize("value", VALUES)
def test_a_header_of_one_line_says_what_yaml_says(value: str) -> None:
    for key in KEYS:
        like_yaml(f"{key}: {value}")


odd = st.text(max_size=15).filter(lambda text: "\n" not in text)
fields = st.tuples(st.sampled_from(KEYS), st.one_of(st.sampled_from(VALUES), odd)).map(": ".join)
heads = st.lists(st.one_of(fields, st.sampled_from(["", " ", "#", "k:", "- l"])), max_size=6)


@given(heads.map("\n".join))
def test_a_header_of_some_lines_says_what_yaml_says(head: str) -> None:
    like_yaml(head)


def test_a_plain_header_is_read_without_the_parser(tmp_path) -> None:
    plain = "---\nname: a-b\ndescription: \"Fix: it\"\nempty:\n# note\nother: 'x # y'\n---\n"
    code = f"from induscode.briefing.frontmatter import read_front\nread_front({plain!r})"
    assert "yaml" not in imported(code, tmp_path)
    assert "yaml" in imported(code.replace("empty:", "empty: [a]"), tmp_path)
    assert read_front(plain).fields == {
        "name": "a-b", "description": "Fix: it", "empty": None, "other": "x # y",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        ("description: Fix: it", {"description": "Fix: it"}),
        ("argument-hint: [file] [branch]", {"argument-hint": "[file] [branch]"}),
        ("a: it's: x", {"a": "it's: x"}),
        ("a: @x\nb: `y`\nc: *z", {"a": "@x", "b": "`y`", "c": "*z"}),
        ("a: x: y\nb:\n  - 1\n  - two", {"a": "x: y", "b": [1, "two"]}),
        ("a: x: y\nb: >-\n  one\n  two", {"a": "x: y", "b": "one two"}),
        ("a: x: y\n\tb: 1\nc: [1, 2]", {"a": "x: y", "c": [1, 2]}),
        ("a: [1,\nb: 2", {"a": "[1,", "b": 2}),
    ],
)
def test_a_header_that_is_not_quite_yaml_says_what_its_author_meant(
    head: str, fields: dict[str, object]
) -> None:
    front = read_front(f"---\n{head}\n---\nbody")
    assert front.fields == fields
    assert front.not_yaml.startswith("not YAML: ")


def test_the_line_of_an_error_is_the_line_of_the_file() -> None:
    assert read_front("---\na: 1\nb: c: d\n---\n").not_yaml.endswith("line 3")


def test_a_header_too_long_to_be_mended_is_read_line_by_line() -> None:
    long = read_front("---\na: 1\nb: " + "x" * HEAD_CHARACTERS + "\n---\n")
    assert long.not_yaml == "it is longer than 16,384 characters"
    assert long.fields["a"] == "1"
    many = read_front("---\na: 1\nb: c: d\n" + "\n" * 200 + "---\n")
    assert many.fields == {"a": "1", "b": "c: d"}


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("a: " + "[" * 30 + "]" * 30, "nested more than 20 deep"),
        (f"a: &a [{'x, ' * 99}]\nb: [{'*a, ' * 99}]", "stand for more than 5,000 values"),
    ],
)
def test_a_header_that_grows_when_it_is_read_is_not_read_as_yaml(head: str, why: str) -> None:
    assert why in read_front(f"---\n{head}\n---\n").not_yaml


def test_a_header_without_fields_is_told_and_a_blank_one_is_none() -> None:
    assert read_front("---\njust words\n---\nx") == Front(
        "x", 4, {}, "just words", "it has no fields: a field is a line `name: value`"
    )
    assert read_front("---\n\n# nothing\n---\nx") == Front("x", 5, {}, "\n# nothing")


def test_the_body_begins_at_its_first_line_that_is_not_blank() -> None:
    front = read_front("\ufeff---  \r\na: 1\r\n---\t\r\n\r\n  \r\n  code\r\n\r\nend\r\n\r\n")
    assert (front.body, front.body_line) == ("  code\n\nend", 6)
    assert read_front(" \n\nx") == Front("x", 3)
    assert read_front("") == Front("")


def test_a_header_that_never_ends_is_the_text() -> None:
    assert read_front("---\na: 1\n") == Front("---\na: 1", unclosed=True)
    assert not read_front("----\na: 1\n").unclosed


def test_a_field_knows_its_line_and_what_is_written_there() -> None:
    front = read_front("---\nhint: [a]\nquoted: 'x' \nhint: [b]   # c\n\n---\n")
    assert (front.line_of("hint"), front.written("hint")) == (4, "[b]   # c")
    assert (front.line_of("quoted"), front.written("quoted")) == (3, "x")
    assert (front.line_of("none"), front.written("none")) == (1, "")


@pytest.mark.parametrize(
    "head",
    [
        "a: " + "x: y " * HEAD_CHARACTERS,
        "x: [\n" * 60_000,
        "a: " + " " * 250_000 + "b: c",
        "a: " + "[" * HEAD_CHARACTERS,
        "a: &a [x, x]\n" + "\n".join(f"b{i}: [*a, *a]" for i in range(800)),
        "a: [\n" * 190,
        "---x\n" * 60_000,
    ],
)
@pytest.mark.timeout(10)
def test_a_hostile_header_takes_no_time_and_does_no_harm(head: str) -> None:
    front = read_front(f"---\n{head}\n---\nbody")
    assert front.body == "body"
    assert sys.getsizeof(front.not_yaml) < 1_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("Read", ["Read"]),
        ("Read, Grep  Glob,,Edit,", ["Read", "Grep", "Glob", "Edit"]),
        ("Bash(git add *), Bash(git diff:*)", ["Bash(git add *)", "Bash(git diff:*)"]),
        ("Bash(a, b) Read", ["Bash(a, b)", "Read"]),
        ("Bash (git add *) Read", ["Bash(git add *)", "Read"]),
        ("Bash(echo $(date) x)", ["Bash(echo $(date) x)"]),
        ("Read, (x)", ["Read", "(x)"]),
        ("Bash(git add", None),
        ("Read)", None),
    ],
)
def test_tools_are_parted_where_no_parentheses_enclose(text: str, words: list[str] | None) -> None:
    assert tool_words(text) == words
