"""`edit`: exact replacements in a file, all of them or none.

The bytes that are compared with what the model knows are the ones that the edits are applied to.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.compare import unified
from induscode.tools.knowing import file_details, unknown_state
from induscode.tools.replacing import EditProblem, Pair, apply, pairs
from induscode.tools.textfile import TextFile
from induscode.tools.trouble import os_problem

__all__ = ["execute"]

_NOTEBOOK = ".ipynb"


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        path = resolve(context.cwd, arguments["path"])
        edits = pairs(arguments)
    except EditProblem as problem:
        return ToolResult.error(str(problem))
    except ValueError as error:
        return ToolResult.error(f"The argument `path` of edit is not usable: {error}.")
    try:
        before = context.fs.read(path)
        file = TextFile.decode(before)
        if file is None:
            return ToolResult.error(f"{path} is a binary file; edit changes text.")
        if why := unknown_state(context, path, before):
            return ToolResult.error(why)
        after, report = _changed(path, file, edits, replace_all=arguments.get("replace_all", False))
        data = file.encode(after)
        context.fs.write(path, data)
    except EditProblem as problem:
        return ToolResult.error(f"{path} was not changed. {problem}")
    except UnicodeEncodeError as error:
        return ToolResult.error(
            f"{path} was not changed. It cannot hold that text as {error.encoding}."
        )
    except OSError as error:
        return ToolResult.error(os_problem(context.fs, path, error))
    shown = unified(file.shown, replace(file, text=after).shown, str(path))
    return replace(
        ToolResult.text(f"Edited {path}: {report}.", display=shown),
        details=file_details(context, path, data),
    )


def _changed(
    path: Path, file: TextFile, edits: tuple[Pair, ...], *, replace_all: bool
) -> tuple[str, str]:
    """The changed text and a report. A notebook is changed as the JSON that it is, and stays it."""
    if path.suffix != _NOTEBOOK or _not_json(file.text):
        return apply(file.text, edits, replace_all=replace_all)
    try:
        after, report = apply(file.text, edits, replace_all=replace_all)
    except EditProblem as problem:
        raise EditProblem(
            f"{problem}\nA notebook is changed as JSON: a line of a cell stands there as "
            'a string with its line break, like "x = 1\\n",'
        ) from problem
    if why := _not_json(after):
        raise EditProblem(f"The notebook would not be JSON any more: {why}.")
    return after, report


def _not_json(text: str) -> str:
    try:
        msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        return str(error) or "no JSON"
    return ""
