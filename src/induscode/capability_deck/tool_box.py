"""Calling the tools of a deck by name, without a session: for programs and tests.

One context serves all calls of a box, so that `todo_read` sees what `todo_set` kept. Nothing judges
these calls: a session's calls pass the gate instead.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec
from msgspec.structs import replace

from induscode.capability_deck.contract import Capability, DeckContext, ToolOutcome
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Image, Json, SaidBlock, Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.spill import Spill

__all__ = ["DeckToolBox", "project_result"]


class DeckToolBox:
    """What a model is told of the tools, and a runner that fulfils every call of them."""

    def __init__(self, ctx: DeckContext, tools: Sequence[Capability]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._details: dict[str, Mapping[str, Any]] = {}
        # Made when something is first put there.
        self._folder = folder = Path(tempfile.gettempdir(), f"indus-box-{os.urandom(8).hex()}")
        self._shell = None
        shell = ctx.shell
        if shell is None:
            shell = self._shell = LocalShell(folder)
        self._base = ToolContext(
            cwd=ctx.cwd,
            fs=ctx.fs or LocalFilesystem(),
            shell=shell,
            cancel=CancelToken(),
            progress=lambda _: None,
            spill=Spill(folder, str).keep,
            read_state=ctx.framework.read_state,
            recall=self._details.get,
        )

    def descriptors(self) -> list[dict[str, Any]]:
        return [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in self._tools.values()
        ]

    async def close(self) -> None:
        """End what its calls left running, and remove what they spilled."""
        if self._shell is not None:
            await self._shell.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def run(
        self, name: str, arguments: Mapping[str, Any], cancel: CancelToken | None = None
    ) -> ToolOutcome:
        """Never raises: an unknown name, and whatever a tool does, is an outcome."""
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            return ToolOutcome(
                f"There is no tool named {name!r}. Known tools: {known}.", is_error=True
            )
        context = self._base if cancel is None else replace(self._base, cancel=cancel)
        running = asyncio.ensure_future(tool.execute(arguments, context))
        await asyncio.wait({running})
        failure = "it was stopped" if running.cancelled() else running.exception()
        if failure is not None:
            return ToolOutcome(f"{name} failed: {failure}", is_error=True)
        result = running.result()
        if result.details is not None and not result.is_error:
            self._details[name] = result.details
        return ToolOutcome(project_result(result), is_error=result.is_error)


def project_result(result: ToolResult) -> Any:
    """One value: a lone text as a string, a lone JSON block as its value, and otherwise a list of
    tagged fragments, none of them left out."""
    match result.content:
        case (Text(text=text),):
            return text
        case (Json(value=value),):
            return msgspec.json.decode(value)
        case several:
            return [_fragment(block) for block in several]


def _fragment(block: SaidBlock) -> dict[str, Any]:
    match block:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Json(value=value):
            return {"type": "json", "value": msgspec.json.decode(value)}
        case Image(media_type=media_type, data=data):
            return {"type": "image", "media_type": media_type, "data": data}
