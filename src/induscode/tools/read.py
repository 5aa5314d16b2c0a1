"""`read`: a file as numbered lines, or a picture as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from induscode.kernel.content import Image, Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.limits import IMAGE_BYTES, LINE_CHARACTERS, READ_CHARACTERS, READ_LINES
from induscode.tools.textfile import TextFile, image_type
from induscode.tools.trouble import os_problem

__all__ = ["execute"]


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        path = resolve(context.cwd, arguments["path"])
    except ValueError as error:
        return ToolResult.error(f"The argument `path` of read is not usable: {error}.")
    try:
        data = context.fs.read(path)
    except OSError as error:
        return ToolResult.error(os_problem(context.fs, path, error))
    if media_type := image_type(data):
        return _picture(path, media_type, data)
    file = TextFile.decode(data)
    if file is None:
        return ToolResult.error(
            f"{path} is a binary file of {len(data):,} bytes; look at it with a command."
        )
    file = replace(file, text=context.clean(file.text))
    return _lines(
        path, file, int(arguments.get("offset", 1)), int(arguments.get("limit", READ_LINES))
    )


def _picture(path: Path, media_type: str, data: bytes) -> ToolResult:
    about = f"{path}: {media_type}, {len(data):,} bytes"
    if len(data) > IMAGE_BYTES:
        return ToolResult.error(f"{about}; pictures of at most {IMAGE_BYTES:,} bytes can be shown.")
    return ToolResult(content=(Text(about), Image(media_type, data)), display=about)


def _lines(path: Path, file: TextFile, offset: int, limit: int) -> ToolResult:
    if not file.text:
        return ToolResult.text(f"[{path} is empty]")
    lines = file.text.split("\n")
    if not lines[-1]:
        lines.pop()
    if offset > len(lines):
        return ToolResult.error(f"{path} has {len(lines)} lines; offset {offset} is past its end.")
    shown: list[str] = []
    size = 0
    cut = 0
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], offset):
        text = line.removesuffix("\r")
        if len(text) > LINE_CHARACTERS:
            cut += 1
            text = f"{text[:LINE_CHARACTERS]}[... {len(text) - LINE_CHARACTERS} more characters]"
        entry = f"{number:6}\t{text}"
        size += len(entry) + 1
        if size > READ_CHARACTERS and shown:
            break
        shown.append(entry)
    notes = _notes(file, offset, offset + len(shown) - 1, len(lines), cut)
    text = "\n".join([*shown, *notes])
    return ToolResult.text(text, display=f"{path}: {len(shown)} lines")


def _notes(file: TextFile, first: int, last: int, total: int, cut: int) -> list[str]:
    notes: list[str] = []
    if last < total:
        notes.append(f"[lines {first} to {last} of {total}; go on with offset {last + 1}]")
    elif first > 1:
        notes.append(f"[lines {first} to {last} of {total}]")
    if cut:
        notes.append(f"[{cut} long lines cut at {LINE_CHARACTERS} characters]")
    if file.note:
        notes.append(f"[{file.note}]")
    return notes
