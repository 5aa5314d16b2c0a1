"""`indus sessions`: what there is to continue, replay and ask about."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from induscode.boot.commands.common import here, out, out_json, parser, table
from induscode.channels.terminal import safe
from induscode.session.listing import SessionRow, list_sessions, search_sessions

__all__ = ["run"]

_EXAMPLES = """\
  indus sessions                  the newest ones of this workspace
  indus sessions --all            of every workspace
  indus sessions --search "oauth refresh"
"""
_STEPS = ((86400 * 2, 86400, "d"), (3600 * 2, 3600, "h"), (120, 60, "min"))


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("sessions", "List sessions, newest first.", _EXAMPLES)
    words.add_argument("--all", action="store_true", help="of every workspace")
    words.add_argument("--search", metavar="WORDS", help="those in which you said all of these")
    words.add_argument("--limit", type=int, default=20, metavar="N", help="at most N (default 20)")
    words.add_argument("--json", action="store_true", help="one JSON array")
    asked = words.parse_args(argv)
    around = here(environ)
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


def _show(rows: list[SessionRow], *, wide: bool) -> None:
    now = time.time()
    cells = [
        [
            row.id,
            _ago(now - row.changed),
            f"{row.size / 1024:.0f} KB",
            *([Path(row.workspace).name] if wide else []),
            safe(row.title) + (f"  (fork of {row.origin[:10]})" if row.origin else ""),
        ]
        for row in rows
    ]
    heads = ["session", "changed", "size", *(["workspace"] if wide else []), "first words"]
    table(cells, heads)


def _ago(seconds: float) -> str:
    for least, unit, name in _STEPS:
        if seconds >= least:
            return f"{seconds / unit:.0f} {name} ago"
    return "just now"
