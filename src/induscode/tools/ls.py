"""`ls`: what a directory holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.limits import LISTED_NAMES
from induscode.tools.trouble import os_problem, shown_name

__all__ = ["execute"]


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        path = resolve(context.cwd, arguments.get("path", "."))
    except ValueError as error:
        return ToolResult.error(f"The argument `path` of ls is not usable: {error}.")
    if context.fs.is_file(path):
        return ToolResult.error(f"{path} is a file, not a directory; read shows it.")
    try:
        names = context.fs.names(path)
    except OSError as error:
        return ToolResult.error(os_problem(context.fs, path, error))
    return _listed(path, names)


def _listed(path: Path, names: tuple[str, ...]) -> ToolResult:
    display = f"{path}: {len(names)} names"
    if not names:
        return ToolResult.text(f"{path} is empty.", display=display)
    shown = names[:LISTED_NAMES]
    lines = [shown_name(name) for name in shown]
    if len(shown) < len(names):
        lines.append(f"[{len(shown):,} of {len(names):,} names; list a directory below, or search]")
    return ToolResult.text("\n".join(lines), display=display)
