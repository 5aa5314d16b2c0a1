"""The only road from the log to a model: a fold of entries into a wire-neutral request.

`add` takes the entries of one branch in order; `request` is what the model would be asked now.
The fold is pure: the same entries give the same request, whether they were added one by one while
the session ran or all at once by a replay. What may arrive at any time (a notice, a steering
message) is placed after the results that are still due, and after the answer to a request that was
already under way, so that a request is always valid for its provider.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Raw, Struct

from induscode.errors import LogCorrupt
from induscode.kernel.content import AnswerBlock, SaidBlock, Text, ToolCall
from induscode.kernel.model import StopReason
from induscode.kernel.request import (
    CallResult,
    Head,
    Message,
    NeutralRequest,
    Parameters,
    Part,
    Span,
    ToolSchema,
)
from induscode.session.amending import changed
from induscode.session.blobs import BlobStore, MissingBlob
from induscode.session.callids import WireIds
from induscode.session.entries import (
    KEPT,
    Amendment,
    Briefing,
    Compaction,
    Entry,
    Foreign,
    Input,
    Interrupted,
    ModelChoice,
    Notice,
    Operation,
    Request,
    Response,
    Result,
    Toolset,
)
from induscode.session.parameters import amended
from induscode.session.stored import StoredAnswer, StoredSaid
from induscode.session.storing import load_answer, load_said

__all__ = ["SUMMARY_HEADING", "OpenCall", "Projection"]

SUMMARY_HEADING = "The conversation so far was condensed to this summary:\n\n"
_LOST = "[An earlier part of this conversation could not be read.]"
_NO_RESULT = "No result of this call was recorded."
_OMITTED = "[omitted]"


class OpenCall(Struct, frozen=True, gc=False):
    """A call of the last answer: our id, the id on the wire, the call itself."""

    id: str
    wire_id: str
    call: ToolCall


class _Definition(Struct):
    name: str
    description: str
    parameters: Raw


_definitions = msgspec.json.Decoder(list[_Definition])


class Projection:
    """See the module. `problems` names content that could not be had (its text then says so);
    `head_entries` the entries behind the model and its parameters; `tuned` the amendment behind
    each parameter that was changed since the model was chosen."""

    def __init__(self, blobs: BlobStore) -> None:
        self.problems: list[str] = []
        self.head_entries: dict[str, str] = {}
        self.tuned: dict[str, Amendment] = {}
        self.open_calls: list[OpenCall] = []
        self._blobs = blobs
        self._sealed: list[Message] = []
        self._revision = 0
        self._model: ModelChoice | None = None
        self._parameters: dict[str, Raw] = {}
        self._system: tuple[Span, ...] = ()
        self._tools: tuple[ToolSchema, ...] = ()
        self._head: Head | None = None
        self._results: dict[str, Part] = {}
        self._pending: list[Part] = []
        self._cut: int | None = None
        self._paused = False
        self._side: list[Part] = []
        self._side_requests: set[str] = set()
        self._wire_ids = WireIds()
        self._sealed_at: dict[str, int] = {}
        self._pinnable: dict[str, list[Part]] = {}
        self._kept: set[str] = set()
        self._handlers: dict[type, Callable[[Any], None]] = {
            Input: self._input,
            Notice: self._notice,
            Request: self._request,
            Response: self._response,
            Result: self._result,
            Interrupted: self._interrupted,
            Briefing: self._briefing,
            Toolset: self._toolset,
            ModelChoice: self._model_choice,
            Amendment: self._amendment,
            Compaction: self._compaction,
            Foreign: self._foreign,
        }

    def add(self, entry: Entry) -> None:
        handler = self._handlers.get(type(entry))
        if handler is not None:
            handler(entry)

    def request(self, purpose: str = "turn") -> NeutralRequest:
        """What the model would be asked now. Raises `LogCorrupt` before a model was chosen."""
        parts = self._user_parts(len(self._pending))
        if purpose != "turn":
            parts.extend(self._side)
        tail = Message("user", tuple(parts)) if parts else None
        return NeutralRequest(self._current_head(), self._sealed, tail, self._revision)

    def tried(self, changes: dict[str, Raw]) -> NeutralRequest:
        """The beginning of a request with these parameters changed, to see whether it can be said.
        Raises as `request` and `amended` do."""
        head = self._current_head()
        parameters = amended(head.parameters, changes)
        return NeutralRequest(msgspec.structs.replace(head, parameters=parameters), (), None, 0)

    def has_result(self, call: str) -> bool:
        return call in self._results

    def pinned_parts(self, entry: str) -> list[Part]:
        return self._pinnable.get(entry, [])

    # What is said

    def _input(self, entry: Input) -> None:
        self._say(entry, self._load(entry.content))

    def _notice(self, entry: Notice) -> None:
        if entry.only == KEPT:
            self._pinnable[entry.id] = [Part(Text(entry.text), entry.id, entry.by)]
            self._kept.add(entry.id)
        elif entry.only:
            self._side.append(Part(Text(entry.text), entry.id, entry.by))
        else:
            self._say(entry, (Text(entry.text),))

    def _foreign(self, entry: Foreign) -> None:
        if entry.visible:
            self._say(entry, (Text(entry.text),))

    def _say(self, entry: Entry, blocks: tuple[SaidBlock, ...]) -> None:
        parts = [Part(block, entry.id, entry.by) for block in blocks]
        self._pending.extend(parts)
        self._pinnable[entry.id] = parts

    def _load(self, stored: list[StoredSaid]) -> tuple[SaidBlock, ...]:
        try:
            return load_said(stored, self._blobs)
        except MissingBlob as missing:
            self.problems.append(str(missing))
            return (Text(f"[Content is missing: {missing}]"),)

    # The exchange

    def _request(self, entry: Request) -> None:
        # A retry repeats the first attempt: what was said since then comes after its answer.
        if not entry.retry_of or self._cut is None:
            self._cut = len(self._pending)
        if entry.purpose != "turn":
            self._side_requests.add(entry.retry_of or entry.id)
            self._side_requests.add(entry.id)

    def _response(self, entry: Response) -> None:
        if entry.stop is StopReason.PARTIAL or entry.request in self._side_requests:
            return
        cut = len(self._pending) if self._cut is None else self._cut
        asked = self._user_parts(cut)
        del self._pending[:cut]
        self._cut = None
        if not asked and not self._paused:
            asked = [Part(Text(_LOST), entry.id, entry.by)]
        if asked:
            self._seal(Message("user", tuple(asked)))
        self._paused = entry.stop is StopReason.PAUSE
        self._results.clear()
        self.open_calls = []
        parts = tuple(
            self._answer_part(entry, position, block)
            for position, block in enumerate(self._load_answer(entry.content))
        )
        self._seal(Message("assistant", parts, entry.wire, entry.model))

    def _load_answer(self, stored: list[StoredAnswer]) -> tuple[AnswerBlock, ...]:
        try:
            return load_answer(stored, self._blobs)
        except MissingBlob as missing:
            self.problems.append(str(missing))
            return (Text(f"[Content is missing: {missing}]"),)

    def _answer_part(self, entry: Response, position: int, block: AnswerBlock) -> Part:
        if not isinstance(block, ToolCall):
            return Part(block, entry.id, entry.by)
        wire_id = self._wire_ids.assign(block.id)
        self.open_calls.append(OpenCall(f"{entry.id}/{position}", wire_id, block))
        return Part(block, entry.id, entry.by, wire_id)

    def _seal(self, message: Message) -> None:
        for part in message.parts:
            if message.role == "assistant":
                self._sealed_at[part.entry] = len(self._sealed)
            else:  # a missing result is told under the id of its answer, which stands elsewhere
                self._sealed_at.setdefault(part.entry, len(self._sealed))
        self._sealed.append(message)

    def _result(self, entry: Result) -> None:
        content = self._load(entry.content)
        self._settle(entry.call, entry, content, is_error=entry.outcome != "ok")

    def _interrupted(self, entry: Interrupted) -> None:
        self._settle(entry.call, entry, (Text(entry.text),), is_error=True)

    def _settle(
        self, call: str, entry: Entry, content: tuple[SaidBlock, ...], *, is_error: bool
    ) -> None:
        for open_call in self.open_calls:
            if open_call.id == call and call not in self._results:
                result = CallResult(open_call.wire_id, content, is_error)
                self._results[call] = Part(result, entry.id, entry.by)
                return
        # The call it answers was lost with a damaged line: keep what it says, as plain text.
        lead = Part(Text("Result of an earlier call that could not be read:"), entry.id, entry.by)
        self._pending.append(lead)
        self._say(entry, content)

    def _user_parts(self, cut: int) -> list[Part]:
        """The results due, in the order of the calls, then what was said up to `cut`."""
        parts = [
            self._results.get(c.id)
            or Part(
                CallResult(c.wire_id, (Text(_NO_RESULT),), is_error=True), c.id.split("/")[0], ""
            )
            for c in self.open_calls
        ]
        parts.extend(self._pending[:cut])
        return parts

    # The head: model, parameters, briefing, tools

    def _model_choice(self, entry: ModelChoice) -> None:
        self._model = entry
        self.head_entries = {"model": entry.id, "parameters": entry.id}
        self._parameters = {}
        self.tuned = {}
        self._head = None

    def _briefing(self, entry: Briefing) -> None:
        self._system = tuple(
            Span(span.name, self._span_text(span.text, span.sha256), span.by, entry.id, span.source)
            for span in entry.spans
        )
        self._head = None

    def _span_text(self, text: str | None, sha256: str) -> str:
        if text is not None:
            return text
        try:
            return self._blobs.get(sha256).decode(errors="replace")
        except MissingBlob as missing:
            self.problems.append(str(missing))
            return f"[Content is missing: {missing}]"

    def _toolset(self, entry: Toolset) -> None:
        try:
            definitions = _definitions.decode(self._blobs.get(entry.sha256))
        except (MissingBlob, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
            self.problems.append(str(problem))
            definitions = []
        producers = {row.name: row.by for row in entry.tools}
        self._tools = tuple(
            ToolSchema(d.name, d.description, d.parameters, producers.get(d.name, ""), entry.id)
            for d in definitions
        )
        self._head = None

    def _current_head(self) -> Head:
        if self._head is None:
            if self._model is None:
                raise LogCorrupt("no model was chosen before the first request")
            parameters = self._amended(self._model)
            self._head = Head(self._model.model, parameters, self._system, self._tools)
        return self._head

    def _amended(self, model: ModelChoice) -> Parameters:
        try:
            return amended(model.parameters, self._parameters)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            self.problems.append(f"a changed parameter cannot be used: {problem}")
            return model.parameters

    # Changes to what was said

    def _amendment(self, entry: Amendment) -> None:
        if entry.parameters:
            self._parameters = self._parameters | entry.parameters
            self.head_entries["parameters"] = entry.id
            self.tuned |= dict.fromkeys(entry.parameters, entry)
            self._head = None
        for operation in entry.operations:
            self._operate(operation, entry)

    def _operate(self, operation: Operation, entry: Amendment) -> None:
        added = [Part(b, entry.id, entry.by) for b in self._load(operation.content)]
        target = operation.target
        if not target and operation.op == "append":  # after all that was said
            self._pending.extend(added)
            return
        where = self._sealed_at.get(target)
        if where is not None:
            message = self._sealed[where]
            parts = changed(message, operation, added) or [Part(Text(_OMITTED), entry.id, entry.by)]
            self._sealed[where] = msgspec.structs.replace(message, parts=tuple(parts))
            self._sealed_at[entry.id] = where
            self._revision += 1
        else:
            cut = len(self._pending) if self._cut is None else self._cut
            asked = changed(_said(self._pending[:cut]), operation, added)
            if cut and not asked and not self.open_calls:
                asked = [Part(Text(_OMITTED), entry.id, entry.by)]
            later = changed(_said(self._pending[cut:]), operation, added)
            self._pending = asked + later
            self._cut = None if self._cut is None else len(asked)
            for call, part in self._results.items():
                if part.entry == target:
                    self._results[call] = changed(_said([part]), operation, added)[0]
        # What is pinned may have been amended before, and be known by that amendment's id.
        for entry_id, parts in self._pinnable.items():
            if any(part.entry == target for part in parts):
                self._pinnable[entry_id] = changed(_said(parts), operation, added)

    def _compaction(self, entry: Compaction) -> None:
        """Everything up to the request for the summary gives way to it; what came later stays."""
        later = self._pending[self._cut :] if self._cut is not None else []
        summary = Part(Text(SUMMARY_HEADING + entry.summary), entry.id, entry.by)
        kept = {pin: self._pinnable[pin] for pin in entry.pinned if pin in self._pinnable}
        self._pending = [summary, *(part for parts in kept.values() for part in parts), *later]
        self._kept -= kept.keys()
        fresh = {part.entry for part in later} | self._kept
        self._pinnable = kept | {e: p for e, p in self._pinnable.items() if e in fresh}
        self._cut = None
        self._sealed = []
        self._sealed_at = {}
        self._results = {}
        self.open_calls = []
        self._side = []
        self._wire_ids = WireIds()
        self._revision += 1


def _said(parts: list[Part]) -> Message:
    return Message("user", tuple(parts))
