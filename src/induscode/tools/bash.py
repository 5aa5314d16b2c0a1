"""`bash`: one command line, to its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.kernel.tool import ShellOutcome, ShellStream, ToolContext, ToolResult
from induscode.tools.bounded import joined, keep_beginning, keep_end
from induscode.tools.limits import COMMAND_SECONDS, COMMAND_SECONDS_MOST, RESULT_CHARACTERS
from induscode.tools.processes.asked import asked_command, start_trouble

__all__ = ["execute", "shown_output"]

_ROOM = RESULT_CHARACTERS // 2 - 1_000


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    asked = asked_command("bash", arguments, context)
    if asked.problem:
        return ToolResult.error(asked.problem)
    seconds = min(float(arguments.get("timeout", COMMAND_SECONDS)), COMMAND_SECONDS_MOST)
    try:
        outcome = await context.shell.run(
            asked.command,
            cwd=asked.cwd,
            seconds=seconds,
            cancel=context.cancel,
            progress=context.progress,
        )
    except OSError as error:
        return ToolResult.error(start_trouble(error))
    ending = _ending(outcome, seconds)
    text = "\n".join(part for part in (shown_output(outcome) or "(no output)", ending) if part)
    return ToolResult(
        content=ToolResult.text(text).content,
        is_error=outcome.code != 0,
        details={"exit_code": outcome.code, "timed_out": outcome.timed_out},
    )


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


def shown_output(outcome: ShellOutcome | ShellStream) -> str:
    """What it said, without the last end of a line; of too much both ends, and where all of it
    is."""
    if not outcome.omitted_bytes:
        return outcome.output.rstrip("\n")
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
