"""Servers that others wrote, from npm and PyPI: where they are, and what to skip without them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck.mcp_config.servers import ServerConfig, StdioServer
from induscode.interop.fleet import Fleet
from induscode.interop.standing import ServerState
from tests.interop.harbour import Harbour, local, state
from tests.interop.npm import node

NPM = Path(__file__).parents[2] / "build" / "npm" / "node_modules" / ".bin"


def from_npm(name: str, *words: str, **more: Any) -> StdioServer:
    program, runner = NPM / f"mcp-server-{name}", node()
    if runner is None:
        pytest.skip("there is no Node: run `make setup`")
    if not program.exists():
        pytest.skip(f"{program.name} is not there: run `make servers`, which needs the network")
    return local(name, str(runner), str(program), *words, **more)


def from_pypi(name: str, *words: str, **more: Any) -> StdioServer:
    return local(name, str(Path(sys.executable).with_name(f"mcp-server-{name}")), *words, **more)


async def ready(harbour: Harbour, server: ServerConfig, **more: Any) -> Fleet:
    """Some of these do not end when nobody speaks to them any more, and need not be waited for."""
    fleet = await harbour.fleet(server, **{"close_seconds": 0.2, **more})
    assert state(fleet, server.name) is ServerState.READY, fleet.standings()
    return fleet
