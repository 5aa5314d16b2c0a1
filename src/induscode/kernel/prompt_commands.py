"""The commands that a prompt has itself: no feature, macro or skill takes the name of one."""

from __future__ import annotations

__all__ = ["ALIASES", "COMMANDS", "RESERVED"]

COMMANDS = {
    "/help": "this",
    "/session": "which session this is, what it used, how to come back to it",
    "/continue": "go on with a turn that was stopped or broke off",
    "/compact": "let the model condense the conversation so far, to make room",
    "/quit": "leave (also /exit, or Ctrl-D)",
}
ALIASES = ("/exit",)
_SCREENS = ("/clear", "/model")

RESERVED = frozenset(name.removeprefix("/") for name in (*COMMANDS, *ALIASES, *_SCREENS))
"""All of them without the slash, and those that a screen has and a line prompt has not: who types
one of them must never reach anything else."""
