"""`write`: a whole file, new or replaced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.compare import unified
from induscode.tools.textfile import TextFile
from induscode.tools.trouble import os_problem

__all__ = ["execute"]


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    content: str = arguments["content"]
    try:
        path = resolve(context.cwd, arguments["path"])
        data = content.encode()
    except UnicodeEncodeError:
        return ToolResult.error("The argument `content` of write holds half a character.")
    except ValueError as error:
        return ToolResult.error(f"The argument `path` of write is not usable: {error}.")
    if context.fs.is_dir(path):
        return ToolResult.error(f"{path} is a directory; name a file.")
    before = _before(context, path)
    try:
        context.fs.write(path, data)
    except OSError as error:
        return ToolResult.error(os_problem(context.fs, path, error))
    lines = content.count("\n") + (not content.endswith("\n") and content != "")
    verb = "Created" if before is None else "Overwrote"
    text = f"{verb} {path}: {lines} lines, {len(data):,} bytes."
    old = TextFile.decode(before) if before is not None else None
    return ToolResult.text(text, display=unified(old.text, content, str(path)) if old else text)


def _before(context: ToolContext, path: Path) -> bytes | None:
    """What stood there: None if nothing did, empty if it could not be read."""
    if not context.fs.is_file(path):
        return None
    try:
        return context.fs.read(path)
    except OSError:
        return b""
