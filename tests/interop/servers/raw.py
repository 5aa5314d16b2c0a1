"""A server without any library, for what no library would do.

python raw.py BEHAVIOUR, one of the names below. It speaks 2025-11-25 and has one tool.
"""

import json
import os
import signal
import sys
import time

CAPABILITIES = {
    "forgetful": {"tools": {}, "prompts": {}},
    "mumbling": {"tools": {}, "prompts": {}, "resources": {}},
}
TOOL = {"name": "ping", "description": "Answer.", "inputSchema": {"type": "object"}}

ELICIT = {
    "method": "elicitation/create",
    "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}},
}


def say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def answer(asked: dict, behaviour: str) -> object:
    match asked["method"]:
        case "initialize":
            if behaviour == "slow":
                time.sleep(1)
            return {
                "protocolVersion": "1999-01-01" if behaviour == "old" else "2025-11-25",
                "capabilities": CAPABILITIES.get(behaviour, {"tools": {}}),
                "serverInfo": {"name": "raw", "version": "1"},
            }
        case "tools/list":
            return tools(asked.get("params", {}).get("cursor"), behaviour)
        case "prompts/list" if behaviour == "forgetful":
            return {"prompts": [{"name": 7}]}
        case "tools/call" if behaviour == "misshapen":
            return {"content": [{"type": "text", "txt": 1}]}
        case "tools/call" if behaviour == "asking":
            say({"jsonrpc": "2.0", "id": "q", **asked["params"]["arguments"]})
            told = json.loads(sys.stdin.readline())
            return {"content": [{"type": "text", "text": json.dumps(told)}]}
        case "tools/call":
            return {"content": [{"type": "text", "text": "pong"}]}
    return None


def tools(cursor: str | None, behaviour: str) -> object:
    match behaviour:
        case "endless":
            page = int(cursor or 0)
            return {"tools": [{**TOOL, "name": f"ping{page}"}], "nextCursor": str(page + 1)}
        case "paged" if cursor is None:
            return {"tools": [TOOL], "nextCursor": "more"}
        case "paged":
            return {"tools": [{**TOOL, "name": "pong"}]}
    return {"tools": [TOOL]}


def begin(behaviour: str) -> None:
    """What it does before it listens."""
    match behaviour:
        case "silent":
            sys.stdin.read()
        case "late":
            time.sleep(1)
        case "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        case "greeting":
            for _ in range(1000):
                sys.stdout.write("Welcome! {not json\n\n[]\n")
            sys.stdout.write('{"jsonrpc": "2.0", "id": 999, "result": {}}\n')
        case "malformed":
            for number in range(25_000):
                sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {number}\n[[[[[[{{"\\ud800\n')
                sys.stdout.write('{"jsonrpc": "2.0", "method": 7, "params": "x"}\n')
                sys.stdout.write(f'{{"jsonrpc": "2.0", "id": "z{number}", "result": 5}}\n')
        case "endless-line":
            while True:
                sys.stdout.write("x" * 65536)


def called(behaviour: str) -> None:
    """What it does before it answers a call."""
    match behaviour:
        case "deaf":
            time.sleep(1000)
        case "nagging":
            method = "x" * 50_000  # which an answer repeats
            for number in range(1_000_000):
                say({"jsonrpc": "2.0", "id": number, "method": method})
        case "curious":
            for number in range(500):
                say({"jsonrpc": "2.0", "id": number, **ELICIT})
            for _ in range(400):
                sys.stdin.readline()
        case "mute":
            os.close(1)
            time.sleep(1000)
        case "loud":
            for _ in range(1600):
                sys.stderr.write("z" * 65535 + "\n")


def main(behaviour: str) -> None:
    begin(behaviour)
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked or "method" not in asked:
            continue
        if asked["method"] == "tools/call":
            called(behaviour)
        if behaviour == "mumbling" and asked["method"] == "prompts/list":
            continue
        found = answer(asked, behaviour)
        reply = {"jsonrpc": "2.0", "id": asked["id"]}
        if behaviour == "moody" and asked["method"] == "tools/call":
            say({**reply, "error": {"code": -32000, "message": "not today"}})
        elif found is None:
            say({**reply, "error": {"code": -32601, "message": "no such method"}})
        else:
            say({**reply, "result": found})
        if behaviour == "brief" and found is not None:
            return
    if behaviour == "stubborn":
        time.sleep(1000)


main(sys.argv[1])
