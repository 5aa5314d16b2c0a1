"""The occasions of a session that was recorded, in the order of its log.

The log is read and never written, and none of what it used has to be installed. What a request
showed is rebuilt by the same fold that made it. What no log says is told by `notes`: values of
environments, why a conversation was condensed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

import msgspec

from induscode.addons.contract import (
    ChatPayload,
    CompactPayload,
    ContextPayload,
    HookEvent,
    InputPayload,
    LifecyclePayload,
    MessagePayload,
    ShellPayload,
    ToolEnterContext,
    ToolExitContext,
)
from induscode.addons.reduced import context_of
from induscode.addons.trial.occasions import After, Before, Event, Occasion, Unheard
from induscode.errors import LogCorrupt
from induscode.kernel.content import SaidBlock, Text, ToolCall, plain_text
from induscode.kernel.model import StopReason
from induscode.kernel.request import Head, NeutralRequest
from induscode.kernel.tool import ToolResult
from induscode.session.blobs import BlobStore, MissingBlob
from induscode.session.entries import (
    Compaction,
    Delegate,
    Entry,
    Hook,
    Input,
    Intent,
    Interrupted,
    Notice,
    Request,
    Response,
    Result,
)
from induscode.session.projection import Projection
from induscode.session.reader import Scan
from induscode.session.stored import StoredSaid
from induscode.session.storing import load_answer, load_said
from induscode.session.tree import branches, path_to

__all__ = ["RecordedSession"]

_HOST = "builtin:conductor"
_COMPACTION = "compaction"
_ENDED = "[The turn ended here:"
_BY_HOST = "the host refused the call, and asks no addon about it"
_NEVER = "the call was never started"


class RecordedSession:
    """The live branch of one log, for an addon that hears of some events."""

    def __init__(self, session: str, found: Scan, blobs: BlobStore) -> None:
        self.id = session
        self._blobs = blobs
        self._leaves = branches(found.entries)
        self._path = path_to(found.entries, self._leaves[-1]) if self._leaves else []
        self._damaged = bool(found.damages or found.torn)

    def occasions(self, heard: AbstractSet[HookEvent]) -> Iterator[Occasion]:
        """From its beginning, each time this is called. Calls of tools are always there."""
        return _Reading(self.id, self._path, self._blobs, heard).occasions()

    def notes(self, heard: AbstractSet[HookEvent]) -> Iterator[str]:
        """What is not as it was then, or not there."""
        if len(self._leaves) > 1:
            yield f"older branches of the session are not followed: {len(self._leaves) - 1}"
        if self._damaged:
            yield "the log is damaged: what cannot be read is left out"
        if HookEvent.SHELL_ENV in heard:
            yield "a log names the variables of a command and has no values: they are empty here"
        if heard & {HookEvent.COMPACT_BEFORE, HookEvent.COMPACT_BUILD}:
            yield "a log does not say why a conversation was condensed: the reason is empty here"
        delegates = sum(isinstance(entry, Delegate) for entry in self._path)
        if delegates:
            yield f"delegates have logs of their own, try each by its id: {delegates}"


class _Reading:
    """One pass over the entries of a branch."""

    def __init__(
        self, session: str, path: list[Entry], blobs: BlobStore, heard: AbstractSet[HookEvent]
    ) -> None:
        self._session = session
        self._heard = heard
        self._schemas: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._path = path
        self._blobs = blobs
        self._projection = Projection(blobs)
        self._calls: dict[str, ToolCall] = {}
        self._started = {entry.call for entry in path if isinstance(entry, Intent)}
        self._judged = {entry.target for entry in path if isinstance(entry, Hook) and entry.target}
        self._final = _final_answers(path)
        self._side: set[str] = set()
        self._turn_open = False
        self._text = ""
        self._condensing = ""

    def occasions(self) -> Iterator[Occasion]:
        for occasion in self._all():
            if not isinstance(occasion, Event) or occasion.event in self._heard:
                yield occasion

    def _all(self) -> Iterator[Occasion]:
        for place, entry in enumerate(self._path):
            if place == 0:
                yield self._lifecycle(HookEvent.SESSION_START, entry.id)
            yield from self._before(entry)
            self._projection.add(entry)
            yield from self._after(entry)
        if self._path:
            yield self._lifecycle(HookEvent.SESSION_END, self._path[-1].id)

    def _before(self, entry: Entry) -> Iterator[Occasion]:
        """What is heard before the entry counts."""
        match entry:
            case Input():
                yield from self._input(entry)
            case Request(purpose="turn", retry_of=""):
                yield from self._request(entry)
            case Request() if entry.purpose != "turn":
                self._side.add(entry.id)
            case Notice(only="compaction"):
                self._condensing = entry.id
                payload = CompactPayload("")
                yield Event(HookEvent.COMPACT_BEFORE, payload, entry.id, within=entry.id)
            case Compaction():
                payload = CompactPayload("", entry.summary)
                within = self._condensing
                yield Event(HookEvent.COMPACT_BUILD, payload, entry.id, within=within)
            case Intent():
                yield from self._intent(entry)
            case Result():
                yield from self._result(entry)
            case Interrupted(started=False) if entry.call not in self._started:
                yield Unheard(entry.tool, entry.id, _NEVER)
            case Notice(text=text, by=by) if by == _HOST and text.startswith(_ENDED):
                self._turn_open = False
            case _:
                return

    def _after(self, entry: Entry) -> Iterator[Occasion]:
        """What is heard of an answer: it has to be part of the fold for its calls to be known."""
        if not isinstance(entry, Response) or entry.stop is StopReason.PARTIAL:
            return
        if entry.request in self._side:
            return
        calls = list(self._projection.open_calls)
        self._calls.update({call.id: call.call for call in calls})
        text = self._answer_text(entry)
        yield Event(HookEvent.CHAT_MESSAGE, MessagePayload(text, len(calls)), entry.id)
        if entry.id in self._final:
            self._turn_open = False
            yield self._lifecycle(HookEvent.TURN_END, entry.id, text)

    def _input(self, entry: Input) -> Iterator[Occasion]:
        text = plain_text(self._said(entry.content))
        yield Event(HookEvent.INPUT_SUBMIT, InputPayload(text), entry.id)
        if not entry.steer:
            self._turn_open = True
            yield self._lifecycle(HookEvent.TURN_START, entry.id, text)

    def _request(self, entry: Request) -> Iterator[Occasion]:
        if not self._turn_open:  # a turn that had broken off goes on
            self._turn_open = True
            yield self._lifecycle(HookEvent.TURN_START, entry.id)
        if not self._heard & {HookEvent.CONTEXT_BUILD, HookEvent.CHAT_PARAMS}:
            return
        try:
            request = self._projection.request()
        except LogCorrupt:  # the model was lost with a damaged line: nobody can say what was shown
            return
        yield Event(HookEvent.CONTEXT_BUILD, _context(request), entry.id)
        yield Event(HookEvent.CHAT_PARAMS, ChatPayload(_parameters(request.head)), entry.id)

    def _intent(self, entry: Intent) -> Iterator[Occasion]:
        yield self._call(entry.call, entry.tool, entry.id)
        names = _names(entry.environment)
        if names is not None:
            given = ShellPayload(dict.fromkeys(names, ""))
            yield Event(HookEvent.SHELL_ENV, given, entry.id, entry.call, entry.tool)

    def _result(self, entry: Result) -> Iterator[Occasion]:
        if entry.call in self._started:
            result = ToolResult(self._said(entry.content), is_error=entry.outcome != "ok")
            made = self._arguments(entry.call)
            yield After(ToolExitContext(entry.tool, entry.call, made, result), entry.id)
        elif entry.by != _HOST or entry.call in self._judged:
            yield self._call(entry.call, entry.tool, entry.id)
        else:
            yield Unheard(entry.tool, entry.id, _BY_HOST)

    def _call(self, call: str, tool: str, entry: str) -> Before:
        context = ToolEnterContext(tool, call, self._arguments(call))
        return Before(context, entry, self._schema(tool))

    def _arguments(self, call: str) -> dict[str, Any]:
        """As the model made them; none where the log was changed and says nothing usable."""
        made = self._calls.get(call)
        try:
            return made.decoded() if made is not None else {}
        except msgspec.DecodeError:
            return {}

    def _schema(self, tool: str) -> Mapping[str, Any] | None:
        try:
            head = self._projection.request().head
        except LogCorrupt:
            return None
        found = next((each for each in head.tools if each.name == tool), None)
        if found is None:
            return None
        key = (found.entry, tool)
        if key not in self._schemas:
            self._schemas[key] = msgspec.json.decode(found.parameters, type=dict[str, Any])
        return self._schemas[key]

    def _said(self, stored: list[StoredSaid]) -> tuple[SaidBlock, ...]:
        try:
            return load_said(stored, self._blobs)
        except MissingBlob as missing:
            return (Text(f"[Content is missing: {missing}]"),)

    def _answer_text(self, entry: Response) -> str:
        try:
            return plain_text(load_answer(entry.content, self._blobs))
        except MissingBlob as missing:
            return f"[Content is missing: {missing}]"

    def _lifecycle(self, event: HookEvent, entry: str, text: str = "") -> Event:
        return Event(event, LifecyclePayload(self._session, text), entry)


def _final_answers(path: list[Entry]) -> set[str]:
    """The answers with which a turn came to its end: no request of the same turn follows."""
    final: set[str] = set()
    side = {e.id for e in path if isinstance(e, Request) and e.purpose != "turn"}
    last: Response | None = None
    for entry in chain(path, (None,)):
        match entry:
            case Response() if entry.stop is not StopReason.PARTIAL and entry.request not in side:
                last = entry
            case Request(purpose="turn"):
                last = None
            case None | Input(steer=False):
                if last is not None and _ends(last):
                    final.add(last.id)
                last = None
            case _:
                continue
    return final


def _ends(answer: Response) -> bool:
    called = any(isinstance(block, ToolCall) for block in answer.content)
    return not called and answer.stop is not StopReason.PAUSE


def _context(request: NeutralRequest) -> ContextPayload:
    return context_of(request.texts())


def _parameters(head: Head) -> dict[str, Any]:
    known = head.parameters
    extra = {name: msgspec.json.decode(raw) for name, raw in known.extra.items()}
    return {"max_output": known.max_output, "thinking": known.thinking, **extra}


def _names(environment: dict[str, Any] | None) -> list[str] | None:
    match environment:
        case {"names": [*names]}:
            return [name for name in names if isinstance(name, str)]
        case _:
            return None
