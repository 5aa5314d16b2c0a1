"""A session as running text: the answer as it streams, everything else in lines around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TextIO, assert_never

from induscode.channels.terminal import Ink, safe
from induscode.channels.toollines import call_line, outcome_lines
from induscode.kernel.events import (
    Alert,
    ApprovalAsked,
    Event,
    Fault,
    FormAsked,
    FormClosed,
    HookDecided,
    Noticed,
    RunResult,
    SessionOpened,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
    UsageReported,
)
from induscode.version import VERSION

__all__ = ["LineView"]

_THOUSAND = 1000
_NOTICE_LINES = 3
_DELEGATING_TOOL = "task"
"""Whose updates are lines of their own; those of other tools are their output, shown at the end."""


class LineView:
    """Writes the answer to `out` and faults to `err`; all else goes to `out` when somebody watches
    it, and to `err` when it is a pipe. One thread only."""

    def __init__(
        self, out: TextIO, err: TextIO, environ: Mapping[str, str], width: Callable[[], int]
    ) -> None:
        self._out = out
        self._err = err
        self._aside = out if out.isatty() else err
        self._width = width
        self.ink = Ink(self._aside, environ)
        self._tone = ""
        self._line_open = False
        self._held = ""
        self._calls: dict[str, str] = {}
        self._latest = ""
        self._delegating: set[str] = set()

    def show(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._stream(text, "text")
            case ThinkingDelta(text):
                self._stream(text, "thinking")
            case ToolStarted() | ToolUpdated() | ToolEnded():
                self._tool(event)
            case RunResult():
                self.line(self.ink(_summary(event), "dim"))
            case SessionOpened():
                self._opened(event)
            case Fault(message, fatal):
                self.fault(message, fatal=fatal)
            case Alert() | Noticed() | HookDecided():
                self._remark(event)
            case UsageReported():
                self.end_line()  # an answer is over, and another may follow it
            case ApprovalAsked() | FormAsked() | FormClosed():
                pass
            case _:
                assert_never(event)

    def line(self, text: str) -> None:
        """A line of our own; `text` may be coloured and must be safe."""
        self.end_line()
        self._aside.write(text + "\n")
        self._aside.flush()

    def fault(self, message: str, *, fatal: bool = False) -> None:
        self.end_line()
        name = self.ink("indus:", "red" if fatal else "yellow", "bold")
        self._err.write(f"{name} {safe(message)}\n")
        self._err.flush()

    def end_line(self) -> None:
        """Let what comes next begin a line of its own."""
        if self._line_open:
            self._out.write("\n")
            self._out.flush()
        self._tone = ""
        self._line_open = False
        self._held = ""

    def line_was_ended(self) -> None:
        """The terminal's own echo has begun a new line."""
        self._line_open = False

    def _stream(self, text: str, tone: str) -> None:
        stream = self._out if tone == "text" else self._aside
        if tone != self._tone:
            self.end_line()
            self._tone = tone
        text, self._held = self._held + text, ""
        if text.endswith("\r"):  # perhaps half of a line end
            text, self._held = text[:-1], "\r"
        shown = safe(text)
        if not shown:
            return
        stream.write(self.ink(shown, "dim") if tone == "thinking" else shown)
        stream.flush()
        self._line_open = not shown.endswith("\n")

    def _tool(self, event: ToolStarted | ToolUpdated | ToolEnded) -> None:
        width = self._width()
        match event:
            case ToolStarted(call=call, tool=tool, arguments=arguments):
                said = call_line(tool, arguments, width)
                self._calls[call] = said
                self._latest = call
                if tool == _DELEGATING_TOOL:
                    self._delegating.add(call)
                self.line(f"{self.ink('●', 'cyan')} {said}")
            case ToolUpdated(call=call, text=text):
                if call in self._delegating:
                    self.line(self.ink(f"  · {safe(text)}"[:width], "dim"))
                    self._latest = ""
            case ToolEnded(call=call, tool=tool, outcome=outcome, text=text, arguments=arguments):
                said = self._calls.pop(call, None)
                self._delegating.discard(call)
                if said is None:  # it never started
                    self.line(f"{self.ink('●', 'yellow')} {call_line(tool, arguments, width)}")
                elif call != self._latest:
                    self.line(f"{self.ink('└', 'cyan')} {said}")
                self._latest = ""
                for row in outcome_lines(tool, outcome, text, self.ink, width):
                    self.line(row)

    def _remark(self, event: Alert | Noticed | HookDecided) -> None:
        match event:
            case Alert(text):
                self.line(self.ink(f"· {safe(text)}", "dim"))
            case Noticed(text):
                self.line(self.ink(f"· {safe(_begun(text))}", "dim"))
            case HookDecided(point=point, by=by, decision=decision, reason=reason):
                what = f"{decision}: {safe(reason or point)}"
                self.line(self.ink(f"· {safe(by)}: {what}", "yellow"))

    def _opened(self, event: SessionOpened) -> None:
        name = self.ink(f"indus {VERSION}", "bold")
        self.line(f"{name} · {safe(event.model)} · mode {event.mode} · {safe(event.cwd)}")
        again = " (resumed)" if event.resumed else ""
        self.line(self.ink(f"session {event.session}{again} · /help for help", "dim"))


def _summary(result: RunResult) -> str:
    usage = result.usage
    read = usage.get("input", 0) + usage.get("cache_read", 0) + usage.get("cache_write", 0)
    parts = [
        "1 step" if result.steps == 1 else f"{result.steps} steps",
        f"{_short(read)} tokens in",
        f"{_short(usage.get('output', 0))} out",
    ]
    if usage.get("cache_read"):
        parts[1] += f" ({_short(usage['cache_read'])} cached)"
    if result.cost is not None:
        parts.append(f"${result.cost:.4f}")
    if result.exit:
        parts.append(f"exit {result.exit}")
    return "· " + " · ".join(parts)


def _short(count: int) -> str:
    return str(count) if count < 10 * _THOUSAND else f"{count / _THOUSAND:.1f}k"


def _begun(text: str) -> str:
    """What is shown of a text that is for the model: all of a few lines, the first of more."""
    lines = text.splitlines()
    if len(lines) <= _NOTICE_LINES:
        return text
    return f"{lines[0]} (and {len(lines) - 1} more lines)"
