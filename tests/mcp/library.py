"""A server without any library that has prompts and resources, and some tools.

python library.py FOLDER: on its standard streams. Of each request it appends a line to
`asked.jsonl` in the folder. Who reads `lib://die` kills it.
"""

import base64
import json
import os
import signal
import sys
from pathlib import Path

ASKED = Path(sys.argv[1], "asked.jsonl")
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TEXTS = {"lib://notes": "SECRET SHELF 7", "lib://long": "line of a long book\n" * 5_000}
PROMPTS = {
    "review": [("code", True), ("style", False)],
    "write a letter": [],
    "look": [],
}


def tool(name, description):
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS = [
    tool("lend", "Lend a book."),
    tool("take_back", "Take a book back."),
    tool("find_author", "Who wrote it."),
]


def said(text):
    return {"role": "user", "content": {"type": "text", "text": text}}


def prompt(name, arguments):
    match name:
        case "review":
            style = arguments.get("style", "plain")
            return [said(f"Review {arguments['code']} in {style} words.")]
        case "write a letter":
            return [said("Dear reader,"), {**said("Dear library,"), "role": "assistant"}]
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    return [said("Look at this:"), {"role": "user", "content": picture}]


def contents(uri):
    if uri == "lib://die":
        os.kill(os.getpid(), signal.SIGKILL)
    if uri == "lib://pixel":
        return {"uri": uri, "mimeType": "image/png", "blob": PIXEL}
    if uri == "lib://dust":
        return {"uri": uri, "blob": base64.b64encode(b"\0\1").decode()}
    return {"uri": uri, "mimeType": "text/plain", "text": TEXTS[uri]}


def answer(method, params):
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
                "serverInfo": {"name": "library", "version": "1"},
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return {"content": [{"type": "text", "text": f"{params['name']} ran"}]}
        case "prompts/list":
            return {"prompts": [offered(name) for name in PROMPTS]}
        case "prompts/get":
            return {"messages": prompt(params["name"], params.get("arguments", {}))}
        case "resources/list":
            named = {"lib://notes": "notes", "lib://pixel": "pixel", "lib://long": "long book"}
            return {"resources": [{"uri": uri, "name": name} for uri, name in named.items()]}
        case "resources/templates/list":
            return {"resourceTemplates": [{"uriTemplate": "lib://{shelf}", "name": "a shelf"}]}
        case "resources/read":
            return {"contents": [contents(params["uri"])]}
    return None


def offered(name):
    arguments = [{"name": each, "required": needed} for each, needed in PROMPTS[name]]
    return {"name": name, "description": f"The {name} prompt.", "arguments": arguments}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked or "method" not in asked:
        continue
    with ASKED.open("a") as file:
        file.write(json.dumps({"pid": os.getpid(), "method": asked["method"]}) + "\n")
    reply = {"jsonrpc": "2.0", "id": asked["id"]}
    found = answer(asked["method"], asked.get("params", {}))
    if found is None:
        reply["error"] = {"code": -32601, "message": "no such method"}
    else:
        reply["result"] = found
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
