"""What a session is right now besides its conversation: a small fold of the same entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from induscode.kernel.content import Opaque, Thinking
from induscode.kernel.model import StopReason, Usage
from induscode.session.bridged import BridgedTool
from induscode.session.delegation import DELEGATE_FEATURE, used_by_delegate
from induscode.session.entries import (
    Bridge,
    Briefing,
    Compaction,
    Delegate,
    Entry,
    Foreign,
    Input,
    Install,
    InstalledFeature,
    Intent,
    Interrupted,
    ModeChange,
    ModelChoice,
    Narrowing,
    Notice,
    Request,
    Response,
    Result,
    SessionStart,
    Toolset,
)
from induscode.session.known import Known
from induscode.session.noticed import Noticed
from induscode.session.totals import Totals

__all__ = ["SessionState"]


class SessionState:
    """Survives a resume because it is nothing but its entries. `usage`, `cost` and `steps` are the
    session's own, `delegated` is what its delegates used; `delegates` are the sessions behind the
    calls that are under way. `narrowings` are in force until the turn ends; `noticed` knows which
    files' texts the conversation has. `bridged` are the live tools of MCP servers, by name."""

    def __init__(self) -> None:
        self.start: SessionStart | None = None
        self.mode = ""
        self.model: ModelChoice | None = None
        self.briefing: Briefing | None = None
        self.toolset: Toolset | None = None
        self.bridged: dict[str, BridgedTool] = {}
        self.features: dict[str, InstalledFeature] = {}
        self.usage = Usage()
        self.cost = 0.0
        self.unpriced = 0
        self.steps = 0
        self.delegated = Totals()
        self.delegates: dict[str, str] = {}
        self.last_usage: Usage | None = None
        self.started: dict[str, Intent] = {}
        self.thinking_answers: list[str] = []
        self.pinned: list[str] = []
        self.current_request: list[str] = []
        self.first_visible = ""
        self.known = Known()
        self.narrowings: list[Narrowing] = []
        self.noticed = Noticed()
        self._turn_over = True
        self._side_requests: set[str] = set()
        self._handlers: dict[type, Callable[[Any], None]] = {
            SessionStart: self._start,
            Install: self._install,
            ModeChange: self._mode,
            ModelChoice: self._model,
            Briefing: self._briefing,
            Bridge: self._bridge,
            Toolset: self._toolset,
            Input: self._input,
            Notice: self._notice,
            Narrowing: self._narrowing,
            Foreign: self._foreign,
            Request: self._request,
            Response: self._response,
            Intent: self._intent,
            Delegate: self._delegate,
            Result: self._result,
            Interrupted: self._interrupted,
            Compaction: self._compaction,
        }

    def add(self, entry: Entry) -> None:
        handler = self._handlers.get(type(entry))
        if handler is not None:
            handler(entry)

    def _start(self, entry: SessionStart) -> None:
        self.start = entry

    def _install(self, entry: Install) -> None:
        self.features.update({feature.id: feature for feature in entry.features})

    def _mode(self, entry: ModeChange) -> None:
        self.mode = entry.mode

    def _model(self, entry: ModelChoice) -> None:
        self.model = entry

    def _briefing(self, entry: Briefing) -> None:
        self.briefing = entry

    def _bridge(self, entry: Bridge) -> None:
        for gone in entry.gone:
            self.bridged.pop(gone.name, None)
        self.bridged.update({tool.name: tool for tool in entry.live})

    def _toolset(self, entry: Toolset) -> None:
        self.toolset = entry

    def _input(self, entry: Input) -> None:
        if self._turn_over:
            self.current_request = []
            self._turn_over = False
        if not entry.steer:
            self.narrowings = []
        self.current_request.append(entry.id)
        self.first_visible = self.first_visible or entry.id

    def _notice(self, entry: Notice) -> None:
        replaced = self.noticed.add(entry)
        if entry.pinned:
            self.pinned = [pin for pin in self.pinned if pin != replaced]
            self.pinned.append(entry.id)
        if not entry.only:
            self.first_visible = self.first_visible or entry.id

    def _narrowing(self, entry: Narrowing) -> None:
        self.narrowings.append(entry)

    def _foreign(self, entry: Foreign) -> None:
        if entry.visible:
            self.first_visible = self.first_visible or entry.id

    def _request(self, entry: Request) -> None:
        if entry.purpose != "turn":
            self._side_requests.add(entry.id)

    def _response(self, entry: Response) -> None:
        self.usage += entry.usage
        if entry.cost is None:
            self.unpriced += 1
        else:
            self.cost += entry.cost
        if entry.stop is StopReason.PARTIAL or entry.request in self._side_requests:
            return
        self.steps += 1
        self.last_usage = entry.usage
        self.started.clear()
        if any(isinstance(block, Thinking | Opaque) for block in entry.content):
            self.thinking_answers.append(entry.id)
        if entry.stop is not StopReason.TOOLS:
            self._turn_over = True

    def _intent(self, entry: Intent) -> None:
        self.started[entry.call] = entry

    def _delegate(self, entry: Delegate) -> None:
        self.delegates[entry.call] = entry.session

    def _result(self, entry: Result) -> None:
        """A hook that changed the result is its producer (`by`), but what the tool left for later
        calls is the tool's: the intent says whose tool ran."""
        intent = self.started.pop(entry.call, None)
        owner = entry.by if intent is None else intent.by
        self.known.add(entry, owner)
        self.delegates.pop(entry.call, None)
        if owner == DELEGATE_FEATURE:
            self.delegated = self.delegated.plus(used_by_delegate(entry.details))

    def _interrupted(self, entry: Interrupted) -> None:
        self.started.pop(entry.call, None)
        self.delegates.pop(entry.call, None)

    def _compaction(self, entry: Compaction) -> None:
        self.noticed.condensed(entry.pinned)
        self.thinking_answers = []
        self.first_visible = entry.id
        self.last_usage = None
