from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolResult
from induscode.tools import definitions
from induscode.tools.bounded import bounded
from induscode.tools.definition import Execute, LateTool, ToolDefinition
from induscode.tools.validated import validated
from induscode.tools.web import webfetch, websearch
from induscode.tools.web.settings import SearchSettings, WebSettings
from induscode.tools.web.way import Wire
from tests.tools.conftest import Bench
from tests.tools.web.site import Site


class Web:
    """The two tools as a session has them, in their wrappers."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    async def fetch(
        self,
        url: Any,
        *,
        allow: tuple[str, ...] = (),
        environ: Mapping[str, str] | None = None,
        wire: Wire | None = None,
        **more: Any,
    ) -> ToolResult:
        execute = webfetch.execute_with(WebSettings(allow), environ or {}, wire=wire)
        return await self.run(definitions.WEBFETCH, execute, {"url": url, **more})

    async def text(self, url: str, **more: Any) -> str:
        result = await self.fetch(url, **more)
        said = plain_text(result.content)
        assert not result.is_error, said
        return said

    async def refused(self, url: Any, **more: Any) -> str:
        result = await self.fetch(url, **more)
        assert result.is_error, plain_text(result.content)
        return plain_text(result.content)

    async def search(
        self, settings: SearchSettings, environ: Mapping[str, str] | None = None, **arguments: Any
    ) -> ToolResult:
        execute = websearch.execute_with(WebSettings(search=settings), environ or {})
        return await self.run(definitions.WEBSEARCH, execute, arguments)

    async def run(
        self, definition: ToolDefinition, execute: Execute, arguments: Mapping[str, Any]
    ) -> ToolResult:
        tool = bounded(validated(LateTool(definition, lambda: execute)))
        return await tool.execute(arguments, self.bench.context())


@pytest.fixture
def web(bench: Bench) -> Web:
    return Web(bench)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running
