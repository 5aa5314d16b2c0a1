"""What comes back to the model that delegated: the answer, bounded, and where the log is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from induscode.crew.delegates.limits import ANSWER_CHARACTERS
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolResult
from induscode.session.delegation import Delegated

__all__ = ["answered", "fell_short"]

Keep = Callable[[str, str], Path]

_WHY = {
    "failed": "The delegate failed",
    "stopped": "The delegate was stopped by the user",
    "late": "The delegate's time was over and it was stopped",
    "spent": "The delegate used up its budget and was stopped",
}


def answered(text: str, became: Delegated, keep: Keep) -> ToolResult:
    """The delegate came to its end."""
    said = _bounded(text.strip(), keep) or "(it answered without any text)"
    return ToolResult(
        content=(Text(f"{said}\n\n{_pointer(became)}"),),
        display=said,
        details=became.details(),
    )


def fell_short(why: str, last_words: str, became: Delegated) -> ToolResult:
    """It did not. What it had done by then stays done."""
    told = [f"{_WHY.get(became.ended, 'The delegate ended')}{f': {why}' if why else ''}."]
    told.append("What it had done by then stays done: check before you do it again.")
    if last_words:
        told.append(f"It said last:\n{last_words}")
    return ToolResult.error("\n".join([*told, "", _pointer(became)]), details=became.details())


def _pointer(became: Delegated) -> str:
    used = became.used
    steps = "1 step" if used.steps == 1 else f"{used.steps} steps"
    price = "" if used.price is None else f", {used.price:.4f} USD"
    refused = f", {used.refused} refused for want of a person to ask" if used.refused else ""
    who = f"delegate {became.agent}" if became.agent else "delegate"
    return f"[{who}: {steps}{price}{refused}; its log is session {became.session}]"


def _bounded(text: str, keep: Keep) -> str:
    if len(text) <= ANSWER_CHARACTERS:
        return text
    try:
        where = f"all of it is in {keep('delegate.txt', text)}"
    except OSError as error:
        where = f"the rest could not be kept: {error}"
    left = len(text) - ANSWER_CHARACTERS
    return f"{text[:ANSWER_CHARACTERS]}\n[... {left:,} more characters of the answer; {where} ...]"
