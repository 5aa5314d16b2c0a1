"""The process that holds the model. Run by path with an isolated interpreter; imports nothing of
ours, so that it starts fast and sees neither our environment nor our files.

    python -I -S worker.py ENGINE_FOLDER MODEL_FILE THREADS

Standard input: one request per line, as the engine takes them (chat completions), or the word
`stop`. Standard output: `{"ready":true}` once, then per request `{"chunk":...}` lines and one
`{"done":true}`; `{"fault":"..."}` when the engine cannot be used. The end of the input ends it.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, cast

__all__ = ["main"]

CONTEXT = 4096
"""Tokens of a prompt and its answer; `transcript.py` keeps prompts below it."""

_BATCH = 64  # prompt tokens between two looks at whether to stop
_STOP = b"stop"


class EngineServer(Protocol):
    """What we use of `xllamacpp.Server`, which has no stubs. The callback ends the answer by
    returning True; errors of a request come through it, too."""

    def handle_chat_completions(
        self, request: bytes, on_chunk: Callable[[bytes], bool]
    ) -> None: ...


def main(argv: list[str]) -> int:
    engine, model, threads = argv
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing that foreign code prints is an answer

    def tell(line: bytes) -> None:
        out.write(line + b"\n")
        out.flush()

    inbox = _Inbox()
    threading.Thread(target=inbox.listen, daemon=True).start()
    sys.path.append(engine)
    try:
        server = _load(model, int(threads))
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        tell(json.dumps({"fault": str(error)}).encode())
        return 1
    tell(b'{"ready":true}')
    while True:
        _serve(server, inbox, tell)


def _serve(server: EngineServer, inbox: _Inbox, tell: Callable[[bytes], None]) -> None:
    request = inbox.requests.get()

    def on_chunk(chunk: bytes) -> bool:
        tell(b'{"chunk":' + chunk + b"}")
        return inbox.stop.is_set()

    try:
        server.handle_chat_completions(request, on_chunk)
    except (RuntimeError, ValueError) as error:
        tell(json.dumps({"fault": str(error)}).encode())
    tell(b'{"done":true}')


class _Inbox:
    """Reads while the engine works, so that a stop is seen and the end of the input is the end."""

    def __init__(self) -> None:
        self.requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.stop = threading.Event()

    def listen(self) -> None:
        for line in sys.stdin.buffer:
            if line.strip() == _STOP:
                self.stop.set()
            else:
                self.stop.clear()
                self.requests.put(line.strip())
        os._exit(0)


def _load(model: str, threads: int) -> EngineServer:
    engine = cast("Any", import_module("xllamacpp"))
    asked = engine.CommonParams()
    asked.model.path = model
    asked.n_ctx = CONTEXT
    asked.n_parallel = 1
    for share in (asked.cpuparams, asked.cpuparams_batch):
        share.n_threads = threads
        share.poll = 0  # waiting threads sleep: spinning starves the rest of a busy machine
    # More exact, and no slower at this size.
    asked.flash_attn_type = engine.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    asked.n_batch = asked.n_ubatch = _BATCH
    asked.cache_ram_mib = 0
    asked.n_threads_http = 1
    asked.warmup = asked.ui = asked.endpoint_slots = False
    asked.verbosity = -1
    # The engine insists on listening. It gets a socket that is gone before anyone can find it.
    with tempfile.TemporaryDirectory(prefix="indus-") as private:
        asked.hostnames = [f"{private}/engine.sock"]
        return cast("EngineServer", engine.Server(asked))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
