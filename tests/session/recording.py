"""A session as the conductor would record it, short to write, the same bytes every time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Raw

from induscode.gateway.encoders import encoder_for
from induscode.kernel.clock import FixedClock
from induscode.kernel.content import AnswerBlock, SaidBlock, Text, ToolCall
from induscode.kernel.ids import IdMint
from induscode.kernel.jsontext import canonical, digest
from induscode.kernel.model import Encoder, StopReason, Usage
from induscode.kernel.request import NeutralRequest, Parameters
from induscode.session.blobs import BlobStore
from induscode.session.entries import (
    Briefing,
    Entry,
    Input,
    Install,
    InstalledFeature,
    Intent,
    KnownEntry,
    ModelChoice,
    Notice,
    Request,
    Response,
    Result,
    SessionStart,
    StoredSpan,
    ToolRow,
    Toolset,
)
from induscode.session.log import SessionLog
from induscode.session.projection import Projection
from induscode.session.storing import store_answer, store_said
from induscode.session.trail import Trail

START = 1_750_000_000_000
CORE = "builtin:conductor"
E = TypeVar("E", bound=Entry)


class Recording:
    """One log, its projection and its encoder; each method appends and returns what it appended."""

    def __init__(self, home: Path, name: str = "session") -> None:
        self.clock = FixedClock(START)
        self.mint = IdMint(self.clock, entropy=b"\x01" * 10)
        self.blobs = BlobStore(home / "blobs")
        self.path = home / f"{name}.jsonl"
        self.log = SessionLog.create(self.path, self.clock, self.mint)
        self.follow()

    def follow(self) -> None:
        """Fold the log anew, as after a branch."""
        self.projection = Projection(self.blobs)
        self.trail = Trail()
        self.encoders: dict[str, Encoder] = {}
        self.log.follow(self.projection.add)

    def add(self, entry: KnownEntry, by: str = CORE) -> Any:
        self.clock.advance(7)
        return self.log.append(entry, by=by)[0]

    def start(self, *, model: str = "m-1", wire: str = "neutral") -> None:
        self.add(
            SessionStart(format=1, session=self.path.stem, workspace="/w", cwd="/w", indus="0.1.0")
        )
        self.choose(model, wire)

    def install(self, *features: InstalledFeature) -> Install:
        return self.add(Install(features=list(features)))

    def choose(self, model: str, wire: str = "neutral", **parameters: Any) -> ModelChoice:
        asked = Parameters(**({"max_output": 1000} | parameters))
        return self.add(ModelChoice(provider="p", model=model, wire=wire, parameters=asked))

    def brief(self, **spans: str) -> Briefing:
        stored = [
            StoredSpan(name, f"builtin:{name}", digest(text.encode()), len(text), text)
            for name, text in spans.items()
        ]
        return self.add(Briefing(spans=stored, cause="input"))

    def offer(self, *names: str, by: str = "builtin:tools") -> Toolset:
        definitions = [
            {"name": n, "description": f"Does {n}.", "parameters": {"type": "object"}}
            for n in names
        ]
        rows = [
            ToolRow(n, by, digest(canonical(d)), 1) for n, d in zip(names, definitions, strict=True)
        ]
        return self.add(Toolset(self.blobs.put(canonical(definitions)), rows, cause="input"))

    def say(self, text: str | SaidBlock, *, steer: bool = False) -> Input:
        block = Text(text) if isinstance(text, str) else text
        return self.add(Input(store_said([block], self.blobs), steer=steer), by="user")

    def note(self, text: str, by: str = "addon:notes", **fields: Any) -> Notice:
        return self.add(Notice(text, **fields), by=by)

    def request(self, encoder: str = "neutral/1", purpose: Any = "turn") -> Request:
        neutral = self.projection.request(purpose)
        if encoder not in self.encoders:
            made = encoder_for(encoder)
            assert made is not None
            self.encoders[encoder] = made
        body = self.encoders[encoder].encode(neutral)
        trail = self.trail.of(neutral)
        return self.add(Request(body.sha256, len(body.data), encoder, purpose, trail=trail))

    def retry(self, first: Request, attempt: int = 2) -> Request:
        return self.add(
            Request(
                first.body_sha256,
                first.body_bytes,
                first.encoder,
                first.purpose,
                attempt=attempt,
                retry_of=first.id,
                reason="the stream was cut",
            )
        )

    def answer(
        self, request: Request, *blocks: str | AnswerBlock, stop: StopReason | None = None
    ) -> Response:
        content = [Text(b) if isinstance(b, str) else b for b in blocks]
        calls = any(isinstance(b, ToolCall) for b in content)
        choice = next(e for e in reversed(self.log.entries) if isinstance(e, ModelChoice))
        return self.add(
            Response(
                request=request.id,
                content=store_answer(content, self.blobs),
                stop=stop or (StopReason.TOOLS if calls else StopReason.END),
                usage=Usage(input=10, output=5),
                wire=choice.wire,
                model=choice.model,
                cost=0.5,
            )
        )

    def ask(self, *blocks: str | AnswerBlock, stop: StopReason | None = None) -> Response:
        """A request and its answer."""
        return self.answer(self.request(), *blocks, stop=stop)

    def intend(self, response: Response, position: int, *, effects: bool = False) -> Intent:
        called = response.content[position]
        assert isinstance(called, ToolCall)
        name = digest(bytes(called.arguments))
        return self.add(Intent(f"{response.id}/{position}", called.name, name, effects))

    def result(self, response: Response, position: int, text: str, **fields: Any) -> Result:
        called = response.content[position]
        assert isinstance(called, ToolCall)
        return self.add(
            Result(
                f"{response.id}/{position}",
                called.name,
                store_said([Text(text)], self.blobs),
                fields.pop("outcome", "ok"),
                **fields,
            )
        )

    def texts(self, purpose: str = "turn") -> list[tuple[str, list[str]]]:
        return texts(self.projection.request(purpose))


def call(given: str, name: str = "read", arguments: bytes = b"{}", **fields: Any) -> ToolCall:
    return ToolCall(given, name, Raw(arguments), **fields)


def texts(request: NeutralRequest) -> list[tuple[str, list[str]]]:
    """Each message as its role and one line per part."""
    return [(m.role, [line_of(part) for part in m.parts]) for m in request.messages()]


def line_of(part: Any) -> str:
    block = part.block
    match type(block).__name__:
        case "Text":
            return block.text
        case "ToolCall":
            return f"call {part.call} {block.name} {bytes(block.arguments).decode()}"
        case "CallResult":
            inner = " ".join(b.text for b in block.content if isinstance(b, Text))
            return f"{'error' if block.is_error else 'result'} {block.call}: {inner}"
        case "Thinking":
            return f"thinking {block.text}"
        case name:
            return name


def reopen(path: Path, later: int = 60_000) -> tuple[SessionLog, Any]:
    """Open a log in a process of its own time, with ids of its own."""
    clock = FixedClock(START + later)
    return SessionLog.open(path, clock, IdMint(clock, entropy=b"\x02" * 10))


def fold(entries: Sequence[Entry], blobs: BlobStore) -> Projection:
    projection = Projection(blobs)
    for entry in entries:
        projection.add(entry)
    return projection
