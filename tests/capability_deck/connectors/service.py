"""A loopback service, and a desk from which a model's calls reach it through `saas-action`."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from induscode.capability_deck.cards.saas import build_saas_capability
from induscode.capability_deck.connectors.gateway import OpenApiGateway
from induscode.capability_deck.connectors.http import Patience
from induscode.capability_deck.connectors.settings import read_connectors
from induscode.capability_deck.contract import DeckContext, DeckFramework
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.bounded import bounded
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.validated import validated

__all__ = ["DOCUMENTS", "Desk", "Reply", "Seen", "Service", "answer", "shop"]

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
DOCUMENTS = Path(__file__).parent / "documents"


@dataclass(frozen=True)
class Seen:
    """A request as it came; names of headers are lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """`hold` is waited for before the body is sent, after the head."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    kind: str = "application/json"
    hold: threading.Event | None = None
    length: bool = True


Answering = Callable[[Seen], Reply]


class Service:
    """Answers as `answering` says, and remembers what it was asked."""

    def __init__(
        self, answering: Answering | None = None, *, tls: ssl.SSLContext | None = None
    ) -> None:
        self.answering: Answering = answering or (lambda _: Reply())
        self.seen: list[Seen] = []
        self.arrived = threading.Event()
        self.release = threading.Event()
        made = {f"do_{name}": self._serve for name in _METHODS}
        quiet = {"log_message": lambda *_: None}
        handler = type("Handler", (BaseHTTPRequestHandler,), {**made, **quiet})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = False
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        self.port = self._server.server_port
        self.origin = f"{scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def _serve(self) -> Callable[[BaseHTTPRequestHandler], None]:
        def serve(handler: BaseHTTPRequestHandler) -> None:
            length = int(handler.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in handler.headers.items()}
            seen = Seen(handler.command, handler.path, headers, handler.rfile.read(length))
            self.seen.append(seen)
            self.arrived.set()
            reply = self.answering(seen)
            handler.send_response(reply.status)
            handler.send_header("content-type", reply.kind)
            if reply.length:
                handler.send_header("content-length", str(len(reply.body)))
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            if reply.hold is not None:
                handler.wfile.flush()
                reply.hold.wait(20)
            with suppress(OSError):  # a caller who has enough hangs up
                handler.wfile.write(b"" if handler.command == "HEAD" else reply.body)

        return serve

    @property
    def last(self) -> Seen:
        return self.seen[-1]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def answer(value: object, status: int = 200, **headers: str) -> Reply:
    return Reply(status, json.dumps(value).encode(), headers)


class Desk:
    """Connectors as a user configures them, called as a model calls them."""

    def __init__(
        self,
        folder: Path,
        tables: Mapping[str, object],
        *,
        environ: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        patience: Patience | None = None,
        clean: Callable[[str], str] = str,
        cache: Path | None = None,
    ) -> None:
        self.folder = folder
        self.cancel = CancelToken()
        self.hidden: list[tuple[str, str]] = []
        self.spilled: list[str] = []
        self._clean = clean
        self.gateway = OpenApiGateway(
            read_connectors(tables, file="config.toml", folder=folder),
            environ=environ or {},
            find_secret=(secrets or {}).get,
            hide=lambda name, value: self.hidden.append((name, value)),
            cache=cache,
            patience=patience,
        )
        self.deck = DeckContext(folder, DeckFramework(saas=self.gateway))
        self.tool = bounded(validated(build_saas_capability(self.deck)))

    def context(self) -> ToolContext:
        return ToolContext(
            cwd=self.folder,
            fs=LocalFilesystem(),
            shell=LocalShell(self.folder / "spill"),
            cancel=self.cancel,
            progress=lambda _: None,
            spill=self._spill,
            clean=self._clean,
        )

    async def call(self, **arguments: Any) -> ToolResult:
        return await self.tool.execute(arguments, self.context())

    async def discover(self, query: str | None = None, slug: str | None = None) -> str:
        given = {"query": query, "slug": slug}
        result = await self.call(action="discover", **{k: v for k, v in given.items() if v})
        assert not result.is_error, plain_text(result.content)
        return plain_text(result.content)

    async def execute(self, slug: str, **arguments: Any) -> str:
        result = await self.call(action="execute", slug=slug, arguments=arguments)
        assert not result.is_error, plain_text(result.content)
        return plain_text(result.content)

    async def refused(self, slug: str, **arguments: Any) -> str:
        result = await self.call(action="execute", slug=slug, arguments=arguments)
        assert result.is_error, plain_text(result.content)
        return plain_text(result.content)

    def _spill(self, name: str, text: str) -> Path:
        self.spilled.append(text)
        return self.folder / name


def shop(**paths: Any) -> dict[str, Any]:
    """A small document; keys are paths without their first slash, `__` stands for `/`."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "Shop", "version": "1"},
        "paths": {f"/{name.replace('__', '/')}": item for name, item in paths.items()},
    }
