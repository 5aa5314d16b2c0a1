"""Sessions with an MCP server that asks the person whatever its one tool is called with."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.channels.place import Place
from tests.cli.home import answer
from tests.interop.harbour import SERVERS

TOOL = "crm__ping"
_PID = "server.pid"
_BEGIN = 'echo $$ > "$0"; exec "$@"'
ACCOUNT = {
    "type": "object",
    "properties": {
        "account": {"type": "string", "title": "Account", "minLength": 3, "maxLength": 40},
        "seats": {"type": "integer", "minimum": 1, "maximum": 99, "default": 5},
        "region": {"type": "string", "enum": ["eu", "us"], "enumNames": ["Europe", "America"]},
        "extras": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
        "mail": {"type": "string", "format": "email"},
        "news": {"type": "boolean"},
    },
    "required": ["account", "region", "news"],
}


def form(message: str = "Which account?", schema: Any = ACCOUNT) -> tuple[str, dict[str, Any]]:
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return TOOL, {"method": "elicitation/create", "params": params}


def page(url: str, message: str = "Please sign in.") -> tuple[str, dict[str, Any]]:
    params = {"mode": "url", "message": message, "url": url, "elicitationId": "1"}
    return TOOL, {"method": "elicitation/create", "params": params}


def server_row(place: Place) -> dict[str, Any]:
    """The server, which leaves its process id behind."""
    program = (sys.executable, "-S", str(SERVERS / "raw.py"), "asking")
    return {"command": "sh", "args": ["-c", _BEGIN, str(place.home / _PID), *program]}


def server_pid(place: Place) -> int:
    return int((place.home / _PID).read_text())


def asking(place: Place, *calls: tuple[str, dict[str, Any]]) -> tuple[str, ...]:
    """The words of a session whose model makes these calls, one after the other. Its server is
    known already, so that the first turn has its tools."""
    rows = {"mcpServers": {"crm": server_row(place)}}
    (place.home / "mcp.json").write_text(json.dumps(rows))
    met = place.run("-p", "hi", "-m", place.script(answer("Hi."), "met.toml"))
    assert met.returncode == 0, met.stderr
    for log in place.logs():
        log.unlink()
    script = "".join(answer("", call) for call in calls) + answer("All done.")
    return ("-m", place.script(script), "--mode", "full")


def told(place: Place) -> list[dict[str, Any]]:
    """What the server was told, question by question."""
    results = [entry for entry in place.entries() if entry["type"] == "result"]
    return [json.loads(_text(entry))["result"] for entry in results]


def _text(entry: dict[str, Any]) -> str:
    (block,) = entry["content"]
    return block["text"]
