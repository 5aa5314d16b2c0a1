"""The subject as an MCP server, without any library: only its tool, for servers have no more."""

import json
import sys

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
TOOL = {"name": "measure", "description": "Measure a text.", "inputSchema": SCHEMA}


def measured(text):
    wrong = text == "wrong"
    said = "that is wrong" if wrong else "it fits"
    return {"content": [{"type": "text", "text": said}], "isError": wrong}


def answer(asked):
    match asked["method"]:
        case "initialize":
            about = {"name": "subject", "version": "1.0.0"}
            told = {"capabilities": {"tools": {}}, "serverInfo": about}
            return {"result": {"protocolVersion": "2025-11-25", **told}}
        case "tools/list":
            return {"result": {"tools": [TOOL]}}
        case "tools/call":
            return {"result": measured(asked["params"]["arguments"]["text"])}
    return {"error": {"code": -32601, "message": "no such method"}}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        said = {"jsonrpc": "2.0", "id": request["id"], **answer(request)}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
