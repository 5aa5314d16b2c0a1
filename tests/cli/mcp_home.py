"""A home with MCP servers, as its commands tell of it."""

from __future__ import annotations

import json
from typing import Any

from tests.channels.place import Place
from tests.mcp.harbour import Harbour


class Desk(Place):
    """A home and its workspace, for somebody at a terminal."""

    def __init__(self, home: Harbour) -> None:
        self.workspace, self.home = home.work, home.indus
        self._environ = {**home.environ(), "TERM": "xterm"}

    @property
    def environ(self) -> dict[str, str]:
        return self._environ


def listed(home: Harbour, *words: str) -> dict[str, Any]:
    """What `indus mcp list` says to a program."""
    ran = home.run("mcp", "list", "--json", *words)
    assert ran.code == 0, ran.err
    assert ran.err == ""
    return json.loads(ran.out)


def row(told: dict[str, Any], name: str) -> dict[str, Any]:
    """The one server of this name."""
    [found] = [each for each in told["servers"] if each["name"] == name]
    return found
