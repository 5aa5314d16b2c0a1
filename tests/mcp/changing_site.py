"""The server of `changing.py` as streamable HTTP: python changing_site.py FOLDER PORT."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from changing import begin, listed, listeners, note, reply


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Nobody reads it."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in asked or "method" not in asked:
            self.send(202, b"")
            return
        if asked["method"] == "initialize":
            note("greeted", headers=dict(self.headers))
        self.send(200, json.dumps(reply(asked)).encode())
        if asked["method"] == "tools/list":
            listed.set()

    def do_GET(self):
        """Notifications, until nobody hears them any more."""
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

    def send(self, code, body):
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("mcp-session-id", "one")
        self.end_headers()
        self.wfile.write(body)


begin()
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
server.daemon_threads = True
server.serve_forever()
