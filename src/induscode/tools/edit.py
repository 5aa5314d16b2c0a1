"""`edit`: exact replacements in a file, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.paths import resolve
from induscode.tools.compare import unified
from induscode.tools.replacing import EditProblem, apply, pairs
from induscode.tools.textfile import TextFile
from induscode.tools.trouble import os_problem

__all__ = ["execute"]


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        path = resolve(context.cwd, arguments["path"])
        edits = pairs(arguments)
    except EditProblem as problem:
        return ToolResult.error(str(problem))
    except ValueError as error:
        return ToolResult.error(f"The argument `path` of edit is not usable: {error}.")
    try:
        file = TextFile.decode(context.fs.read(path))
        if file is None:
            return ToolResult.error(f"{path} is a binary file; edit changes text.")
        after, report = apply(file.text, edits, replace_all=arguments.get("replace_all", False))
        context.fs.write(path, file.encode(after))
    except EditProblem as problem:
        return ToolResult.error(f"{path} was not changed. {problem}")
    except UnicodeEncodeError as error:
        return ToolResult.error(
            f"{path} was not changed. It cannot hold that text as {error.encoding}."
        )
    except OSError as error:
        return ToolResult.error(os_problem(context.fs, path, error))
    return ToolResult.text(
        f"Edited {path}: {report}.", display=unified(file.text, after, str(path))
    )
