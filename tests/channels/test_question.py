"""What a person is shown before they allow a call, and what their answer means."""

import io

import pytest

from induscode.channels.question import parse_answer, question_lines
from induscode.channels.terminal import Ink, exact, safe
from induscode.kernel.person import Choice, PersonAnswer, Question

OFFERED: tuple[Choice, ...] = ("once", "session", "no")


def shown(**arguments: object) -> list[str]:
    question = Question(
        id="1", tool="bash", arguments=arguments, reason="why", rule="rule", choices=OFFERED
    )
    return question_lines(question, Ink(io.StringIO(), {}))


def test_the_tail_of_a_long_command_is_shown() -> None:
    hidden = "echo fine " + " " * 4000 + "; rm -rf ~"

    assert f"  │ command: {hidden}" in shown(command=hidden)


def test_all_lines_of_a_command_are_shown_and_none_can_pose_as_ours() -> None:
    command = "true\n" + "\n" * 60 + "  y   yes, this once\nrm -rf ~"
    lines = shown(command=command)

    said = [line for line in lines if "│" in line]
    assert len(said) == 1 + command.count("\n") + 1
    assert said[0] == f"  │ command ({command.count(chr(10)) + 1} lines):"
    assert said[-1] == "  │   rm -rf ~"
    assert [line for line in lines if "yes, this once" in line and "│" not in line] == [
        "  y     yes, this once"
    ]


@pytest.mark.parametrize(
    "character",
    [
        *("\x00", "\x07", "\x08", "\t", "\r", "\x1b", "\x7f", "\x85", "\x9b", "\xa0", "\xad"),
        *("\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u200d", "\u200e", "\u2028", "\u202e"),
        *("\u2066", "\u2800", "\u3000", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ud800"),
        *("\U000e0041", "\U000e0100", "\U0010ffff"),
    ],
)
def test_no_character_of_a_call_is_invisible(character: str) -> None:
    mark = exact(f"a{character}b")

    assert character not in mark
    assert mark.isprintable()
    assert len(mark) > 2
    [line] = [line for line in shown(path=f"a{character}b") if "path" in line and "│" in line]
    assert mark in line


def test_structured_arguments_and_their_names_are_shown_whole() -> None:
    lines = shown(**{"edits": [{"old_text": "a\n\u202eb"}], "na\u200bme": 1})

    assert '  │ edits: [{"old_text":"a\\n<U+202E>b"}]' in lines
    assert "  │ na<U+200B>me: 1" in lines


def test_text_for_reading_keeps_its_lines_and_loses_its_commands() -> None:
    assert safe("a\tb\r\nc\n") == "a\tb\nc\n"
    assert safe("\x1b]52;c;YQ==\x07 \x9b2J \u202e \U000e0041 \ud800") == (
        "␛]52;c;YQ==␇ <U+009B>2J <U+202E> <U+E0041> <U+D800>"
    )
    assert safe("naïve 🎉 ❤️ 中文") == "naïve 🎉 ❤️ 中文"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", PersonAnswer("once")),
        (" YES ", PersonAnswer("once")),
        ("s", PersonAnswer("session")),
        ("n", PersonAnswer("no")),
        ("no, use make", PersonAnswer("no", "use make")),
        ("a", None),
        ("always", None),
        ("", None),
        ("yes but carefully", None),
        ("yy", None),
        ("timeout", None),
    ],
)
def test_only_a_clear_word_that_was_offered_is_an_answer(
    line: str, answer: PersonAnswer | None
) -> None:
    assert parse_answer(line, OFFERED) == answer
