"""What a call asks to run, checked as far as its arguments go. The gate has judged it before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from induscode.kernel.tool import ToolContext
from induscode.policy.paths import resolve

__all__ = ["Asked", "asked_command", "start_trouble"]


class Asked(Struct, frozen=True):
    """`problem` is a sentence when the rest cannot be used."""

    command: str = ""
    cwd: Path = Path()
    problem: str = ""


def asked_command(tool: str, arguments: Mapping[str, Any], context: ToolContext) -> Asked:
    """The arguments `command` and `cwd` of a tool."""
    command: str = arguments.get("command", "")
    if not command.strip() or "\0" in command:
        return Asked(problem=f"The argument `command` of {tool} is empty or holds NUL.")
    try:
        os.fsencode(command)
    except UnicodeEncodeError:
        return Asked(problem=f"The argument `command` of {tool} holds half a character.")
    place: str | None = arguments.get("cwd")
    if place is None:
        return Asked(command, context.cwd)
    try:
        cwd = resolve(context.cwd, place)
    except ValueError as error:
        return Asked(problem=f"The argument `cwd` of {tool} is not usable: {error}.")
    if not context.fs.is_dir(cwd):
        return Asked(problem=f"The argument `cwd` of {tool} names no directory: {cwd}.")
    return Asked(command, cwd)


def start_trouble(error: OSError) -> str:
    return f"The command could not be started: {error.strerror or error}."
