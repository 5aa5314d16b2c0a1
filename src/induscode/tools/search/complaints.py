"""What ripgrep complains about, and why a search was ended, as sentences for the model."""

from __future__ import annotations

import re
from pathlib import Path

from induscode.kernel.cancel import CancelToken
from induscode.tools.compare import close_names
from induscode.tools.search.limits import OUTPUT_BYTES, SEARCH_SECONDS
from induscode.tools.search.ripgrep import Ending, Outcome, search

__all__ = ["explained", "similar_types", "stopped"]

_LITERALLY = r"To look for the text itself, set literal, or put \ before ( ) [ ] { } . * + ? ^ $ |."


def stopped(outcome: Outcome) -> str:
    """Why not everything was looked at; "" if it was."""
    match outcome.ending:
        case Ending.TOO_LONG:
            return f"stopped after {SEARCH_SECONDS:g} s; search a smaller part"
        case Ending.TOO_MUCH:
            return f"stopped after {OUTPUT_BYTES // 1024 // 1024} MB of findings; narrow the search"
        case Ending.EXITED if outcome.code not in (0, 1):
            return "some files could not be read"
        case Ending.EXITED | Ending.ENOUGH | Ending.CANCELLED:
            return ""


def explained(complaint: str, pattern: str) -> str:
    """A complaint about the arguments. The pattern is the only one of them that nobody checked."""
    if found := re.search(r"^error: (.+)", complaint, re.MULTILINE):
        return f"{pattern!r} is not a regular expression: {found[1]}. {_LITERALLY}"
    first = complaint.strip().partition("\n")[0].removeprefix("rg: ")
    return f"The search is not possible: {first}."


async def similar_types(wanted: str, cwd: Path, cancel: CancelToken) -> str:
    """What to do about a file type that there is none of."""
    listed = bytearray()

    def take(data: bytes) -> bool:
        listed.extend(data)
        return False

    await search(["--type-list"], cwd=cwd, take=take, cancel=cancel)
    known = [line.partition(":")[0] for line in listed.decode("utf-8", "replace").splitlines()]
    near = close_names(wanted, known) or [name for name in known if name[:2] == wanted[:2]]
    guess = f" Similar ones: {', '.join(near[:5])}." if near else ""
    return f"There is no file type {wanted!r}.{guess} Or use glob, for example '*.{wanted}'."
