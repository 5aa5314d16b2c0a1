"""Tool calls for people: one line for a call, a few for what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from induscode.channels.terminal import Ink, safe

__all__ = ["call_line", "outcome_lines"]

_TELLING = ("command", "pattern", "query", "path", "url", "objective", "slug", "plan", "action")
_OUTPUT_LINES = 6
_DIFF_LINES = 60
_NARROWEST = 20
_INDENT = "    "


def call_line(tool: str, arguments: Mapping[str, Any], width: int) -> str:
    """The tool and the argument that tells most, cut to the screen (a question is never cut)."""
    value = next((arguments[key] for key in _TELLING if key in arguments), None)
    if value is None:
        items = arguments.get("items")
        several = isinstance(items, list) and cast("list[object]", items)
        value = f"{len(several)} items" if several else arguments or ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    first, _, rest = safe(text).strip().partition("\n")
    more = f" … (+{rest.count(chr(10)) + 1} lines)" if rest else ""
    room = max(width - len(tool) - len(more) - 4, _NARROWEST)
    return f"{safe(tool)} {_cut(first, room)}{more}".rstrip()


def outcome_lines(tool: str, outcome: str, text: str, ink: Ink, width: int) -> list[str]:
    lines = safe(text).rstrip("\n").split("\n")
    room = max(width - len(_INDENT) - 1, _NARROWEST)
    if outcome == "ok" and lines[0].startswith("--- "):
        return _diff(lines[2:], ink, room)
    shown = lines[-_OUTPUT_LINES:] if tool == "bash" else lines[:_OUTPUT_LINES]
    rows = [_cut(line, room) for line in shown]
    hidden = len(lines) - len(shown)
    if hidden:
        rows.insert(0 if tool == "bash" else len(rows), f"… {hidden} more lines")
    style = {"ok": "dim", "error": "red", "invalid": "red"}.get(outcome, "yellow")
    if style == "yellow":
        rows[0] = _cut(f"{outcome}: {rows[0]}", room)
    return [_INDENT + ink(row, style) for row in rows]


def _diff(lines: list[str], ink: Ink, room: int) -> list[str]:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    rows = [_INDENT + ink(_cut(line, room), styles.get(line[:1], "dim")) for line in lines]
    if len(rows) > _DIFF_LINES:
        rows[_DIFF_LINES:] = [_INDENT + ink(f"… {len(rows) - _DIFF_LINES} more lines", "dim")]
    return rows


def _cut(text: str, room: int) -> str:
    text = text.expandtabs(4)
    return text if len(text) <= room else text[: room - 1] + "…"
