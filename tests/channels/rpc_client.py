"""A small JSON-RPC client: a real process, a thread that reads, waits with a bound."""

import json
import queue
import subprocess
import threading
import time
from typing import Any, Self

from tests.channels.place import BOUND, INDUS, Place


class RpcClient:
    """`with RpcClient(place, words) as client:`; `lines` are all that came, as bytes."""

    def __init__(self, place: Place, *words: str) -> None:
        self.process = subprocess.Popen(
            [*INDUS, "--rpc", *words],
            cwd=place.workspace,
            env=place.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        self.stdin = self.process.stdin
        self.lines: list[bytes] = []
        self.seen: list[Any] = []
        self._used: set[int] = set()
        self._next = 0
        self._arrived: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(BOUND)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()

    def send_line(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")
        self.stdin.flush()

    def send(self, method: str, _id: Any = None, **params: Any) -> Any:
        """Send a request without waiting; returns its id."""
        if _id is None:
            self._next += 1
            _id = self._next
        message = {"jsonrpc": "2.0", "id": _id, "method": method, "params": params}
        self.send_line(json.dumps(message).encode())
        return _id

    def notify(self, method: str, **params: Any) -> None:
        self.send_line(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def call(self, method: str, **params: Any) -> Any:
        """Send and wait; returns the whole answer."""
        return self.answer(self.send(method, **params))

    def result(self, method: str, **params: Any) -> Any:
        answer = self.call(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def answer(self, wanted: Any) -> Any:
        return self.wait(lambda m: isinstance(m, dict) and "method" not in m and m["id"] == wanted)

    def event(self, kind: str) -> Any:
        """The next event of that type that was not waited for before."""
        return self.wait(lambda m: _is_event(m, kind))["params"]

    def events(self) -> list[Any]:
        return [
            m["params"] for m in self.seen if isinstance(m, dict) and m.get("method") == "event"
        ]

    def wait(self, fits: Any) -> Any:
        deadline = time.monotonic() + BOUND
        for message in list(self._pending()):
            if fits(message):
                self._used.add(id(message))
                return message
        while True:
            left = deadline - time.monotonic()
            assert left > 0, f"it did not come; seen: {self.seen[-20:]}"
            message = self._arrived.get(timeout=left)
            assert message is not None, f"the program ended; seen: {self.seen[-20:]}"
            self.seen.append(message)
            if fits(message):
                self._used.add(id(message))
                return message

    def ends_with(self) -> int:
        code = self.process.wait(BOUND)
        deadline = time.monotonic() + BOUND
        while (message := self._arrived.get(timeout=deadline - time.monotonic())) is not None:
            self.seen.append(message)
        return code

    def errors_said(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def _pending(self) -> list[Any]:
        return [message for message in self.seen if id(message) not in self._used]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._arrived.put(json.loads(line))
        self._arrived.put(None)


def _is_event(message: Any, kind: str) -> bool:
    if not isinstance(message, dict) or message.get("method") != "event":
        return False
    return message["params"]["type"] == kind
