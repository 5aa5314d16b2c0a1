"""What the conductor is given: small protocols and frozen data, nothing that knows the house."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from msgspec import Struct, field

from induscode.conductor.hooks import NO_HOOKS, Hooks
from induscode.conductor.retries import Retries
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock
from induscode.kernel.events import Event
from induscode.kernel.model import Provider, Usage
from induscode.kernel.person import Choice, Person, PersonAnswer
from induscode.kernel.provenance import SourcePart
from induscode.kernel.request import Parameters
from induscode.kernel.tool import AgentTool, Progress, ToolContext, ToolKind
from induscode.policy.modes import Mode
from induscode.policy.redaction import Secrets
from induscode.policy.subject import CallView, NoSubject, Subject
from induscode.policy.verdict import Verdict
from induscode.session.bridged import BridgedTool
from induscode.session.entries import (
    Checkpoint,
    Delegator,
    InstalledFeature,
    Narrowing,
    Notice,
)
from induscode.session.state import SessionState
from induscode.session.totals import Totals

__all__ = [
    "Background",
    "BoundTool",
    "Bridged",
    "BriefSpan",
    "BriefingSource",
    "Budget",
    "ContextMaker",
    "Emit",
    "ModelSetting",
    "NoBackground",
    "NoRenewal",
    "NoWatch",
    "Offer",
    "Permission",
    "PlanSetting",
    "Renewal",
    "Sender",
    "Setup",
    "Step",
    "Touched",
    "Watch",
    "Wiring",
]

Emit = Callable[[Event], None]


class BoundTool(Struct, frozen=True):
    """A tool with what the host says of it: its kind, and the feature it belongs to. `problem`
    tells, in a sentence for the model, what is wrong with arguments before anybody judges them;
    `subject` finds what a call is about, from its arguments: it never raises, and says `NoSubject`
    where nothing usable is given; `environment` is what a process that it starts would find there;
    `withdrawn` says why its feature may not offer it any more."""

    tool: AgentTool
    kind: ToolKind
    by: str
    problem: Callable[[Mapping[str, Any]], str | None] = lambda _: None
    subject: Callable[[Mapping[str, Any]], Subject] = lambda _: NoSubject()
    environment: Mapping[str, str] | None = None
    withdrawn: Callable[[], str | None] = lambda: None

    @property
    def effects(self) -> bool:
        """Whether running it can change the world, so that its intent must be on disk first."""
        return self.kind is not ToolKind.READ


class BriefSpan(Struct, frozen=True):
    """A piece of the system prompt. `source` is the file or flag that it comes from as a whole,
    `parts` are files and lines behind stretches of it. `lasting` is what of it is compared, where
    that is not all: the clock is no cause for a new epoch."""

    name: str
    text: str
    by: str
    source: str = ""
    parts: tuple[SourcePart, ...] = ()
    lasting: str | None = None


BriefingSource = Callable[[Sequence[AgentTool]], Sequence[BriefSpan]]


class ModelSetting(Struct, frozen=True):
    """A model ready to be asked. `context` is its window in tokens; `price` gives USD for a usage,
    None when unknown. `cause` says who chose it, where that was not the person."""

    name: str
    model: str
    provider: Provider
    parameters: Parameters
    context: int
    price: Callable[[Usage], float | None]
    cause: str = ""


class Offer(Struct, frozen=True):
    """What a person may answer, and the rule that an answer for longer than once would keep."""

    choices: tuple[Choice, ...]
    rule: str = ""


class Permission(Protocol):
    """The host's judgement of a call, before anything of a feature is heard.

    A call is looked at once (`view`, which asks the disk where its words lead); everything after
    speaks of that view, so that what was judged, asked about, remembered and done is one thing.
    """

    @property
    def mode(self) -> Mode: ...

    def set_mode(self, mode: Mode) -> None: ...

    def narrow(self, narrowings: Sequence[Narrowing]) -> Sequence[str]:
        """From now on, until it is told otherwise, no call may happen that one of these does not
        speak of; what hooks make of calls, places that calls reach and delegates included. Returns
        what cannot be read of them, in sentences for the person."""
        ...

    def view(self, tool: BoundTool, arguments: Mapping[str, Any]) -> CallView: ...

    def judge(self, call: CallView) -> Verdict: ...

    def offer(self, call: CallView) -> Offer:
        """For some calls only "once": no rule can say them, or none should."""
        ...

    def remember(self, call: CallView, answer: PersonAnswer) -> str | None:
        """Keep an answer given for this session or always; returns the rule kept, if any. Raises
        `UserError` when a rule for always cannot be stored."""
        ...


ContextMaker = Callable[[CallView, CancelToken, Progress], ToolContext]


Touched = Callable[[BoundTool, CallView], Sequence[Notice | Narrowing]]
"""What a call that went well brings into the conversation by what it touched. Each entry names its
producer; what the conversation has already is not repeated. Never raises."""


class Background(Protocol):
    """What runs beside the turns. Before the session is rewritten it must stand still."""

    async def pause(self, reason: str) -> None: ...

    def resume(self) -> None: ...

    async def close(self) -> None: ...


class NoBackground:
    async def pause(self, reason: str) -> None:
        """Nothing runs."""

    def resume(self) -> None:
        """Nothing was paused."""

    async def close(self) -> None:
        """Nothing runs."""


class PlanSetting(Struct, frozen=True):
    """`afterwards` is the mode that an approved plan leads to, None where planning is all there may
    be. `keep` saves an approved plan and says where; it raises OSError."""

    afterwards: Mode | None
    keep: Callable[[str], Path]


class Step(Protocol):
    """A call under watch."""

    async def end(self) -> Sequence[Checkpoint]:
        """The call has ended, in whatever way: what it changed, for the log. Never raises."""
        ...


class Watch(Protocol):
    """Sees what calls change, so that it can be undone. A call that cannot be watched runs all the
    same: the person is told."""

    async def begin(self, call: str, view: CallView) -> Step:
        """To be called before anything of the call happens. Never raises."""
        ...

    async def close(self) -> None: ...


class NoWatch:
    """Nothing is watched."""

    async def begin(self, call: str, view: CallView) -> Step:
        del call, view
        return self

    async def end(self) -> Sequence[Checkpoint]:
        return ()

    async def close(self) -> None:
        """Nothing is held."""


class Budget(Struct, frozen=True):
    """Limits of one run; None is no limit."""

    max_steps: int | None = None
    max_cost: float | None = None

    def within(self, other: Budget) -> Budget:
        """The narrower limit of each."""
        return Budget(
            _least(self.max_steps, other.max_steps), _least(self.max_cost, other.max_cost)
        )


Number = TypeVar("Number", int, float)


def _least(one: Number | None, other: Number | None) -> Number | None:
    limits = [limit for limit in (one, other) if limit is not None]
    return min(limits, default=None)


class Sender(Struct, frozen=True):
    """Whoever a delegate works for. `link` names its session and call, `cancel` stops the delegate
    with it, and `left` is what it may still use, at any time."""

    link: Delegator
    cancel: CancelToken
    left: Callable[[], Budget]


class Bridged(Struct, frozen=True):
    """The live tools of MCP servers, those included that are deferred. `ledger` is how far the
    workspace's ledger was read; `held` says why tools that it has are not live, by name."""

    live: tuple[BridgedTool, ...] = ()
    held: Mapping[str, str] = {}
    ledger: int = 0


class Setup(Struct, frozen=True):
    """Who the session is made of: decided at its beginning, renewed and compared at each epoch."""

    workspace: str
    cwd: str
    version: str
    mode: str
    features: tuple[InstalledFeature, ...]
    tools: tuple[BoundTool, ...]
    briefing: BriefingSource
    delegator: Delegator | None = None
    bridged: Bridged = Bridged()


class Renewal(Protocol):
    """What changes of a setup while a session runs: servers come, go and change their tools."""

    @property
    def due(self) -> bool:
        """Whether the model waits for a change, so that the turn must not go on without it."""
        ...

    def renewed(self, setup: Setup, state: SessionState) -> Setup:
        """The setup for the epoch that begins now. Never raises."""
        ...


class NoRenewal:
    due = False

    def renewed(self, setup: Setup, state: SessionState) -> Setup:
        del state
        return setup


class Wiring(Struct, frozen=True):
    """What a conductor is connected to. Without a `person`, questions are refusals; `patience` is
    how many seconds a log that cannot be written is waited for. `fallbacks` make the models to ask,
    in order, when the chosen one stays out of reach. `secrets` are taken out of what is said.
    Without `plan`, the tools of plan mode change nothing. `touched` says what calls bring along.
    `sender` is there for a delegate;
    `abroad` is what delegates of this session used that its log does not say yet."""

    setup: Setup
    setting: ModelSetting
    permission: Permission
    context: ContextMaker
    emit: Emit
    clock: Clock
    person: Person | None = None
    hooks: Hooks = NO_HOOKS
    background: Background = NoBackground()
    watch: Watch = NoWatch()
    plan: PlanSetting | None = None
    renewal: Renewal = NoRenewal()
    touched: Touched = lambda _tool, _call: ()
    budget: Budget = Budget()
    retries: Retries = Retries()
    fallbacks: tuple[Callable[[], ModelSetting], ...] = ()
    patience: float = 10.0
    sender: Sender | None = None
    abroad: Callable[[], Totals] = Totals
    secrets: Secrets = field(default_factory=Secrets)
