from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from induscode.kernel.content import plain_text
from induscode.kernel.tool import AgentTool, ToolResult
from induscode.policy.redaction import Secrets
from induscode.tools.bounded import bounded
from induscode.tools.local_shell import LocalShell
from induscode.tools.native import create_process_tool
from induscode.tools.validated import validated
from tests.tools.conftest import Bench
from tests.tools.processes.escapes import new_marker

KEY = "sk-canary-9f2c41d7e8"
MARK = "[redacted: MY_KEY]"


class Yard(Bench):
    """A bench with the tool `process` on it, whose shell is closed at the end."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.marker = new_marker()
        self.shell = LocalShell(self.spilled, secrets=Secrets([("MY_KEY", KEY)]))
        self.process: AgentTool = bounded(validated(create_process_tool()))

    async def do(self, action: str, **arguments: Any) -> ToolResult:
        return await self.process.execute({"action": action, **arguments}, self.context())

    async def told(self, action: str, **arguments: Any) -> str:
        result = await self.do(action, **arguments)
        assert not result.is_error, plain_text(result.content)
        return plain_text(result.content)

    async def failed(self, action: str, **arguments: Any) -> str:
        result = await self.do(action, **arguments)
        assert result.is_error, plain_text(result.content)
        return plain_text(result.content)


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    made = Yard(Path(os.path.realpath(tmp_path)))
    yield made
    await made.shell.close()
