"""A server without any library whose tools are what a file says, also while it runs.

python changing.py FOLDER speaks on its standard streams; `changing_site.py` is the same at an
address. It reads `tools.json` in the folder: a list of tools as MCP has them, each with `does`
besides, which says what becomes of a call (see `called`). When the file is another, it says that
its list changed. Of all that happens it appends a line to `deeds.jsonl`: that it started, listed,
or ran a tool. With `tools.json` missing it ends at once.
"""

import json
import os
import signal
import sys
import threading
import time

PROTOCOL = "2025-11-25"
os.chdir(sys.argv[1])
listeners = []
"""Each is called with every notification."""
listed = threading.Event()
writing = threading.Lock()


def note(deed, **more):
    line = json.dumps({"deed": deed, "pid": os.getpid(), **more}) + "\n"
    handle = os.open("deeds.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, line.encode())
    os.close(handle)


def tools():
    with writing:
        handle = os.open("tools.json", os.O_RDONLY)
        with os.fdopen(handle, "rb") as file:
            return json.load(file)


def stamp():
    """Which file it is, None when there is none."""
    found = [each.stat() for each in os.scandir() if each.name == "tools.json"]
    return (found[0].st_ino, found[0].st_mtime_ns) if found else None


def watch(seen):
    """Says when the file became another."""
    while True:
        time.sleep(0.01)
        now = stamp()
        if now not in (seen, None):
            seen = now
            for tell in (*listeners,):
                tell({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


def answer(asked):
    params = asked.get("params", {})
    match asked["method"]:
        case "initialize":
            return {
                "protocolVersion": PROTOCOL,
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "changing", "version": "1"},
            }
        case "tools/list":
            offered = [{k: v for k, v in tool.items() if k != "does"} for tool in tools()]
            note("listed", tools=[tool["name"] for tool in offered])
            return {"tools": offered}
        case "tools/call":
            return called(params["name"], params.get("arguments", {}))
    return None


def called(name, arguments):
    """`does` is a text, a whole result, or one of these: "wait" for ever, "die" by a signal,
    "shout" the environment on stderr and end, tell the "environment", and {"become": TOOLS}: be a
    server with these tools, and answer when they were listed."""
    note("ran", tool=name, arguments=arguments)
    does = next((tool.get("does", "done") for tool in tools() if tool["name"] == name), "done")
    match does:
        case "wait":
            threading.Event().wait()
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "shout":
            sys.stderr.write(json.dumps(dict(os.environ)) + "\n")
            sys.stderr.flush()
            os._exit(1)
        case "environment":
            does = json.dumps(dict(os.environ))
        case {"become": others}:
            listed.clear()
            become(others)
            listed.wait(20)
            does = "I am another now."
        case {"content": _}:
            return does
    return {"content": [{"type": "text", "text": does}]}


def become(others):
    with writing:
        handle = os.open("tools.json", os.O_WRONLY | os.O_TRUNC)
        os.write(handle, json.dumps(others).encode())
        os.close(handle)


def reply(asked):
    found = answer(asked)
    said = {"jsonrpc": "2.0", "id": asked["id"]}
    if found is None:
        return {**said, "error": {"code": -32601, "message": "no such method"}}
    return {**said, "result": found}


def begin():
    note("started", argv=sys.argv[1:])
    begun = stamp()
    if begun is None:
        sys.exit("there is nothing to offer")
    threading.Thread(target=watch, args=(begun,), daemon=True).start()


def speak():
    lock = threading.Lock()

    def say(value):
        with lock:
            sys.stdout.write(json.dumps(value) + "\n")
            sys.stdout.flush()

    def serve(asked):
        say(reply(asked))
        if asked["method"] == "tools/list":
            listed.set()

    listeners.append(say)
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked and "method" in asked:
            threading.Thread(target=serve, args=(asked,), daemon=True).start()
    os._exit(0)


if __name__ == "__main__":
    begin()
    speak()
