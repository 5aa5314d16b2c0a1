"""`write`: a whole file, new or replaced.

A file that is there keeps its encoding and its mark, if they can hold the new content; line ends
are written as they are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.compare import unified
from induscode.tools.knowing import file_details, unknown_state
from induscode.tools.limits import IMAGE_BYTES
from induscode.tools.reading.kinds import kind_of_bytes
from induscode.tools.textfile import TextFile, image_type
from induscode.tools.trouble import os_problem

__all__ = ["execute"]

_MARK = "\ufeff"


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
    try:
        before = _before(context, path)
        if before and (why := _unknown(context, path, before)):
            return ToolResult.error(why)
        old = TextFile.decode(before) if before is not None else None
        form = _form(old, content)
        if form is not None:
            data = form.encode(content.removeprefix(_MARK) if form.mark else content)
        context.fs.write(path, data)
    except OSError as error:
        return ToolResult.error(os_problem(context.fs, path, error))
    verb = "Created" if before is None else "Overwrote"
    size = f"{_counted(content)} lines, {len(data):,} bytes"
    text = f"{verb} {path}: {size}{_told(old, form, content)}."
    shown = unified(old.shown, content, str(path)) if old else text
    return replace(ToolResult.text(text, display=shown), details=file_details(context, path, data))


def _before(context: ToolContext, path: Path) -> bytes | None:
    """What stands there; None if nothing does. Raises OSError where it cannot be told, unless
    nobody asks what the model knows of it."""
    try:
        return context.fs.read(path)
    except FileNotFoundError:
        return None
    except OSError:
        if context.read_state is not None:
            raise
        return b"" if context.fs.is_file(path) else None


def _unknown(context: ToolContext, path: Path, before: bytes) -> str | None:
    """Why what stands there may not be replaced. What `read` cannot show cannot become known."""
    why = unknown_state(context, path, before)
    if why is None or _can_be_read(before):
        return why
    kind = "a picture that is too large" if image_type(before) else kind_of_bytes(before).what
    return (
        f"{path} is {kind}, which read does not show. To put something else in its place, remove "
        "it with a command first."
    )


def _can_be_read(data: bytes) -> bool:
    if image_type(data):
        return len(data) <= IMAGE_BYTES
    return TextFile.decode(data) is not None


def _form(old: TextFile | None, content: str) -> TextFile | None:
    """The form in which the file stays; None for plain UTF-8."""
    if old is None or (old.encoding == "utf-8" and not old.mark):
        return None
    try:
        old.encode(content)
    except UnicodeEncodeError:
        return None
    return old


def _counted(content: str) -> int:
    return content.count("\n") + (not content.endswith("\n") and content != "")


def _told(old: TextFile | None, form: TextFile | None, content: str) -> str:
    """What changed of the file's form, or stayed where one might not expect it."""
    if old is None:
        return ""
    told: list[str] = []
    if form is not None:
        told.append(f"still in {form.encoding}{' with its mark' if form.mark else ''}")
    elif old.encoding != "utf-8":
        told.append(f"now in utf-8: {old.encoding} cannot hold it")
    if "\r\n" in old.text and "\n" in content and "\r\n" not in content:
        told.append("its line ends were CRLF and are LF now")
    return "; " + "; ".join(told) if told else ""
