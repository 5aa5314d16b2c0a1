"""`bg-process`: commands in the background, polled. Its engine is that of the tool `process`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from induscode.capability_deck.cards import app_card
from induscode.capability_deck.cards.acting import card_tool, unknown_action
from induscode.capability_deck.cards.definitions import BG_PROCESS
from induscode.capability_deck.contract import Capability, CapabilityCard, DeckContext
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.processes.asked import asked_command, start_trouble
from induscode.tools.processes.limits import BACKGROUND_FOLDER, KEPT_LINES
from induscode.tools.processes.table import ProcessTable, Tracked

__all__ = [
    "CAPTURE_FOLDER",
    "MAX_BUFFERED_LINES",
    "STOP_GRACE_MS",
    "DaemonTable",
    "build_daemon_capability",
    "daemon_card",
]

MAX_BUFFERED_LINES = KEPT_LINES
"""Lines of each stream, output and errors, that stay in memory."""

CAPTURE_FOLDER = BACKGROUND_FOLDER
"""Where the capture files are, in the session's folder of spilled texts."""

STOP_GRACE_MS = 3_000
"""Between SIGTERM and SIGKILL."""

_ACTIONS = ("start", "poll", "stop", "list")


class DaemonTable:
    """The background processes of one session, and what can be done with them."""

    def __init__(self) -> None:
        self._table = ProcessTable("bg")

    async def start(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        asked = asked_command("bg-process", arguments, context)
        if problem := asked.problem or self._table.problem():
            return ToolResult.error(problem)
        detached = arguments.get("detached", False)
        try:
            tracked = await self._table.start(asked, context, apart=True, detached=detached)
        except OSError as error:
            return ToolResult.error(start_trouble(error))
        return _told(tracked)

    def poll(self, name: str | None) -> ToolResult:
        found = self._table.find(name)
        return ToolResult.error(found) if isinstance(found, str) else _told(found)

    async def stop(self, name: str | None) -> ToolResult:
        found = self._table.find(name)
        if isinstance(found, str):
            return ToolResult.error(found)
        await found.spawned.stop(STOP_GRACE_MS / 1000)
        return _told(found)

    def list(self) -> ToolResult:
        told = [tracked.details() for tracked in self._table.all()]
        return replace(ToolResult.text(self._table.listing()), details={"processes": told})


def build_daemon_capability(ctx: DeckContext) -> Capability:
    """The tool, with a table of its own. Commands go through the shell of each call."""
    del ctx
    table = DaemonTable()

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        name: str | None = arguments.get("id")
        match arguments.get("action"):
            case "start":
                return await table.start(arguments, context)
            case "poll":
                return table.poll(name)
            case "stop":
                return await table.stop(name)
            case "list":
                return table.list()
            case action:
                return unknown_action("bg-process", action, _ACTIONS)

    return card_tool(BG_PROCESS, execute)


def daemon_card() -> CapabilityCard:
    return app_card("bg-process")


def _told(tracked: Tracked) -> ToolResult:
    content = (Text(f"{tracked.state}\n{tracked.look()}"),)
    return ToolResult(content=content, details=tracked.details())
