"""Print mode: the final text on standard output, everything else on standard error."""

from __future__ import annotations

import sys

from induscode.channels.terminal import Ink, safe, write_line
from induscode.kernel.events import Alert, Event, Fault, HookDecided, RunResult

__all__ = ["PrintChannel"]


class PrintChannel:
    """Shows a run that nobody talks to. Give it events with `show`."""

    def __init__(self, environ: dict[str, str]) -> None:
        self._ink = Ink(sys.stderr, environ)
        self._terminal = sys.stdout.isatty()

    def show(self, event: Event) -> None:
        match event:
            case Fault(message, fatal):
                style = "red" if fatal else "yellow"
                write_line(f"{self._ink('indus:', style, 'bold')} {safe(message)}")
            case Alert(text):
                write_line(f"{self._ink('indus:', 'dim')} {safe(text)}")
            case HookDecided(point=point, by=by, decision=decision, reason=reason):
                what = f"{decision}: {safe(reason or point)}"
                write_line(f"{self._ink('indus:', 'yellow')} {by}: {what}")
            case RunResult(text=text, exit=code, session=session):
                self._final(text)
                if code:
                    write_line(self._ink(f"session {session} (exit {code})", "dim"))
            case _:
                pass

    def end(self) -> None:
        """Everything was shown as it happened."""

    def _final(self, text: str) -> None:
        if text:
            shown = safe(text) if self._terminal else text
            write_line(shown.rstrip("\n"), sys.stdout)
