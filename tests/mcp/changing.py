"""A server without any library whose tools are what a file says, also while it runs.

python changing.py FOLDER [PORT]: on its standard streams, or as streamable HTTP on a port. It reads
`tools.json` in the folder: a list of tools as MCP has them, each with `does` besides, which says
what becomes of a call (see `called`). When the file is another, it says that its list changed.

Of all that happens it appends a line to `deeds.jsonl`: that it started, listed, or ran a tool. With
`tools.json` missing it ends at once.
"""

import json
import os
import signal
import sys
import threading
import time

FOLDER = sys.argv[1]
TOOLS = os.path.join(FOLDER, "tools.json")
PROTOCOL = "2025-11-25"
LOCK = threading.Lock()
listeners = []
"""What is called with each notification."""
listed = threading.Event()


def note(deed, **more):
    line = json.dumps({"deed": deed, "pid": os.getpid(), **more}) + "\n"
    handle = os.open(os.path.join(FOLDER, "deeds.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(handle, line.encode())
    os.close(handle)


def tools():
    with open(TOOLS, "rb") as file:
        return json.load(file)


def stamp():
    try:
        found = os.stat(TOOLS)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def changed():
    for tell in list(listeners):
        tell({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


def watch(seen):
    """Says when the file became another."""
    while True:
        time.sleep(0.01)
        now = stamp()
        if now not in (seen, None):
            seen = now
            changed()


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
            print(dict(os.environ), file=sys.stderr, flush=True)
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
    with open(TOOLS + ".new", "w") as file:
        json.dump(others, file)
    os.replace(TOOLS + ".new", TOOLS)


def reply(asked):
    found = answer(asked)
    said = {"jsonrpc": "2.0", "id": asked["id"]}
    if found is None:
        return {**said, "error": {"code": -32601, "message": "no such method"}}
    return {**said, "result": found}


def speak():
    def say(value):
        with LOCK:
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


def listen(port):
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "id" not in asked or "method" not in asked:
                return self.send(202, b"")
            if asked["method"] == "initialize":
                note("greeted", headers=dict(self.headers))
            self.send(200, json.dumps(reply(asked)).encode())
            if asked["method"] == "tools/list":
                listed.set()
            return None

        def send(self, code, body):
            self.send_response(code)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.send_header("mcp-session-id", "one")
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            over = threading.Event()

            def tell(value):
                try:
                    self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
                except OSError:
                    listeners.remove(tell)
                    over.set()

            listeners.append(tell)
            note("subscribed")
            over.wait()
            self.close_connection = True

        def do_DELETE(self):
            self.send(200, b"")

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.serve_forever()


note("started", argv=sys.argv[1:], cwd=os.getcwd())
begun = stamp()
if begun is None:
    sys.exit("there is nothing to offer")
threading.Thread(target=watch, args=(begun,), daemon=True).start()
if len(sys.argv) > 2 and sys.argv[2].isdigit():
    listen(int(sys.argv[2]))
else:
    speak()
