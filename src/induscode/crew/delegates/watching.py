"""What the parent's screen sees of a delegate: one short line per step, and its questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from induscode.crew.delegates.authority import DELEGATING_TOOL
from induscode.crew.delegates.limits import LAST_WORDS_CHARACTERS, UPDATE_CHARACTERS, UPDATES
from induscode.crew.delegates.person import asker
from induscode.kernel.events import (
    Alert,
    ApprovalAsked,
    Event,
    Fault,
    TextDelta,
    ToolStarted,
    ToolUpdated,
    UsageReported,
)
from induscode.kernel.tool import Progress

__all__ = ["Watch"]

_TELLING = ("command", "path", "pattern", "query", "url", "objective", "action")


class Watch:
    """Hears the events of one delegate. `tell` is the parent's own ear: it gets the questions, with
    who asks, and faults of the delegate once it has begun; what opening a session found was told
    when the parent was opened. `trouble` is what ended the delegate, `said` what it said last."""

    def __init__(
        self, agent: str, own: str, progress: Progress, tell: Callable[[Event], None]
    ) -> None:
        self.trouble = ""
        self._agent = agent or "delegate"
        self._own = own
        self._progress = progress
        self._tell = tell
        self._delegates: set[str] = set()
        self._shown = 0
        self._text = ""
        self._over = False
        self._begun = False

    def begin(self) -> None:
        self._begun = True

    @property
    def said(self) -> str:
        return self._text.strip()[-LAST_WORDS_CHARACTERS:]

    def hear(self, event: Event) -> None:
        match event:
            case ToolStarted(call=call, tool=tool, arguments=arguments):
                if tool == DELEGATING_TOOL:
                    self._delegates.add(call)
                self._show(f"{tool} {_telling(arguments)}")
            case ToolUpdated(call=call, text=text) if call in self._delegates:
                self._show(text)
            case ApprovalAsked():
                told = asker(event.asker, self._own)
                self._tell(msgspec.structs.replace(event, asker=told))
            case Alert(text):
                self._show(text)
            case Fault(message, fatal):
                self._hear_fault(event, message, fatal=fatal)
            case TextDelta(text):
                self._hear_text(text)
            case UsageReported():
                self._over = True
            case _:
                pass

    def _hear_fault(self, event: Fault, message: str, *, fatal: bool) -> None:
        if fatal:
            self.trouble = message
        elif self._begun:
            self._tell(msgspec.structs.replace(event, message=f"{self._agent}: {message}"))

    def _hear_text(self, text: str) -> None:
        if self._over:
            self._text, self._over = "", False
        self._text += text

    def _show(self, line: str) -> None:
        self._shown += 1
        if self._shown > UPDATES:
            return
        told = " ".join(f"{self._agent}: {line}".split())
        if self._shown == UPDATES:
            told = f"{self._agent}: … more of this is in its log"
        room = UPDATE_CHARACTERS
        self._progress(told if len(told) <= room else told[: room - 1] + "…")


def _telling(arguments: Mapping[str, Any]) -> str:
    value = next((arguments[key] for key in _TELLING if key in arguments), "")
    return value if isinstance(value, str) else ""
