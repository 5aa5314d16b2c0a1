"""What the placeholders of a body stand for, in the spelling of today and in the older one."""

from pathlib import Path

import pytest

from induscode.briefing.contract import (
    All,
    Literal,
    MacroDef,
    MacroOrigin,
    MacroScope,
    MacroToken,
    Positional,
    Slice,
)
from induscode.briefing.macros import (
    PLACEHOLDER_DIGITS,
    apply_macros,
    apply_macros_reporting,
    build_macro_scope,
    expand_invocation,
    resolve_tokens,
    scan_macro_body,
)
from tests.requirements import requirement


def macro(name: str, body: str) -> MacroDef:
    return MacroDef(name, "", body, MacroOrigin.PROJECT, Path(f"/{name}.md"))


@requirement("briefing.macro.positional")
def test_a_number_is_that_argument_and_one_too_many_is_empty() -> None:
    assert scan_macro_body("{{arg.2}}") == [Positional(2)]
    assert apply_macros("<{{arg.1}}|{{arg.2}}|{{arg.3}}|{{arg.0}}>", "a b") == "<a|b||>"
    assert apply_macros("{{arg.10}}", "1 2 3 4 5 6 7 8 9 ten") == "ten"


@requirement("briefing.macro.all")
def test_all_arguments_are_joined_by_single_spaces() -> None:
    assert scan_macro_body("{{arg.all}}") == [All()]
    assert apply_macros("<{{arg.all}}>", "  a   'b  c' ") == "<a b  c>"
    assert apply_macros("<{{arg.all}}>", "") == "<>"


@requirement("briefing.macro.slice-length", "briefing.macro.slice-open")
def test_a_slice_begins_at_its_first_number_and_has_at_most_as_many_as_its_second() -> None:
    assert scan_macro_body("{{arg.slice 2 3}}{{arg.slice 2}}") == [Slice(2, 3), Slice(2)]
    assert apply_macros("{{arg.slice 2 2}}", "a b c d") == "b c"
    assert apply_macros("{{arg.slice 3 9}}", "a b c d") == "c d"
    assert apply_macros("{{arg.slice 3}}", "a b c d") == "c d"
    assert apply_macros("<{{arg.slice 1 0}}>", "a b") == "<>"


@requirement("briefing.macro.slice-clamps")
@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("{{arg.slice 0}}", "a b"),
        ("{{arg.slice 0 1}}", "a"),
        ("{{arg.slice 3}}", ""),
        ("{{arg.slice 999999999 999999999}}", ""),
        ("${@:0}", "a b"),
        ("${@:9:9}", ""),
    ],
)
def test_a_slice_that_begins_outside_of_the_arguments_is_clamped_to_them(
    form: str, text: str
) -> None:
    assert apply_macros(form, "a b") == text


@requirement("briefing.macro.rest")
def test_the_rest_is_all_from_a_number_on_and_from_the_second_without_one() -> None:
    assert scan_macro_body("{{arg.rest 3}}{{arg.rest}}") == [Slice(3), Slice(2)]
    assert apply_macros("{{arg.rest 3}}|{{arg.rest}}", "a b c d") == "c d|b c d"


@requirement("briefing.macro.brace-escape")
def test_four_braces_are_two() -> None:
    assert scan_macro_body("{{{{") == [Literal("{{")]
    assert apply_macros("{{{{arg.1}}", "a") == "{{arg.1}}"
    assert apply_macros("{{{{{{arg.1}}", "a") == "{{a"
    assert apply_macros("{{{arg.1}}}", "a") == "{a}"


@requirement("briefing.macro.inner-space")
@pytest.mark.parametrize(
    ("form", "token"),
    [
        ("{{ arg.1 }}", Positional(1)),
        ("{{\targ.all\n}}", All()),
        ("{{  arg.slice  2   1  }}", Slice(2, 1)),
        ("{{arg.slice2}}", Slice(2)),
        ("{{arg.rest3}}", Slice(3)),
    ],
)
def test_white_space_within_the_braces_is_optional(form: str, token: MacroToken) -> None:
    assert scan_macro_body(form) == [token]


@requirement("briefing.macro.legacy-positional")
def test_a_dollar_and_a_number_is_that_argument() -> None:
    assert scan_macro_body("$1-$12x") == [
        Positional(1), Literal("-"), Positional(12), Literal("x"),
    ]  # fmt: skip
    assert apply_macros("<$1|$2|$3|$0>", "a b") == "<a|b||>"


@requirement("briefing.macro.legacy-at")
def test_a_dollar_and_an_at_is_all_arguments_also_in_braces() -> None:
    assert scan_macro_body("$@${@}") == [All(), All()]
    assert apply_macros("$@|${@}", "a  b") == "a b|a b"


@requirement("briefing.macro.legacy-arguments")
def test_the_word_arguments_is_all_of_them_and_a_longer_word_is_a_word() -> None:
    assert apply_macros("<$ARGUMENTS>", "a b") == "<a b>"
    assert apply_macros("$ARGUMENTS.", "a") == "a."
    assert apply_macros("按$ARGUMENTS修复", "a") == "按a修复"
    for word in ("$ARGUMENTSX", "$ARGUMENTS_", "$ARGUMENTS1", "$arguments", "$ARGUMENT"):
        assert scan_macro_body(word) == [Literal(word)]


@requirement("briefing.macro.legacy-slice-open", "briefing.macro.legacy-slice-length")
def test_an_older_slice_has_its_numbers_after_colons() -> None:
    assert scan_macro_body("${@:2}${@:2:3}") == [Slice(2), Slice(2, 3)]
    assert apply_macros("${@:2}|${@:2:1}", "a b c") == "b c|b"


@requirement("briefing.macro.dollar-escape")
def test_two_dollars_are_one() -> None:
    assert apply_macros("$$1 costs $$ $$$1", "a") == "$1 costs $ $a"


@requirement("briefing.macro.literal-fallback")
@pytest.mark.parametrize(
    "text",
    [
        "${foo}", "$", "a $ b", "{{foo}}", "{{", "{{ x", "{{arg.}}", "{{arg.one}}", "{{arg.1x}}",
        "{{arg.1}", "{{arg.slice}}", "{{arg.slice 1 2 3}}", "{{arg.allx}}", "{{arg.all 1}}",
        "{{arg.1 2}}", "{{ arg .1}}", "{{arg. 1}}", "{{args.1}}", "{{ARG.1}}", "{{arg.-1}}",
        "${@:}", "${@::1}", "${@:1:}", "${@:x}", "${@ }", "${1}", "$x1", "$-1", "}}", "{arg.1}",
        "{{arg.\u0661}}", "$²", "$\uff11", "\u00a0{{\u00a0arg.1}}",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_placeholder_stays_as_it_is(text: str) -> None:
    assert scan_macro_body(text) == [Literal(text)]
    assert apply_macros(text, "a b c") == text


@pytest.mark.parametrize("form", ["{{{{arg.{}}}}}", "${}", "${{@:{}}}", "${{@:1:{}}}"])
def test_a_number_has_a_bounded_number_of_digits_and_a_longer_one_is_text(form: str) -> None:
    most = form.format("0" * (PLACEHOLDER_DIGITS - 1) + "1")
    over = form.format("0" * PLACEHOLDER_DIGITS + "1")
    assert scan_macro_body(most) != [Literal(most)]
    assert scan_macro_body(over) == [Literal(over)]
    far_over = form.format("9" * 1_000_000)
    assert scan_macro_body(far_over) == [Literal(far_over)]


@requirement("briefing.macro.single-pass")
def test_what_is_put_in_for_an_argument_is_not_looked_at_again() -> None:
    assert apply_macros("$1 {{arg.2}}", "'$2 {{arg.2}}' $$1") == "$2 {{arg.2}} $$1"
    assert apply_macros("{{arg.1}}{{arg.2}}", "{{ arg.1}}") == "{{arg.1}}"
    assert apply_macros("$@", "{{{{ $ARGUMENTS") == "{{{{ $ARGUMENTS"


@requirement("briefing.macro.legacy-reported")
def test_each_older_form_is_reported_once_with_how_to_write_it_now() -> None:
    heard: list[tuple[str, str]] = []
    body = "$1 $1 $@ ${@} $ARGUMENTS ${@:2} ${@:2:3} $$ {{arg.1}} {{{{ ${x} $ARGUMENTSX"
    apply_macros_reporting(body, "a", lambda form, now: heard.append((form, now)))
    assert heard == [
        ("$1", "{{arg.1}}"),
        ("$1", "{{arg.1}}"),
        ("$@", "{{arg.all}}"),
        ("${@}", "{{arg.all}}"),
        ("$ARGUMENTS", "{{arg.all}}"),
        ("${@:2}", "{{arg.slice 2}}"),
        ("${@:2:3}", "{{arg.slice 2 3}}"),
    ]
    for form, now in heard:
        assert scan_macro_body(form) == scan_macro_body(now)


@requirement("briefing.macro.reporter-threaded")
def test_two_reporters_do_not_hear_each_other() -> None:
    one: list[str] = []
    other: list[str] = []

    def report(form: str, now: str) -> None:
        one.append(form)
        scan_macro_body("$2", lambda form, now: other.append(form))

    assert apply_macros_reporting("$1", "a", report) == "a"
    assert apply_macros("$3", "a") == ""
    assert (one, other) == (["$1"], ["$2"])


@requirement("briefing.macro.non-ascii")
def test_text_that_is_not_ascii_survives() -> None:
    assert apply_macros("é{{arg.1}}😀$2ß{{{{ü", "日本 'naïve 👩‍💻'") == "é日本😀naïve 👩‍💻ß{{ü"


@requirement("briefing.macro.scope-quotes")
@pytest.mark.parametrize(
    ("raw", "args"),
    [
        ("", []),
        (" \t\n ", []),
        ("a  b\tc\nd", ["a", "b", "c", "d"]),
        ("'a b' \"c d\"", ["a b", "c d"]),
        ("a\"b c\"d", ["ab cd"]),
        ("--title='a b'", ["--title=a b"]),
        ("\"it's\" 'say \"hi\"'", ["it's", 'say "hi"']),
        ("'' \"\" a", ["a"]),
        ("a \"b c", ["a", "b c"]),
        ("a 'b  c ", ["a", "b  c "]),
        ("it doesn't work, I can't log in", ["it", "doesn't", "work,", "I", "can't", "log", "in"]),
    ],
)  # fmt: skip
def test_a_line_is_split_at_white_space_that_no_quotes_enclose(raw: str, args: list[str]) -> None:
    assert list(build_macro_scope(raw).args) == args


@requirement("briefing.macro.scope-fields")
def test_a_scope_has_the_arguments_all_joined_and_the_line_as_given() -> None:
    assert build_macro_scope(" a 'b  c' ") == MacroScope(("a", "b  c"), "a b  c", " a 'b  c' ")
    assert resolve_tokens([All(), Literal("|"), Positional(1)], MacroScope(("x",), "y")) == "y|x"


@requirement("briefing.macro.example-all-rest")
def test_the_documented_example_of_all_and_rest() -> None:
    expanded = apply_macros("all: {{arg.all}} | rest: {{arg.rest}}", "a b c")
    assert expanded == "all: a b c | rest: b c"


@requirement("briefing.macro.expand-only-known")
@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "",
        "/",
        "/other a",
        "/deployment",
        "/Deploy",
        " /deploy a",
        "/ deploy",
        "say /deploy",
    ],
)
def test_a_line_that_names_no_macro_passes_unchanged(line: str) -> None:
    assert expand_invocation(line, [macro("deploy", "ship {{arg.1}}")]) == line


def test_a_line_that_names_one_is_replaced_by_its_body() -> None:
    known = [macro("deploy", "ship <{{arg.1}}> <{{arg.rest}}>")]
    assert expand_invocation("/deploy", known) == "ship <> <>"
    assert expand_invocation("/deploy\na  b\nc ", known) == "ship <a> <b c>"


@requirement("briefing.macro.expand-first-match")
def test_of_two_macros_of_one_name_the_first_is_expanded() -> None:
    assert expand_invocation("/a", [macro("b", "x"), macro("a", "1"), macro("a", "2")]) == "1"
