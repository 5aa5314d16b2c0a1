from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.subject import CallView
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from tests.decks import bound_deck, view_of


class Bench:
    """The built-in tools in a real directory, with a real shell."""

    def __init__(self, root: Path) -> None:
        self.cwd = root / "work"
        self.cwd.mkdir()
        self.spilled = root / "spill"
        self.cancel = CancelToken()
        self.progress: list[str] = []
        self.shell = LocalShell(self.spilled)
        self.tools = bound_deck(self.cwd)

    def context(self) -> ToolContext:
        return ToolContext(
            cwd=self.cwd,
            fs=LocalFilesystem(),
            shell=self.shell,
            cancel=self.cancel,
            progress=self.progress.append,
            spill=self.spill,
        )

    def spill(self, name: str, text: str) -> Path:
        self.spilled.mkdir(exist_ok=True)
        path = self.spilled / f"{len(list(self.spilled.iterdir()))}-{name}"
        path.write_text(text)
        return path

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        return await self.tools[tool].tool.execute(arguments, self.context())

    async def said(self, tool: str, **arguments: Any) -> str:
        return plain_text((await self.call(tool, **arguments)).content)

    async def refused(self, tool: str, **arguments: Any) -> str:
        result = await self.call(tool, **arguments)
        assert result.is_error
        return plain_text(result.content)

    def view(self, tool: str, arguments: Mapping[str, Any]) -> CallView:
        return view_of(tool, arguments, self.cwd)

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(Path(os.path.realpath(tmp_path)))
