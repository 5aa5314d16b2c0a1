"""`bash`: one command line, to its end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from induscode.kernel.tool import ShellOutcome, ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.bounded import joined, keep_beginning, keep_end
from induscode.tools.limits import COMMAND_SECONDS, COMMAND_SECONDS_MOST, RESULT_CHARACTERS

__all__ = ["execute"]

_ROOM = RESULT_CHARACTERS // 2 - 1_000


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    command: str = arguments["command"]
    seconds = min(float(arguments.get("timeout", COMMAND_SECONDS)), COMMAND_SECONDS_MOST)
    cwd, problem = _directory(arguments.get("cwd"), context)
    if problem or not command.strip() or "\0" in command:
        return ToolResult.error(problem or "The argument `command` of bash is empty or holds NUL.")
    try:
        outcome = await context.shell.run(
            command, cwd=cwd, seconds=seconds, cancel=context.cancel, progress=context.progress
        )
    except UnicodeEncodeError:
        return ToolResult.error("The argument `command` of bash holds half a character.")
    except OSError as error:
        return ToolResult.error(f"The command could not be started: {error.strerror or error}.")
    ending = _ending(outcome, seconds)
    text = "\n".join(part for part in (_output(outcome), ending) if part)
    return ToolResult(
        content=ToolResult.text(text).content,
        is_error=outcome.code != 0,
        details={"exit_code": outcome.code, "timed_out": outcome.timed_out},
    )


def _directory(text: str | None, context: ToolContext) -> tuple[Path, str]:
    if text is None:
        return context.cwd, ""
    try:
        path = resolve(context.cwd, text)
    except ValueError as error:
        return context.cwd, f"The argument `cwd` of bash is not usable: {error}."
    return path, "" if context.fs.is_dir(
        path
    ) else f"The argument `cwd` of bash names no directory: {path}."


def _ending(outcome: ShellOutcome, seconds: float) -> str:
    notes: list[str] = []
    if outcome.timed_out:
        notes.append(f"[timed out after {seconds:g} s; the command and what it started were ended]")
    elif outcome.code is None:
        notes.append("[the command was ended]")
    elif outcome.code:
        notes.append(f"[exit code {outcome.code}]")
    if outcome.note:
        notes.append(f"[{outcome.note}]")
    return "\n".join(notes)


def _output(outcome: ShellOutcome) -> str:
    if not outcome.omitted_bytes:
        return outcome.output.rstrip("\n") or "(no output)"
    beginning, end = keep_beginning(outcome.output, _ROOM), keep_end(outcome.tail, _ROOM)
    unseen = outcome.output[len(beginning) :] + outcome.tail[: len(outcome.tail) - len(end)]
    where = f"the whole output is in {outcome.spilled}" if outcome.spilled else "it was not kept"
    return joined(
        beginning,
        end.rstrip("\n"),
        lines=outcome.omitted_lines + unseen.count("\n"),
        size=outcome.omitted_bytes + len(unseen),
        where=where,
    )
