"""`read`: a file as numbered lines, a notebook as its cells, a picture as a picture."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from induscode.kernel.content import Image, Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.knowing import file_details
from induscode.tools.limits import IMAGE_BYTES, IMAGE_SIDE, READ_LINES
from induscode.tools.pictures import is_oversized
from induscode.tools.reading.kinds import binary_sentence
from induscode.tools.reading.large import read_large
from induscode.tools.reading.lines import numbered
from induscode.tools.reading.notebook import Notebook
from induscode.tools.textfile import TextFile, image_type, line_ends
from induscode.tools.trouble import os_problem

__all__ = ["execute"]

_NOTEBOOK = ".ipynb"


class _Range(Struct, frozen=True):
    """What a call asks for: lines, or cells of a notebook."""

    offset: int
    limit: int


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        path = resolve(context.cwd, arguments["path"])
    except ValueError as error:
        return ToolResult.error(f"The argument `path` of read is not usable: {error}.")
    asked = _Range(int(arguments.get("offset", 1)), int(arguments.get("limit", READ_LINES)))
    try:
        try:
            data = context.fs.read(path)
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise
            return await read_large(path, asked.offset, asked.limit, context)
    except OSError as error:
        return ToolResult.error(os_problem(context.fs, path, error))
    result = _shown(path, data, asked, context)
    return result if result.is_error else replace(result, details=file_details(context, path, data))


def _shown(path: Path, data: bytes, asked: _Range, context: ToolContext) -> ToolResult:
    if media_type := image_type(data):
        return _picture(path, media_type, data)
    file = TextFile.decode(data)
    if file is None:
        return ToolResult.error(binary_sentence(path, data, len(data)))
    if path.suffix == _NOTEBOOK and (notebook := Notebook.parse(file.shown)) is not None:
        return _cells(path, notebook, asked, context)
    notes = (file.note, line_ends(file.text))
    return _lines(path, context.clean(file.shown), asked, notes)


def _picture(path: Path, media_type: str, data: bytes) -> ToolResult:
    about = f"{path}: {media_type}, {len(data):,} bytes"
    if len(data) > IMAGE_BYTES:
        return ToolResult.error(
            f"{about}; pictures of at most {IMAGE_BYTES:,} bytes can be shown. Make a smaller copy "
            "with a command."
        )
    if is_oversized(data):
        return ToolResult.error(
            f"{about}; a side of it is longer than the {IMAGE_SIDE:,} pixels that can be shown. "
            "Make a smaller copy with a command."
        )
    return ToolResult(content=(Text(about), Image(media_type, data)), display=about)


def _lines(path: Path, text: str, asked: _Range, notes: tuple[str, ...]) -> ToolResult:
    if not text:
        return ToolResult.text(f"[{path} is empty]")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    first, total = asked.offset, len(lines)
    if first > total:
        return ToolResult.error(f"{path} has {total} lines; offset {first} is past its end.")
    page = numbered(lines[first - 1 : first - 1 + asked.limit], first)
    where = _where("lines", first, page.last, total)
    return ToolResult.text(page.text(where, *notes), display=f"{path}: {len(page.lines)} lines")


def _cells(path: Path, notebook: Notebook, asked: _Range, context: ToolContext) -> ToolResult:
    total = len(notebook.cells)
    if not total:
        return ToolResult.text(f"[{path} is a notebook without cells]")
    if asked.offset > total:
        return ToolResult.error(f"{path} has {total} cells; offset {asked.offset} is past its end.")
    page = notebook.page(asked.offset, asked.limit, context.clean)
    about = f"[notebook of {total} cells; offset and limit count cells; edit changes its JSON]"
    where = _where("cells", asked.offset, page.last, total)
    text = "\n".join((about, page.text, *([f"[{where}]"] if where else [])))
    count = page.last - asked.offset + 1
    return ToolResult(
        content=(Text(text), *page.pictures), display=f"{path}: {count} cells of a notebook"
    )


def _where(what: str, first: int, last: int, total: int) -> str:
    if last < total:
        return f"{what} {first} to {last} of {total}; go on with offset {last + 1}"
    return f"{what} {first} to {last} of {total}" if first > 1 else ""
