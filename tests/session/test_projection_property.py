"""For any session: folding entry by entry equals folding them at once, and the request is valid."""

import tempfile
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from induscode.gateway.encoders import encoder_for
from induscode.kernel.content import Text, Thinking, ToolCall
from induscode.kernel.model import StopReason, Usage
from induscode.kernel.request import CallResult, NeutralRequest, Parameters
from induscode.session.blobs import BlobStore
from induscode.session.entries import (
    Amendment,
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
)
from induscode.session.projection import Projection
from tests.requirements import requirement

NOWHERE = BlobStore(Path(tempfile.gettempdir()) / "no-blobs-here")
STEPS = [
    "input", "notice", "foreign", "request", "answer", "partial", "pause", "result", "interrupted",
    "replace", "omit", "append", "parameters", "model", "compaction", "lose",
]  # fmt: skip


class Builder:
    """Draws a session: each step is taken if the log so far allows it."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.entries: list[Entry] = []
        self.said: list[str] = []
        self.due: list[str] = []
        self.asked = ""
        self.put(ModelChoice("p", "m", "w", Parameters(100)))
        self.step("input")

    def put(self, entry: Entry) -> str:
        name = f"e{len(self.entries) + 1:03d}"
        seq = len(self.entries) + 1
        self.entries.append(msgspec.structs.replace(entry, seq=seq, id=name, by="t"))
        return name

    def step(self, kind: str) -> None:
        getattr(self, f"_{kind}")()

    def _text(self) -> list[Text]:
        return [Text(self.draw(st.sampled_from(["a", "b", "longer text", ""])))]

    def _input(self) -> None:
        self.said.append(self.put(Input(self._text(), steer=bool(self.due))))

    def _notice(self) -> None:
        only = self.draw(st.sampled_from(["", "", "kept"]))
        self.said.append(self.put(Notice("note", pinned=self.draw(st.booleans()), only=only)))

    def _foreign(self) -> None:
        self.put(Foreign(type="x", visible=self.draw(st.booleans()), text="foreign"))

    def _request(self) -> None:
        retry = self.asked if self.draw(st.booleans()) else ""
        name = self.put(Request("0" * 64, 1, "neutral/1", retry_of=retry))
        self.asked = retry or name

    def _respond(self, stop: StopReason, calls: int) -> None:
        if not self.asked:
            return
        ids = self.draw(st.lists(st.sampled_from(["a", "b", "bad id", ""]), max_size=calls))
        blocks = [Thinking("t", "s"), Text("says"), *(ToolCall(i, "t", Raw(b"{}")) for i in ids)]
        end = StopReason.TOOLS if ids and stop is StopReason.END else stop
        name = self.put(Response(self.asked, blocks, end, Usage(), "w", "m"))
        self.said.append(name)
        if stop is not StopReason.PARTIAL:
            self.due = [f"{name}/{2 + n}" for n in range(len(ids))]
            self.asked = ""

    def _answer(self) -> None:
        self._respond(StopReason.END, 3)

    def _partial(self) -> None:
        self._respond(StopReason.PARTIAL, 1)

    def _pause(self) -> None:
        self._respond(StopReason.PAUSE, 0)

    def _result(self) -> None:
        if self.due:
            call = self.due.pop(self.draw(st.integers(0, len(self.due) - 1)))
            self.said.append(self.put(Result(call, "t", self._text(), "ok")))

    def _interrupted(self) -> None:
        if self.due:
            self.put(Interrupted(self.due.pop(), "t", started=True, text="unknown"))

    def _operation(self, op: str) -> None:
        at_the_end = [""] if op == "append" else []
        target = self.draw(st.sampled_from([*self.said, *at_the_end]))
        content = self._text() if op != "omit" and self.draw(st.booleans()) else []
        self.said.append(self.put(Amendment([Operation(op, target, content)])))

    def _replace(self) -> None:
        self._operation("replace")

    def _omit(self) -> None:
        self._operation("omit")

    def _append(self) -> None:
        self._operation("append")

    def _parameters(self) -> None:
        top_k = self.draw(st.sampled_from([b"1", b"null"]))
        self.put(Amendment([], {"max_output": Raw(b"5"), "top_k": Raw(top_k)}))

    def _model(self) -> None:
        self.put(ModelChoice("p", "n", "v", Parameters(7)))

    def _compaction(self) -> None:
        pins = self.draw(st.lists(st.sampled_from(self.said), max_size=2, unique=True))
        self.put(Compaction("e002", self.entries[-1].id, "summary", pins))
        self.due = []

    def _lose(self) -> None:
        """An entry that a damaged line took away."""
        if len(self.entries) > 3:
            self.entries.pop()


@st.composite
def sessions(draw: st.DrawFn) -> list[Entry]:
    builder = Builder(draw)
    for kind in draw(st.lists(st.sampled_from(STEPS), max_size=25)):
        builder.step(kind)
    return builder.entries


def seen(request: NeutralRequest) -> bytes:
    """Everything in a request, entries and producers included."""
    return msgspec.json.encode((request.head, request.messages(), request.revision))


def folded(entries: list[Entry]) -> Projection:
    projection = Projection(NOWHERE)
    for entry in entries:
        projection.add(entry)
    return projection


@requirement("turn.incremental-equals-full", "log.fold.one-code-path")
@given(sessions())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_folding_entry_by_entry_equals_folding_all_at_once(entries: list[Entry]):
    live = Projection(NOWHERE)
    live.add(entries[0])
    encoder = encoder_for("neutral/1")
    assert encoder is not None
    for count, entry in enumerate(entries[1:], start=2):
        live.add(entry)
        now = live.request()
        body = encoder.encode(now)
        fresh = folded(entries[:count]).request()
        assert seen(now) == seen(fresh)
        once = encoder_for("neutral/1")
        assert once is not None
        assert once.encode(fresh) == body


@given(sessions())
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_session_projects_to_a_request_that_a_provider_accepts(entries: list[Entry]):
    messages = folded(entries).request().messages()
    assert messages[0].role == "user"
    paused = {e.id for e in entries if isinstance(e, Response) and e.stop is StopReason.PAUSE}
    names: list[str] = []
    for at, message in enumerate(messages):
        assert message.parts
        follower = messages[at + 1] if at + 1 < len(messages) else None
        if message.role == "user":
            assert follower is None or follower.role == "assistant"
            continue
        calls = [p.call for p in message.parts if isinstance(p.block, ToolCall)]
        names += calls
        if follower is not None and follower.role == "assistant":
            assert not calls
            assert {p.entry for p in message.parts} & paused or "omit" in str(message)
        answered = [] if follower is None else results(follower.parts)
        assert answered == calls, "each call has its result, in order, before anything else"
    assert len(names) == len(set(names))


def results(parts) -> list[str]:
    blocks = [part.block for part in parts]
    found = [block.call for block in blocks if isinstance(block, CallResult)]
    assert all(isinstance(block, CallResult) for block in blocks[: len(found)])
    return found
