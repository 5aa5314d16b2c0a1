"""What the tests of trials share: addons as functions, recorded sessions, and reports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonId,
    AnyTool,
    ContextPayload,
    Continue,
    EnterOutcome,
    ExitOutcome,
    Gate,
    GateDecision,
    HookEvent,
    NamedTool,
    Observe,
    Payload,
    RegisteredManifest,
    ToolEnterContext,
    ToolExitContext,
    Transform,
)
from induscode.addons.surface import RecordingSurface
from induscode.addons.trial.asked import Questions
from induscode.addons.trial.recorded import RecordedSession
from induscode.addons.trial.recording_host import RecordingHost
from induscode.addons.trial.report import Step
from induscode.addons.trial.walking import Walk
from induscode.session.log import read_only
from tests.session.recording import Recording

GO_ON = GateDecision(stop=False)


class Sketch:
    """An addon as plain functions. `heard` is what reached it, in order: occasion and payload."""

    def __init__(self) -> None:
        self.host = RecordingHost()
        self.heard: list[tuple[str, Any]] = []
        self._surface = RecordingSurface(AddonId("sketch"), self.host.handles())

    def observe(self, *events: HookEvent) -> Sketch:
        for event in events:
            self._surface.on(event, Observe(self._noting(event)))
        return self

    def gate(self, event: HookEvent, stops: Callable[[Any], str | None]) -> Sketch:
        async def decide(payload: Payload) -> GateDecision:
            self.heard.append((event, payload))
            reason = stops(payload)
            return GO_ON if reason is None else GateDecision(stop=True, reason=reason)

        self._surface.on(event, Gate(decide))
        return self

    def transform(self, event: HookEvent, make: Callable[[Any], Payload]) -> Sketch:
        async def made(payload: Payload) -> Payload:
            self.heard.append((event, payload))
            return make(payload)

        self._surface.on(event, Transform(made))
        return self

    def calling(self, event: HookEvent, work: Callable[[HostCalls], Awaitable[None]]) -> Sketch:
        """An observer that asks something of the host."""

        async def call(_: Payload) -> None:
            await work(self.host.host_calls())

        self._surface.on(event, Observe(call))
        return self

    def enter(self, make: Callable[[ToolEnterContext], EnterOutcome], tool: str = "") -> Sketch:
        async def entered(context: ToolEnterContext) -> EnterOutcome:
            self.heard.append(("enter", context))
            return make(context)

        self._surface.intercept_tool(NamedTool(tool) if tool else AnyTool(), entered)
        return self

    def exit(self, make: Callable[[ToolExitContext], ExitOutcome] = lambda _: Continue()) -> Sketch:
        async def left(context: ToolExitContext) -> ExitOutcome:
            self.heard.append(("exit", context))
            return make(context)

        self._surface.intercept_tool(AnyTool(), None, left)
        return self

    def recorded(self) -> RegisteredManifest:
        return self._surface.manifest()

    def _noting(self, event: HookEvent) -> Callable[[Payload], Any]:
        async def note(payload: Payload) -> None:
            self.heard.append((event, payload))

        return note


async def walked(sketch: Sketch, recording: Recording, **given: Any) -> list[Step]:
    """The steps of the addon's way through a session."""
    session = RecordedSession(recording.path.stem, read_only(recording.path), recording.blobs)
    questions = Questions(sketch.recorded(), sketch.host, **given)
    heard = {one.event for one in questions.recorded.subscriptions}
    await Walk(questions).go(session.occasions(heard))
    return questions.steps


def lines(steps: list[Step]) -> list[str]:
    """Each step in a few words."""
    return [" ".join(filter(None, (s.occasion, s.tool, s.outcome))) for s in steps]


def texts(payload: ContextPayload) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in payload.messages]
