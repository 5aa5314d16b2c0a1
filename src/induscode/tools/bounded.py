"""A bound around any tool: the model reads the ends of a long result, a file keeps the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from induscode.kernel.content import Image, SaidBlock, Text
from induscode.kernel.tool import AgentTool, ToolContext, ToolResult
from induscode.tools.limits import RESULT_CHARACTERS

__all__ = ["bounded", "joined", "keep_beginning", "keep_end", "shortened"]


def bounded(tool: AgentTool, *, limit: int = RESULT_CHARACTERS) -> AgentTool:
    """The same tool with results of at most about `limit` characters: the beginning and the end,
    cut between lines, and between them a sentence that names the file with everything."""
    return _Bounded(tool, limit)


class _Bounded:
    def __init__(self, tool: AgentTool, limit: int) -> None:
        self._tool = tool
        self._limit = limit
        self.name = tool.name
        self.label = tool.label
        self.description = tool.description
        self.parameters = tool.parameters
        self.read_only = tool.read_only

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        result = await self._tool.execute(arguments, context)
        size = sum(len(_text(block)) for block in result.content)
        if size <= self._limit:
            return result
        said = "\n".join(_text(block) for block in result.content if not isinstance(block, Image))
        text = shortened(context.clean(said), f"{self.name}.txt", context.spill, limit=self._limit)
        images = tuple(block for block in result.content if isinstance(block, Image))
        return replace(result, content=(Text(text), *images))


def shortened(
    text: str, name: str, spill: Callable[[str, str], Path], *, limit: int = RESULT_CHARACTERS
) -> str:
    """A text of at most about `limit` characters; of a longer one both ends, and the rest is kept
    under `name`. Secrets must be gone from it before."""
    if len(text) <= limit:
        return text
    beginning = keep_beginning(text, limit // 2)
    end = keep_end(text, limit // 2)
    try:
        where = f"the whole text is in {spill(name, text)}"
    except OSError as error:
        where = f"the whole text could not be kept: {error}"
    left_out = text[len(beginning) : len(text) - len(end)]
    return joined(beginning, end, lines=left_out.count("\n"), size=len(left_out), where=where)


def joined(beginning: str, end: str, *, lines: int, size: int, where: str) -> str:
    """Both ends with a sentence between them about what is missing."""
    return f"{beginning}\n[... {lines:,} lines ({size:,} characters) left out; {where} ...]\n{end}"


def keep_beginning(text: str, room: int) -> str:
    """The beginning of `text`, up to the last end of a line that fits, if that keeps half of it."""
    if len(text) <= room:
        return text
    cut = text.rfind("\n", 0, room) + 1
    return text[:cut] if cut > room // 2 else text[:room]


def keep_end(text: str, room: int) -> str:
    """The end of `text`, from the first beginning of a line that fits, if that keeps half of it."""
    if len(text) <= room:
        return text
    start = len(text) - room
    cut = text.find("\n", start) + 1
    return text[cut:] if 0 < cut < len(text) - room // 2 else text[start:]


def _text(block: SaidBlock) -> str:
    match block:
        case Text(text=text):
            return text
        case Image():
            return ""
        case _:
            return bytes(block.value).decode("utf-8", "replace")
