"""What a person reads about addons: every character visible, colour only where somebody looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from induscode.boot.addons.listing import AddonRow, AddonState
from induscode.boot.addons.plan import Difference, Plan
from induscode.boot.addons.records import TIERS
from induscode.boot.commands.common import out
from induscode.boot.labelled import labelled
from induscode.boot.places import user_home
from induscode.channels.terminal import Ink, exact

__all__ = ["AddonView"]

_COLUMNS = 80
_DIGEST = 16
_KILO = 1000
_COLOURS = {
    AddonState.OK: "green",
    AddonState.UNTRUSTED: "yellow",
    AddonState.CHANGED: "red",
    AddonState.PENDING: "yellow",
    AddonState.UNASKED: "yellow",
    AddonState.BROKEN: "red",
}
_SOURCES = {"user": "installed", "project": "of this workspace"}


class AddonView:
    def __init__(self, environ: Mapping[str, str]) -> None:
        self._ink = Ink(sys.stdout, environ)
        self._home = user_home(environ)
        try:
            self._columns = os.get_terminal_size(1).columns or _COLUMNS
        except OSError:
            self._columns = _COLUMNS

    def plan(self, plan: Plan) -> None:
        version = f" {_line(plan.version)}" if plan.version else ""
        out(f"{self._ink(_line(plan.id), 'bold')}{version} · {TIERS[plan.tier]}")
        if plan.description:
            self._entry("about", plan.description)
        files = f"{plan.files} file{'' if plan.files == 1 else 's'}"
        self._entry("from", f"{self.path(Path(plan.path))} ({files}, {_size(plan.bytes)})")
        self._entry("digest", plan.digest)
        self._entries("runs", plan.runs or ("nothing",))
        self._entry("confined", plan.confinement)
        if plan.asked:
            self._entry("", "It was run once, with nothing granted, to ask what it offers.")
        self._adds(plan)
        self._asks(plan)
        if plan.conflicts:
            out(self._ink("conflicts", "red"))
            self._entries("", plan.conflicts)
        if plan.installed is not None:
            self._difference(plan.installed, plan)

    def rows(self, rows: Iterable[AddonRow]) -> None:
        for row in rows:
            self._row(row)

    def path(self, path: Path) -> str:
        """From here, or from the home directory, where that is shorter."""
        for base, before in ((Path.cwd(), ""), (self._home, "~/")):
            if path.is_relative_to(base):
                return _line(before + str(path.relative_to(base)))
        return _line(str(path))

    def _adds(self, plan: Plan) -> None:
        out(self._ink("would add", "bold"))
        tools = [f"{one.tool} (about {one.tokens} tokens in every request)" for one in plan.tools]
        self._entries("tool", tools)
        self._entries("hook", plan.hooks)
        self._entries("command", plan.commands)
        self._entries("task", plan.tasks)
        if not (tools or plan.hooks or plan.commands or plan.tasks):
            self._entry("", "nothing")

    def _asks(self, plan: Plan) -> None:
        out(self._ink("asks for", "bold"))
        for asked in plan.requests:
            if not asked.contributes:
                need = "required" if asked.required else "optional"
                self._entry(need, f"{asked.capability}: {asked.reason}")
        adding = [asked.capability for asked in plan.requests if asked.contributes]
        if adding:
            self._entry("to add that", ", ".join(adding))
        if not plan.requests:
            self._entry("", "nothing")

    def _difference(self, difference: Difference, plan: Plan) -> None:
        version = f" {_line(difference.version)}" if difference.version else ""
        if difference.digest == plan.digest:
            out(f"{self._ink('installed', 'bold')}: this very content{version}")
            return
        named = f"installed{version} ({difference.digest[:_DIGEST]})"
        out(f"{self._ink('difference', 'bold')} from what is {named}")
        self._entry("came from", difference.origin)
        for label, names, colour in (
            ("added", difference.added, "green"),
            ("removed", difference.removed, "red"),
            ("changed", difference.changed, "yellow"),
        ):
            self._entries(label, names, colour)
        if not (difference.added or difference.removed or difference.changed):
            self._entry("", "It offers and asks for the same as before.")
        self._entries("file", difference.files)

    def _row(self, row: AddonRow) -> None:
        version = f" {_line(row.version)}" if row.version else ""
        tier = "" if row.tier is None else f" · tier {row.tier}"
        state = self._ink(row.state, _COLOURS[row.state])
        name = self._ink(_line(row.id or Path(row.where).name), "bold")
        out(f"{name}{version}{tier} · {_SOURCES[row.source]} · {state}")
        self._entry("where", self.path(Path(row.where)))
        if row.reason:
            self._entry("why", row.reason)
        self._entries("not granted", row.ungranted)
        self._entries("fault", row.faults)
        if remedy := _remedy(row):
            self._entry("do", remedy)

    def _entries(self, label: str, texts: Iterable[str], colour: str = "") -> None:
        for text in texts:
            self._entry(label, text, colour)

    def _entry(self, label: str, text: str, colour: str = "") -> None:
        labelled(label, _line(text), self._columns, self._ink, colour)


def _remedy(row: AddonRow) -> str:
    match row.state:
        case AddonState.UNASKED:
            return f"ask it what it offers: indus addon plan {row.where}"
        case AddonState.UNTRUSTED | AddonState.CHANGED if row.source == "project":
            return f"look: indus trust show {row.where}; accept: indus trust grant {row.where}"
        case AddonState.CHANGED:
            return f"install it anew, e.g. indus addon install {row.origin}"
        case _ if row.ungranted:
            return f"grant what you agree to: indus grants give {row.source}:{row.id} CAPABILITY"
        case _:
            return ""


def _line(text: str) -> str:
    return exact(text).replace("\n", "\u240a")


def _size(size: int) -> str:
    if size < _KILO:
        return f"{size} bytes"
    if size < _KILO * _KILO:
        return f"{size / _KILO:.1f} kB"
    return f"{size / _KILO / _KILO:.1f} MB"
