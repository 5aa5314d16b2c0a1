"""Who put what in front of the model: answered from the log alone.

A request is rebuilt by the same fold that made it; each piece of it knows its entry, the entry its
producer, and the session's install entries the producer's package and grant.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from induscode.errors import LogCorrupt, UserError
from induscode.kernel.content import Image, Json, Opaque, Text, Thinking, ToolCall, plain_text
from induscode.kernel.jsontext import digest
from induscode.kernel.model import StopReason
from induscode.kernel.provenance import SourcePart
from induscode.kernel.request import CallResult, NeutralRequest
from induscode.session.blobs import BlobStore
from induscode.session.delegation import delegate_behind
from induscode.session.entries import (
    Amendment,
    Briefing,
    Entry,
    Input,
    Notice,
    Operation,
    Request,
    Response,
)
from induscode.session.line import type_name
from induscode.session.projection import Projection
from induscode.session.reader import Scan
from induscode.session.state import SessionState
from induscode.session.stored import TextRef
from induscode.session.storing import load_answer, load_said
from induscode.session.tree import branches, path_to

__all__ = [
    "Finding",
    "Piece",
    "Place",
    "RequestView",
    "find_said",
    "find_text",
    "request_views",
    "view_request",
]


class Place(Struct, frozen=True):
    """A line of a file. `importer` is the `FILE:LINE` that brought the file in, if one did."""

    file: str
    line: int
    importer: str = ""


class Piece(Struct, frozen=True):
    """One stretch of what the model read. `text` is what it says, `source` a file or flag behind
    it, `parts` the files and lines behind stretches of it; `package` and `grant` come from the
    producer's install entry."""

    path: str
    by: str
    entry: str
    entry_type: str
    at: str
    size: int
    sha256: str
    text: str
    source: str = ""
    package: str = ""
    grant: str = ""
    parts: tuple[SourcePart, ...] = ()

    def place_of(self, wanted: str) -> Place | None:
        """The file and line behind the first `wanted` in it; None where no file is."""
        at = self.text.find(wanted)
        part = next((part for part in reversed(self.parts) if part.start <= at), None)
        if part is None or not part.file:
            return None
        line = part.line + self.text.count("\n", part.start, at)
        return Place(part.file, line, part.importer)


class RequestView(Struct, frozen=True):
    number: int
    request: Request
    pieces: tuple[Piece, ...]


class Finding(Struct, frozen=True):
    """A text that the model saw: which piece, and since which request. `place` is the line of a
    file that it comes from, where it comes from one. `delegate` is the session whose answer the
    piece is; `session` is where this was found, "" for the one that was asked about."""

    piece: Piece
    since_request: int
    requests: int
    delegate: str = ""
    session: str = ""
    place: Place | None = None


def request_views(found: Scan, blobs: BlobStore) -> Iterator[RequestView]:
    """Every request of every branch in the order of the log, rebuilt."""
    entries = {entry.id: entry for entry in found.entries}
    numbers = _numbers(found)
    views: dict[int, RequestView] = {}
    for leaf in branches(found.entries):
        projection, state = Projection(blobs), SessionState()
        for entry in path_to(found.entries, leaf):
            if isinstance(entry, Request) and numbers[entry.id] not in views:
                number = numbers[entry.id]
                # A request whose model was lost with a damaged line shows nothing, not an error.
                with contextlib.suppress(LogCorrupt):
                    request = projection.request(entry.purpose)
                    pieces = tuple(_pieces(request, projection.tuned, entries, state))
                    views[number] = RequestView(number, entry, pieces)
            projection.add(entry)
            state.add(entry)
    for number in sorted(views):
        yield views[number]


def view_request(found: Scan, blobs: BlobStore, number: int | None) -> RequestView:
    """The request with this number (default: the last). Raises `UserError`."""
    last: RequestView | None = None
    for view in request_views(found, blobs):
        last = view
        if view.number == number:
            return view
    if last is None:
        raise UserError("this session made no request yet", hint="give it a prompt first")
    if number is not None:
        raise UserError(
            f"there is no request {number}", hint=f"this session made {last.number} requests"
        )
    return last


def find_text(found: Scan, blobs: BlobStore, wanted: str) -> list[Finding]:
    """Every piece that holds `wanted`, with the first request that showed it."""
    findings: dict[tuple[str, str, str], Finding] = {}
    behind = delegate_behind(found.entries)
    for view in request_views(found, blobs):
        for piece in view.pieces:
            if wanted not in piece.text:
                continue
            key = (piece.entry, piece.by, piece.sha256)
            known = findings.get(key)
            first = known.since_request if known else view.number
            times = (known.requests if known else 0) + 1
            findings[key] = Finding(
                piece=piece,
                since_request=first,
                requests=times,
                delegate=behind.get(piece.entry, ""),
                place=piece.place_of(wanted),
            )
    return list(findings.values())


def find_said(found: Scan, blobs: BlobStore, wanted: str) -> list[Finding]:
    """The answers that hold `wanted`, also the last one, which no request of the session showed,
    and what features put in the place of answers."""
    numbers = _numbers(found)
    state = SessionState()
    answers: dict[str, int] = {}
    findings: list[Finding] = []
    for entry in found.entries:
        state.add(entry)
        text = ""
        with contextlib.suppress(LogCorrupt):
            match entry:
                case Response() if entry.stop is not StopReason.PARTIAL:
                    answers[entry.id] = numbers.get(entry.request, 0)
                    text = plain_text(load_answer(entry.content, blobs))
                case Amendment(operations=[Operation(op="replace", target=target) as operation]):
                    if target in answers:
                        answers[entry.id] = answers[target]
                        text = plain_text(load_said(operation.content, blobs))
                case _:
                    continue
        if wanted in text and entry.id in answers:
            piece = _piece("answer", entry.by, entry.id, text, entry, state)
            findings.append(Finding(piece, answers[entry.id], 0))
    return findings


def _numbers(found: Scan) -> dict[str, int]:
    """The requests, counted from 1."""
    requests = [entry.id for entry in found.entries if isinstance(entry, Request)]
    return {entry: number for number, entry in enumerate(requests, 1)}


def _piece(
    path: str, by: str, entry_id: str, text: str, entry: Entry | None, state: SessionState
) -> Piece:
    data = text.encode(errors="replace")
    feature = state.features.get(by)
    return Piece(
        path=path,
        by=by,
        entry=entry_id,
        entry_type=type_name(entry) if entry else "",
        at=entry.at if entry else "",
        size=len(data),
        sha256=digest(data),
        text=text,
        package=feature.package if feature else "",
        grant=feature.grant if feature else "",
    )


def _pieces(
    request: NeutralRequest,
    tuned: Mapping[str, Amendment],
    entries: dict[str, Entry],
    state: SessionState,
) -> Iterator[Piece]:
    def piece(
        path: str, by: str, entry_id: str, text: str, source: str = "", span: str = ""
    ) -> Piece:
        entry = entries.get(entry_id)
        made = _piece(path, by, entry_id, text, entry, state)
        return replace(made, source=source, parts=_parts(entry, text, span))

    for name, entry in tuned.items():
        text = f'"{name}":{_raw_text(entry.parameters[name])}'
        yield piece(f"parameters.{name}", entry.by, entry.id, text)
    for index, span in enumerate(request.head.system):
        path, source = f"system[{index}]", span.source or span.name
        yield piece(path, span.by, span.entry, span.text, source, span.name)
    for index, tool in enumerate(request.head.tools):
        text = f"{tool.name}: {tool.description} {_raw_text(tool.parameters)}"
        yield piece(f"tools[{index}]", tool.by, tool.entry, text, tool.name)
    for index, message in enumerate(request.messages()):
        for position, part in enumerate(message.parts):
            path = f"messages[{index}].content[{position}]"
            yield piece(path, part.by, part.entry, block_text(part.block))


def _parts(entry: Entry | None, text: str, span: str) -> tuple[SourcePart, ...]:
    """What an entry says of the files behind a text of it, as long as nothing amended the text."""
    match entry:
        case Briefing():
            return next((tuple(each.parts) for each in entry.spans if each.name == span), ())
        case Notice() if entry.text == text:
            return tuple(entry.parts)
        case Input(content=[Text(said), *_]) if said == text:
            return tuple(entry.parts)
        case Input(content=[TextRef(sha256=sha256), *_]) if sha256 == digest(text.encode()):
            return tuple(entry.parts)
        case _:
            return ()


def block_text(block: object) -> str:
    match block:
        case Text(text) | Thinking(text):
            return text
        case ToolCall():
            return f"{block.name} {_raw_text(block.arguments)}{block.broken or ''}"
        case CallResult():
            return "\n".join(block_text(inner) for inner in block.content)
        case Json(value):
            return _raw_text(value)
        case Opaque():
            return _raw_text(block.raw)
        case Image():
            return f"[{block.media_type}, {len(block.data)} bytes]"
        case _:
            return msgspec.json.encode(block).decode()


def _raw_text(raw: msgspec.Raw) -> str:
    return bytes(raw).decode(errors="replace")
