"""Prompts of servers as commands: how they are typed, and what becomes of the answer."""

from __future__ import annotations

import pytest

from induscode.boot.mcp.offering import ServerFeature
from induscode.boot.mcp.prompts import PROMPT_CHARACTERS, PromptCommand, command_name
from induscode.capability_deck.mcp_config.servers import Source, StdioServer
from induscode.errors import UserError
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.offers import OfferedPrompt
from induscode.interop.standing import ServerState
from induscode.kernel.content import Image, Text
from tests.boot.mcp.servers import Line, Servers, given, prompt, standing

GIT = standing()


def command(offered: OfferedPrompt, line: Line) -> PromptCommand:
    return PromptCommand(given(Servers(GIT, git=line)), "git", offered)


async def typed(words: str, *arguments: str) -> dict[str, str]:
    """What the server is asked for when this is typed after the name."""
    line = Line([Text("Do it.")])
    await command(prompt("commit", *arguments), line).run(words)
    [(name, asked)] = line.asked
    assert name == "commit"
    return dict(asked)


async def complaint(words: str, *arguments: str) -> UserError:
    line = Line([Text("Do it.")])
    with pytest.raises(UserError) as raised:
        await command(prompt("commit", *arguments), line).run(words)
    assert line.asked == []
    return raised.value


@pytest.mark.parametrize(
    ("server", "name", "typed"),
    [
        ("git", "commit", "git:commit"),
        ("git", "write a commit", "git:write-a-commit"),
        ("my server", " a/b ", "my-server:a-b"),
        ("git", "line\nbreak\x1b[31m", "git:line-break-[31m"),
        ("git", "überprüfen", "git:überprüfen"),
        ("git", "right\u202eleft", "git:right-left"),
        ("git", "", ""),
        ("git", " \n", ""),
        ("git", "x" * 96, f"git:{'x' * 96}"),
        ("git", "x" * 97, ""),
    ],
)
def test_a_prompt_is_typed_as_the_server_and_its_name(server: str, name: str, typed: str) -> None:
    assert command_name(server, name) == typed


async def test_values_are_given_by_name_or_in_the_declared_order() -> None:
    assert await typed('a "b c"', "one", "two?") == {"one": "a", "two": "b c"}
    assert await typed('two="b c" a', "one", "two?") == {"one": "a", "two": "b c"}
    assert await typed("one=a=b", "one", "two?") == {"one": "a=b"}
    assert await typed("one=", "one") == {"one": ""}
    assert await typed("") == {}


async def test_an_equals_sign_in_what_is_no_name_is_part_of_a_value() -> None:
    assert await typed("https://x.example/?a=b", "url") == {"url": "https://x.example/?a=b"}
    assert await typed("'my arg=1'", "my arg") == {"my arg": "1"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "it needs the argument one"),
        ("two=b", "it needs the argument one"),
        ("a three=c", "it has no argument three"),
        ("a b c", "'c' is one argument too many"),
        ("one=a one=b", "the argument one is given twice"),
        ("'a", "its arguments cannot be read: No closing quotation"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_with_how_it_is_typed(
    words: str, says: str
) -> None:
    error = await complaint(words, "one", "two?")
    assert error.message == f"/git:commit: {says}"
    assert "type /git:commit one=... [two=...], or the values in this order" in error.hint


async def test_the_name_of_an_argument_cannot_reach_the_terminal() -> None:
    error = await complaint("", "\x1b[2Jone" + "x" * 100)
    assert "\x1b" not in str(error)
    assert len(error.message) < 120


async def test_the_input_says_whose_words_it_has() -> None:
    line = Line([Text("Commit"), Text("all of it.")])
    servers = Servers(GIT, git=line)
    made = await PromptCommand(given(servers), "git", prompt("co\nmmit")).run("")
    assert made.text == "[prompt co mmit of the MCP server git]\nCommit\nall of it."
    assert servers.fleet.tries == ["git"]
    assert (made.sources, made.notices, made.only) == ((), (), None)


async def test_pictures_are_left_out_and_told() -> None:
    line = Line([Text("Look:"), Image("image/png", b"x"), Image("image/png", b"y")])
    made = await command(prompt("look"), line).run("")
    assert made.text.endswith(
        "Look:\n[2 pictures of it: left out, because an input of a command is text]"
    )


async def test_a_prompt_has_a_bound_and_what_is_left_out_is_told() -> None:
    line = Line([Text("x" * (PROMPT_CHARACTERS + 7)), Image("image/png", b"x")])
    made = await command(prompt("long"), line).run("")
    assert len(made.text) < PROMPT_CHARACTERS + 300
    assert "[7 more characters of it were left out]" in made.text
    assert "[a picture of it" in made.text


async def test_an_empty_prompt_is_no_input() -> None:
    with pytest.raises(UserError, match="empty prompt"):
        await command(prompt("nothing"), Line([Text(" ")])).run("")


async def test_a_fault_of_the_server_is_told_to_the_person() -> None:
    fault = ServerFault(ServerFaultKind.FAILED, "git", "the prompt commit: no", said="oops")
    with pytest.raises(UserError) as raised:
        await command(prompt("commit"), Line(fault)).run("")
    assert raised.value.message == "the MCP server 'git': the prompt commit: no; it said: oops"
    assert raised.value.hint == "see how the server does: indus mcp list"


async def test_a_server_that_is_gone_is_told_with_how_it_stands() -> None:
    gone = standing(state=ServerState.WAITING, wait_seconds=2.0)
    with pytest.raises(UserError) as raised:
        await PromptCommand(given(Servers(gone)), "git", prompt("commit")).run("")
    assert raised.value.message == (
        "the MCP server 'git': it is not connected, and is tried again in 2 s"
    )
    assert raised.value.hint == "see: indus mcp list"


def test_a_server_with_very_many_prompts_has_commands_all_the_same() -> None:
    many = tuple(prompt(f"{n}{'😀' * 90}", description="😀\n" * 500) for n in range(10_000))
    source = Source("mcp.json", "mcpServers.git")
    config = StdioServer(name="git", source=source, launch="x", command="git")
    feature = ServerFeature(given(Servers(standing(prompts=many))), config, [])
    declared = feature.descriptor().frozen_copy().declared_commands
    assert len(declared) == 200
    assert declared[0].name == f"git:0{'😀' * 90}"
    assert "\n" not in declared[0].description
