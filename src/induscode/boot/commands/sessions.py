"""`indus sessions`: what there is to continue, replay and ask about."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from induscode.boot.commands.common import found_session, here, out, out_json, parser, table
from induscode.boot.surroundings import Surroundings
from induscode.channels.terminal import Ink, safe
from induscode.session.listing import SessionRow, list_sessions, search_sessions

__all__ = ["run"]

_EXAMPLES = """\
  indus sessions                  the newest ones of this workspace
  indus sessions --all            of every workspace
  indus sessions --search "oauth refresh"
  indus sessions --tree last      the branches of one: inputs, rewinds, forks
"""
_FORKS = 1_000
_STEPS = ((86400 * 2, 86400, "d"), (3600 * 2, 3600, "h"), (120, 60, "min"))


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("sessions", "List sessions, newest first.", _EXAMPLES)
    words.add_argument("--all", action="store_true", help="of every workspace")
    words.add_argument("--search", metavar="WORDS", help="those in which you said all of these")
    words.add_argument("--limit", type=int, default=20, metavar="N", help="at most N (default 20)")
    words.add_argument("--tree", metavar="ID", help="the branches of this session")
    words.add_argument("--json", action="store_true", help="one JSON array")
    asked = words.parse_args(argv)
    around = here(environ)
    if asked.tree is not None:
        return _tree(around, asked.tree, Ink(sys.stdout, dict(environ)), json=asked.json)
    folders = [around.store.folder(around.workspace)]
    if asked.all:
        folders = sorted(p for p in around.store.root.glob("*") if p.is_dir())
    rows = (
        search_sessions(folders, asked.search, limit=asked.limit)
        if asked.search
        else list_sessions(folders, limit=asked.limit)
    )
    if asked.json:
        out_json(rows)
    elif not rows:
        out('no sessions here yet; start one with: indus -p "your question"')
    else:
        _show(rows, wide=asked.all)
    return 0


def _tree(around: Surroundings, wanted: str, ink: Ink, *, json: bool) -> int:
    from induscode.boot.session_tree import nodes_of, show_tree

    path, found = found_session(around, wanted)
    nodes = nodes_of(found.entries)
    if json:
        out_json(nodes)
        return 0
    beside = list_sessions([path.parent], limit=_FORKS)
    show_tree(nodes, [row for row in beside if row.origin == path.stem], ink)
    return 0


def _show(rows: list[SessionRow], *, wide: bool) -> None:
    now = time.time()
    shown = {row.id for row in rows}
    cells = [
        [
            "  " * depth + row.id,
            _ago(now - row.changed),
            f"{row.size / 1024:.0f} KB",
            *([Path(row.workspace).name] if wide else []),
            safe(row.title) + _belonging(row, shown),
        ]
        for row, depth in _nested(rows)
    ]
    heads = ["session", "changed", "size", *(["workspace"] if wide else []), "first words"]
    table(cells, heads)


def _nested(rows: list[SessionRow]) -> list[tuple[SessionRow, int]]:
    """Delegates below the session that they worked for, where that is shown, too."""
    shown = {row.id for row in rows}
    below: dict[str, list[SessionRow]] = {}
    for row in rows:
        below.setdefault(row.parent if row.parent in shown else "", []).append(row)
    found: list[tuple[SessionRow, int]] = []
    waiting = [(row, 0) for row in reversed(below.get("", []))]
    while waiting:
        row, depth = waiting.pop()
        found.append((row, depth))
        waiting.extend((child, depth + 1) for child in reversed(below.get(row.id, [])))
    return found


def _belonging(row: SessionRow, shown: Collection[str]) -> str:
    fork = f"  (fork of {row.origin[:10]})" if row.origin else ""
    parent = f"  (delegate of {row.parent})" if row.parent and row.parent not in shown else ""
    return fork + parent


def _ago(seconds: float) -> str:
    for least, unit, name in _STEPS:
        if seconds >= least:
            return f"{seconds / unit:.0f} {name} ago"
    return "just now"
