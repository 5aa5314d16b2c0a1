"""What a person reads about MCP servers: every character visible, colour only where they look."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Self

from induscode.boot.commands.common import out
from induscode.boot.labelled import labelled
from induscode.boot.mcp.status import HeldTool, LiveTool, RowState, ServerRow, Status, Waiting
from induscode.boot.places import user_home
from induscode.channels.terminal import Ink, exact
from induscode.interop.standing import ServerState, Standing
from induscode.policy.trust import State

__all__ = ["ConnectingLine", "McpView"]

_LABEL = 12
_COLUMNS = 80
_PROMPTS = 20
_DIFFERENCE_LINES = 40
_DIFFERENCE_COLUMNS = 400
_COLOURS = {
    RowState.READY: "green",
    RowState.FAILED: "red",
    RowState.UNTRIED: "yellow",
    RowState.DISABLED: "dim",
    RowState.OVERRIDDEN: "dim",
    RowState.UNCONFIGURED: "yellow",
}
_TRUST = {
    State.WAITING: "waits for trust",
    State.NEW: "new, waits for trust",
    State.CHANGED: "changed since you trusted it",
    State.REFUSED: "cannot be trusted as it is",
    State.UNCHANGED: "trusted",
}
_MARKED = {"-": "red", "+": "green"}


class McpView:
    """`clean` takes secrets out. With `full`, nothing is shortened."""

    def __init__(
        self, environ: Mapping[str, str], clean: Callable[[str], str], *, full: bool = False
    ) -> None:
        self._ink = Ink(sys.stdout, environ)
        self._home = str(user_home(environ))
        self._clean = clean
        self._full = full
        try:
            self._columns = os.get_terminal_size(1).columns or _COLUMNS
        except OSError:
            self._columns = _COLUMNS

    def status(self, status: Status) -> None:
        for place, row in enumerate(status.servers):
            if place:
                out()
            self._server(row)
        if status.servers and (status.waiting or status.problems or status.ledger):
            out()
        for each in status.waiting:
            self._waiting(each)
        for problem in status.problems:
            where = (
                f"{self._file(problem.file)}: {problem.row}"
                if problem.row
                else (self._file(problem.file))
            )
            out(f"{self._ink('problem', 'red')}  {self._line(where)}: {self._line(problem.found)}")
            if problem.hint:
                self._entry("do", problem.hint)
        for sentence in status.ledger:
            out(f"{self._ink('ledger', 'red')}  {self._line(sentence)}")

    def held(self, name: str, reason: str, lines: Iterable[str]) -> None:
        """A tool that is held, with all that it differs in."""
        self._held(HeldTool(name, reason, tuple(lines)), "")

    def note(self, text: str) -> None:
        out(f"  {self._ink('note', 'yellow')}: {self._line(text)}")

    def _server(self, row: ServerRow) -> None:
        parts = [self._ink(self._line(row.name), "bold")]
        state = f"{row.state} ({row.protocol})" if row.protocol else row.state
        parts.append(self._ink(state, _COLOURS[row.state]))
        if row.transport:
            parts.append(row.transport)
        out(" · ".join(parts))
        if row.file:
            self._entry("from", f"{self._file(row.file)}: {row.row}")
        if row.by:
            self._entry("instead", self._file(row.by))
        if row.launch:
            out(f"  {'launched'.ljust(_LABEL)}{self._line(row.launch)}")
        if row.fault:
            self._entry("fault", row.fault, "red")
        if row.said:
            self._entry("it said", row.said)
        if row.hint:
            self._entry("do", row.hint)
        self._offers(row)
        for refused in row.refused:
            self._entry("refused", refused, "red")
        self._quarantine(row)

    def _offers(self, row: ServerRow) -> None:
        if row.tools:
            cost = f"about {row.tokens} tokens in every request"
            if row.deferred:
                cost = f"deferred: about {row.tokens} tokens, told to a model that looks for them"
            self._entry("tools", f"{len(row.tools)} ({cost})")
            self._tools(row.tools)
        elif row.state is RowState.READY and not row.held:
            self._entry("tools", "none")
        if row.unseen:
            why = (
                "is not configured here"
                if row.state is RowState.UNCONFIGURED
                else ("is launched another way now")
            )
            self._entry("known", f"{_count(row.unseen, 'tool')}, not offered: the server {why}")
        if row.prompts:
            more = f" and {left} more" if (left := len(row.prompts) - _PROMPTS) > 0 else ""
            self._entry("prompts", ", ".join(row.prompts[:_PROMPTS]) + more)
        if row.resources:
            self._entry("resources", "it has some")

    def _tools(self, tools: Sequence[LiveTool]) -> None:
        width = max(len(tool.name) for tool in tools)
        for tool in tools:
            room = max(self._columns - width - 6, 20)
            said = _shortened(self._line(" ".join(tool.description.split())), room, full=self._full)
            out(f"    {self._line(tool.name).ljust(width)}  {said}".rstrip())

    def _quarantine(self, row: ServerRow) -> None:
        if not row.held:
            return
        self._entry("held", f"{_count(len(row.held), 'tool')} until you approve", "red")
        for tool in row.held:
            self._held(tool, "    ")
        self._entry("do", f"look at the difference; accept: indus mcp approve {quote(row.name)}")

    def _held(self, tool: HeldTool, indent: str) -> None:
        name = self._ink(self._line(tool.name), "bold")
        out(f"{indent}{name}: {self._line(tool.reason)}")
        lines = list(tool.difference)
        more = len(lines) - _DIFFERENCE_LINES
        if indent and not self._full and more > 0:
            lines = [*lines[:_DIFFERENCE_LINES], f"... {more} more lines; add --full"]
        for line in lines:
            shown = self._line(line)
            if indent and not self._full and len(shown) > _DIFFERENCE_COLUMNS:
                left = len(shown) - _DIFFERENCE_COLUMNS
                shown = f"{shown[:_DIFFERENCE_COLUMNS]}... ({left} more characters; add --full)"
            colour = _MARKED.get(line[:1], "")
            out(f"{indent}  {self._ink(shown, colour) if colour else shown}")

    def _waiting(self, each: Waiting) -> None:
        state = self._ink(_TRUST[each.state], "yellow")
        out(f"{self._line(each.file)} · {state}, so nothing of it is used")
        if each.reason:
            self._entry("why", each.reason)
        self._entry("look", f"indus trust show {each.file}")
        if each.state is not State.REFUSED:
            self._entry("accept", f"indus trust grant {each.file}")

    def _file(self, path: str) -> str:
        """From here, or from the home directory, where that is shorter."""
        for base, before in ((str(Path.cwd()), ""), (self._home, "~/")):
            if path.startswith(f"{base}/"):
                return before + path[len(base) + 1 :]
        return path

    def _line(self, text: str) -> str:
        return exact(self._clean(text)).replace("\n", "\u240a")

    def _entry(self, label: str, text: str, colour: str = "") -> None:
        labelled(label, self._line(text), self._columns, self._ink, colour)


class ConnectingLine:
    """One line on a terminal while servers connect, gone afterwards; nothing elsewhere."""

    def __init__(self, servers: Iterable[str]) -> None:
        self._left = list(servers)
        self._on = sys.stderr.isatty()

    def __enter__(self) -> Self:
        self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        self._left = []
        self._draw()

    def hear(self, standing: Standing) -> None:
        if standing.state is not ServerState.CONNECTING and standing.server in self._left:
            self._left.remove(standing.server)
            self._draw()

    def _draw(self) -> None:
        if not self._on:
            return
        named = exact(", ".join(self._left)).replace("\n", "\u240a")
        line = _shortened(f"connecting: {named}", _COLUMNS - 1, full=False) if self._left else ""
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _shortened(text: str, most: int, *, full: bool) -> str:
    if full or len(text) <= most:
        return text
    return f"{text[: most - 3]}..."
