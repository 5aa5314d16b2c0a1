"""Features of a test in a session whose model is a server: what really goes over the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from induscode.sdk import Agent, OwnFeature
from tests.channels.place import Place
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import Script

MODEL = "anthropic/claude-sonnet-4-5"


class Wired:
    """An agent, and what its server was sent."""

    def __init__(self, agent: Agent, server: AnthropicServer) -> None:
        self.agent = agent
        self._server = server

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.json for request in self._server.requests]

    def said(self, number: int = -1, role: str = "user") -> list[str]:
        """The texts of that role in a request, results of tools left out."""
        return [
            block["text"]
            for message in self.bodies[number]["messages"]
            for block in message["content"]
            if message["role"] == role and block["type"] == "text"
        ]


@asynccontextmanager
async def wired(
    place: Place,
    steps: Sequence[Script],
    *features: OwnFeature,
    model: str = MODEL,
    **options: Any,
) -> AsyncIterator[Wired]:
    with AnthropicServer(steps) as server:
        environ = {
            **place.environ,
            "ANTHROPIC_API_KEY": "sk-of-a-test",
            "ANTHROPIC_BASE_URL": server.url,
        }
        where: dict[str, Any] = {"cwd": place.workspace, "home": place.home, "environ": environ}
        async with Agent(model, features=features, **{"mode": "full", **where, **options}) as agent:
            yield Wired(agent, server)
