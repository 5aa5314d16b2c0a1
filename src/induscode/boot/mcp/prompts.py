"""Prompts of servers as commands: `/server:prompt name=value "a value"`.

What comes back is the server's words. It becomes an input that says so, and nothing else.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from induscode.boot.mcp.reaching import connected
from induscode.boot.mcp.wording import one_line
from induscode.errors import UserError
from induscode.feature.command import Submit
from induscode.feature.limits import COMMAND_NAME_CHARACTERS
from induscode.interop.faults import ServerFault
from induscode.interop.offers import OfferedPrompt
from induscode.kernel.content import Image, SaidBlock, Text

if TYPE_CHECKING:
    from induscode.boot.mcp.session import McpServers

__all__ = ["PROMPT_CHARACTERS", "PromptCommand", "argument_problem", "command_name", "typed_usage"]

PROMPT_CHARACTERS = 100_000
"""Of an input that a server's prompt becomes; what is left out is told in it."""

_SHOWN = 60
"""Characters of a server's own name for something, where a person is shown it."""

_NAMED = re.compile(r"[^\W\d][\w.-]*")


def command_name(server: str, prompt: str) -> str:
    """What is typed after the slash; "" when nothing that can be typed comes of it."""
    if not prompt.strip():
        return ""
    name = f"{_typable(server)}:{_typable(prompt.strip())}"
    return name if len(name) <= COMMAND_NAME_CHARACTERS else ""


def typed_usage(name: str, prompt: OfferedPrompt) -> str:
    """How the command is typed, what may be left out in brackets."""
    words = [f"/{name}"]
    for each in prompt.arguments:
        shown = f"{_visible(each.name)}=..."
        words.append(shown if each.required else f"[{shown}]")
    return " ".join(words)


def argument_problem(prompt: OfferedPrompt, given: Mapping[str, str]) -> str:
    """What is wrong with arguments for a prompt; empty when nothing is."""
    declared = {each.name for each in prompt.arguments}
    if unknown := [_visible(name) for name in given if name not in declared]:
        return f"it has no argument {unknown[0]}"
    for each in prompt.arguments:
        if each.required and each.name not in given:
            return f"it needs the argument {_visible(each.name)}"
    return ""


class PromptCommand:
    """One prompt of one server, as it was listed when the epoch began."""

    def __init__(self, servers: McpServers, server: str, prompt: OfferedPrompt) -> None:
        self._servers = servers
        self._server = server
        self._prompt = prompt
        self._name = command_name(server, prompt.name)

    async def run(self, arguments: str) -> Submit:
        """Raises `UserError`."""
        given = self._given(arguments)
        try:
            connection = await connected(self._servers, self._server)
            blocks = await connection.prompt(self._prompt.name, given)
        except ServerFault as fault:
            hint = fault.hint or "see how the server does: indus mcp list"
            raise UserError(_without_hint(fault), hint=hint) from fault
        said = _input_text(blocks)
        if not said.strip():
            raise UserError(f"/{self._name}: the server answered with an empty prompt")
        return Submit(
            f"[prompt {_visible(self._prompt.name)} of the MCP server {self._server}]\n{said}"
        )

    def _given(self, typed: str) -> dict[str, str]:
        """The arguments by name. Raises `UserError`."""
        try:
            words = shlex.split(typed)
        except ValueError as error:
            raise self._wrong(f"its arguments cannot be read: {error}") from error
        given, plain = self._named(words)
        free = [each.name for each in self._prompt.arguments if each.name not in given]
        if len(plain) > len(free):
            raise self._wrong(f"{_visible(plain[len(free)])!r} is one argument too many")
        given.update(zip(free, plain, strict=False))
        if problem := argument_problem(self._prompt, given):
            raise self._wrong(problem)
        return given

    def _named(self, words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
        """Those given as `name=value`, and the others in their order."""
        declared = {each.name for each in self._prompt.arguments}
        given: dict[str, str] = {}
        plain: list[str] = []
        for word in words:
            name, equals, value = word.partition("=")
            if not equals or not (name in declared or _NAMED.fullmatch(name)):
                plain.append(word)
            elif name in given:
                raise self._wrong(f"the argument {_visible(name)} is given twice")
            else:
                given[name] = value
        return given, plain

    def _wrong(self, problem: str) -> UserError:
        usage = typed_usage(self._name, self._prompt)
        return UserError(
            f"/{self._name}: {problem}",
            hint=f"type {usage}, or the values in this order; quote a value with spaces",
        )


def _input_text(blocks: Sequence[SaidBlock]) -> str:
    texts: list[str] = []
    images = 0
    for block in blocks:
        match block:
            case Text(text=text):
                texts.append(text)
            case Image():
                images += 1
            case _:
                texts.append(bytes(block.value).decode("utf-8", "replace"))
    said = "\n".join(texts)
    if len(said) > PROMPT_CHARACTERS:
        left_out = len(said) - PROMPT_CHARACTERS
        said = f"{said[:PROMPT_CHARACTERS]}\n[{left_out:,} more characters of it were left out]"
    if images:
        told = "a picture" if images == 1 else f"{images} pictures"
        said = f"{said}\n[{told} of it: left out, because an input of a command is text]"
    return said


def _without_hint(fault: ServerFault) -> str:
    said = f"; it said: {fault.said}" if fault.said else ""
    return f"the MCP server {fault.server!r}: {fault.message}{said}"


def _typable(text: str) -> str:
    return "".join(
        letter if letter.isprintable() and not letter.isspace() and letter != "/" else "-"
        for letter in text
    )


def _visible(name: str) -> str:
    return one_line(name, _SHOWN)
