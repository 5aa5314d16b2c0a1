"""`/server:prompt` in sessions: what a person types becomes the server's words, marked as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.home import Ran, answer
from tests.mcp.harbour import until
from tests.mcp.reader import Reader
from tests.requirements import requirement


@pytest.fixture
def home(tmp_path: Path) -> Reader:
    made = Reader(tmp_path)
    made.library()
    return made


def typed(home: Reader, line: str) -> Ran:
    return home.run("-p", line, "-m", home.script(answer("Done.")))


def inputs(home: Reader) -> list[str]:
    return [block["text"] for entry in home.entries("input") for block in entry["content"]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/library:review code=x.py style='few and short'", "Review x.py in few and short words."),
        ('/library:review "x y.py"', "Review x y.py in plain words."),
        ("/library:write-a-letter", "Dear reader,\n[as if you had said:]\nDear library,"),
    ],
)
@requirement("feature.mcp.no-silent-context")
def test_a_prompt_becomes_the_input(home: Reader, line: str, words: str) -> None:
    assert typed(home, line).code == 0
    name = "review" if "review" in line else "write a letter"
    assert inputs(home) == [f"[prompt {name} of the MCP server library]\n{words}"]
    assert home.asked() == ["prompts/get"]
    assert home.replays()


def test_a_picture_is_left_out_of_the_input_and_told(home: Reader) -> None:
    assert typed(home, "/library:look").code == 0
    [text] = inputs(home)
    assert text.endswith(
        "Look at this:\n[a picture of it: left out, because an input of a command is text]"
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("/library:review", "it needs the argument code"),
        ("/library:review a b c", "'c' is one argument too many"),
        ("/library:review code=a mood=b", "it has no argument mood"),
    ],
)
def test_arguments_that_do_not_fit_are_told_once_and_nothing_is_asked(
    home: Reader, line: str, says: str
) -> None:
    ran = typed(home, line)
    assert ran.code == 1
    [complaint] = ran.complaints
    assert complaint == (
        f"indus: /library:review: {says}; type /library:review code=... [style=...],"
        " or the values in this order; quote a value with spaces"
    )
    assert home.asked() == []


def test_a_session_that_lives_has_the_commands_once_the_server_is_there(home: Reader) -> None:
    with home.talk([]) as talk:
        talk.result("initialize", client="a test")
        until(lambda: home.enrolled() == {"lend", "take_back", "find_author"}, "it was met")
        talk.result("submit", text="/library:review x.py")
        talk.end()
    assert inputs(home) == [
        "[prompt review of the MCP server library]\nReview x.py in plain words."
    ]
