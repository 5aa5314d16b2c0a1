"""The commands of the line prompt, in words."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from induscode.channels.ports import Snapshot
from induscode.channels.terminal import safe
from induscode.kernel.prompt_commands import ALIASES, COMMANDS

__all__ = ["about", "help_text", "unknown_command"]

_WIDEST = 28
_KEYS = """\
a line ending in \\ goes on in the next one; \"\"\" begins and ends a block of lines
while it works: what you type reaches the model with its next step; Ctrl-C stops the turn
a space before / says it to the model; a line that begins with a space is not kept in the history"""


def help_text(commands: Mapping[str, str]) -> str:
    """All there is; `commands` are those of features."""
    offered = {f"/{name}": what for name, what in commands.items()}
    listed = {**COMMANDS, **{safe(name): safe(what) for name, what in offered.items()}}
    width = min(max(map(len, listed)), _WIDEST)
    return "\n".join([*(f"{name:<{width}} {what}" for name, what in listed.items()), _KEYS])


def unknown_command(name: str, commands: Mapping[str, str]) -> str:
    """What to say to a name that is none; `commands` as for `help_text`."""
    near = get_close_matches(name, [*COMMANDS, *ALIASES, *(f"/{each}" for each in commands)], n=1)
    guess = f"did you mean {safe(near[0])}? " if near else ""
    return (
        f"there is no {safe(name)}; {guess}/help lists them, a space before it says it to the model"
    )


def about(now: Snapshot) -> str:
    cost = "not known" if now.cost is None else f"${now.cost:.4f}"
    used = " · ".join(f"{count} {name.replace('_', ' ')}" for name, count in now.usage.items())
    lines = [
        f"session  {now.session} · {now.entries} entries",
        f"again    indus -r {now.session}",
        f"model    {safe(now.model)} · mode {now.mode} · {safe(now.cwd)}",
        f"used     {now.steps} steps · tokens: {used} · cost {cost}",
    ]
    if now.unfinished:
        lines.append("the last turn broke off: /continue goes on with it")
    return "\n".join(lines)
