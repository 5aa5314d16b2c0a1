"""A conductor on a real log, with a model, tools and a person that do what a test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from induscode.conductor.hooks import NO_HOOKS, Hooks
from induscode.conductor.ports import (
    Background,
    BoundTool,
    BriefSpan,
    Budget,
    ModelSetting,
    NoBackground,
    NoWatch,
    Offer,
    Setup,
    Touched,
    Watch,
    Wiring,
)
from induscode.conductor.retries import Retries
from induscode.conductor.turn import Conductor, TurnOutcome
from induscode.gateway.calls import tool_call
from induscode.gateway.encoders import encoder_for
from induscode.gateway.neutral.encoder import NeutralEncoder
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import SystemClock
from induscode.kernel.content import AnswerBlock, Text, Thinking
from induscode.kernel.events import Event
from induscode.kernel.form import Declined, Form, FormAnswer
from induscode.kernel.ids import IdMint
from induscode.kernel.model import Answer, Body, Encoder, ExchangeListener, StopReason, Usage
from induscode.kernel.person import Person, PersonAnswer, Question
from induscode.kernel.request import Parameters
from induscode.kernel.tool import Progress, ToolContext, ToolKind, ToolResult
from induscode.policy.redaction import Secrets
from induscode.policy.subject import CallView, NoSubject
from induscode.policy.verdict import Allow, Ask, Deny, Layer, Verdict
from induscode.session.entries import Entry, InstalledFeature, Narrowing
from induscode.session.line import type_name
from induscode.session.log import read_only
from induscode.session.replay import ReplayReport, replay
from induscode.session.store import SessionStore
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.spill import Spill

BOUND = 10.0
"""Seconds after which a wait has failed."""

T = TypeVar("T")
Scene = Callable[["Model", Body, ExchangeListener, CancelToken], Awaitable[Answer]]
Step = Answer | Exception | Scene


def say(text: str = "done", *, thinking: str = "", stop: str = "end", **usage: int) -> Answer:
    content: list[AnswerBlock] = [Thinking(thinking, "c2ln")] if thinking else []
    content += [Text(text)] if text else []
    return Answer(tuple(content), StopReason(stop), Usage(**(usage or {"input": 10, "output": 5})))


def calls(*named: tuple[str, dict[str, Any] | str], text: str = "") -> Answer:
    """Arguments as a string are the text as a model wrote it, broken or not."""
    made: list[AnswerBlock] = [Text(text)] if text else []
    for number, (name, arguments) in enumerate(named):
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        made.append(tool_call(f"call_{number}", name, written))
    return Answer(tuple(made), StopReason.TOOLS, Usage(10, 5))


class Model:
    """Answers the n-th exchange with the n-th step; keeps every body it was sent."""

    def __init__(self, *steps: Step, wire: str = "scripted") -> None:
        self.steps = list(steps)
        self.bodies: list[Body] = []
        self.wire = wire
        self.partial: Answer | None = None
        self.asked = asyncio.Event()

    def encoder(self) -> Encoder:
        return NeutralEncoder()

    async def exchange(self, body: Body, listener: ExchangeListener, cancel: CancelToken) -> Answer:
        cancel.check()
        self.bodies.append(body)
        self.partial = None
        self.asked.set()
        listener.sent()
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, Answer):
            listener.text("".join(b.text for b in step.content if isinstance(b, Text)))
            return step
        return await step(self, body, listener, cancel)

    async def close(self) -> None:
        """Nothing is open."""

    def request(self, number: int = -1) -> dict[str, Any]:
        return json.loads(self.bodies[number].data)


def speaking(words: str, begun: asyncio.Event) -> Scene:
    """Says the words, then nothing more until it is stopped."""

    async def scene(
        model: Model, body: Body, listener: ExchangeListener, cancel: CancelToken
    ) -> Answer:
        listener.text(words)
        model.partial = Answer((Text(words),), StopReason.PARTIAL, Usage(3, 1))
        begun.set()
        await cancel.run(asyncio.Event().wait())
        raise AssertionError("it was stopped")

    return scene


def until(begun: asyncio.Event, go: asyncio.Event, answer: Answer) -> Scene:
    """Begins, and answers when it may."""

    async def scene(
        model: Model, body: Body, listener: ExchangeListener, cancel: CancelToken
    ) -> Answer:
        begun.set()
        await cancel.run(go.wait())
        return answer

    return scene


Work = Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolResult]]


@dataclass
class Tool:
    """A tool whose work is a function of the test."""

    name: str
    work: Work | None = None
    description: str = "A tool of this test."
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object"})
    read_only: bool = False
    runs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def label(self) -> str:
        return self.name

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.runs.append(dict(arguments))
        if self.work is None:
            return ToolResult.text(f"{self.name} ran")
        return await self.work(arguments, context)


def reads(tool: Tool) -> BoundTool:
    return BoundTool(tool, ToolKind.READ, "builtin:test")


def acts(tool: Tool) -> BoundTool:
    return BoundTool(tool, ToolKind.WRITE, "builtin:test")


class Rules:
    """Permission as a function of tool and arguments; what was kept for the session is kept."""

    def __init__(self, judge: Callable[[str, Mapping[str, Any]], Verdict] | None = None) -> None:
        self._judge = judge
        self.kept: list[str] = []
        self.narrowed: list[Sequence[Narrowing]] = []
        self.judged: list[tuple[str, dict[str, Any]]] = []

    def view(self, tool: BoundTool, arguments: Mapping[str, Any]) -> CallView:
        return CallView(tool.tool.name, tool.kind, arguments, NoSubject())

    def judge(self, call: CallView) -> Verdict:
        self.judged.append((call.tool, dict(call.arguments)))
        if self._judge is None or call.tool in self.kept:
            return Allow("test", Layer.SESSION)
        return self._judge(call.tool, call.arguments)

    def narrow(self, narrowings: Sequence[Narrowing]) -> Sequence[str]:
        self.narrowed.append(list(narrowings))
        return ()

    def offer(self, call: CallView) -> Offer:
        return Offer(("once", "session", "no"), call.tool)

    def remember(self, call: CallView, answer: PersonAnswer) -> str | None:
        if answer.choice != "session":
            return None
        self.kept.append(call.tool)
        return call.tool


def asking(*_: object) -> Verdict:
    return Ask("May it run?", "test", Layer.MODE)


def denying(*_: object) -> Verdict:
    return Deny("not on my watch", "test", Layer.FLAG)


class Someone:
    """A person who gives these answers, one after the other."""

    def __init__(self, *answers: PersonAnswer) -> None:
        self.answers = list(answers)
        self.questions: list[Question] = []

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
        self.questions.append(question)
        return self.answers.pop(0)

    async def fill(self, form: Form, cancel: CancelToken) -> FormAnswer:
        return Declined()


@dataclass
class Rig:
    """One session in one home; `open` gives a conductor on it, also after it was closed."""

    home: Path
    tools: list[BoundTool] = field(default_factory=list)
    rules: Rules = field(default_factory=Rules)
    person: Person | None = None
    hooks: Hooks = NO_HOOKS
    background: Background = field(default_factory=NoBackground)
    watch: Watch = field(default_factory=NoWatch)
    touched: Touched = lambda _tool, _call: ()
    budget: Budget = field(default_factory=Budget)
    retries: Retries = field(default_factory=lambda: Retries(attempts=4, first=0.001, total=5))
    patience: float = 5.0
    context: int = 200_000
    price: Callable[[Usage], float | None] = lambda usage: usage.output / 1000
    clock: Callable[[], str] = lambda: "now"
    events: list[Event] = field(default_factory=list)
    path: Path | None = None
    fallbacks: tuple[Callable[[], ModelSetting], ...] = ()
    secrets: Secrets = field(default_factory=Secrets)
    scrubber: Secrets | None = None

    def __post_init__(self) -> None:
        clock = SystemClock()
        self.store = SessionStore(self.home, clock, IdMint(clock), self.scrubber)
        self.conductor: Conductor | None = None

    def setup(self) -> Setup:
        def briefing(_: object) -> list[BriefSpan]:
            role = BriefSpan("role", "You are a test.", "builtin:test")
            return [role, BriefSpan("clock", self.clock(), "builtin:test", lasting="")]

        feature = InstalledFeature("builtin:test", "1", "0" * 64, "builtin")
        return Setup(
            workspace=str(self.home),
            cwd=str(self.home),
            version="test",
            mode="ask",
            features=(feature,),
            tools=tuple(self.tools),
            briefing=briefing,
        )

    def setting(self, model: Model, name: str = "m-1") -> ModelSetting:
        return ModelSetting("test", name, model, Parameters(1000), self.context, self.price)

    def open(self, model: Model, name: str = "m-1") -> Conductor:
        self.close()
        if self.path is None:
            log = self.store.create(self.home)
            self.path = log.path
        else:
            log, _ = self.store.open(self.path)
        wiring = Wiring(
            setup=self.setup(),
            setting=self.setting(model, name),
            permission=self.rules,
            context=self._tool_context,
            emit=self.events.append,
            clock=SystemClock(),
            person=self.person,
            hooks=self.hooks,
            background=self.background,
            watch=self.watch,
            touched=self.touched,
            budget=self.budget,
            retries=self.retries,
            patience=self.patience,
            fallbacks=self.fallbacks,
            secrets=self.secrets,
        )
        self.conductor = Conductor(log, self.store.blobs, wiring)
        return self.conductor

    async def run(self, *steps: Step, said: str = "please") -> TurnOutcome:
        return await bounded(self.open(Model(*steps)).submit([Text(said)]))

    def close(self) -> None:
        if self.conductor is not None:
            self.conductor.log.close()
            self.conductor = None

    def entries(self, *types: type[T]) -> list[T]:
        """The entries of these types, as the disk has them."""
        return [entry for entry in self.on_disk() if isinstance(entry, types)]

    def on_disk(self) -> list[Entry]:
        assert self.path is not None
        return read_only(self.path).entries

    def types(self) -> list[str]:
        return [type_name(entry) for entry in self.on_disk()]

    def heard(self, *types: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, types)]

    def replay(self) -> ReplayReport:
        assert self.path is not None
        return replay(read_only(self.path), self.store.blobs, encoder_for)

    def _tool_context(self, call: CallView, cancel: CancelToken, progress: Progress) -> ToolContext:
        folder = self.home / "spill"
        shell = LocalShell(folder, environ={})
        keep = Spill(folder).keep
        return ToolContext(self.home, LocalFilesystem(), shell, cancel, progress, keep)


async def bounded(work: Awaitable[T]) -> T:
    """No test waits longer for anything."""
    async with asyncio.timeout(BOUND):
        return await work


def words_of(request: dict[str, Any]) -> str:
    """All that a neutral request says in its messages, as one text."""
    return msgspec.json.encode(request["messages"]).decode()


def results_of(request: dict[str, Any]) -> list[str]:
    """The texts of the results in the last message, in order."""
    parts = request["messages"][-1]["content"]
    return [p["content"][0]["text"] for p in parts if p["type"] == "result"]


def assert_valid(request: dict[str, Any]) -> None:
    """What every provider demands: roles alternate, and each call has its result right after it."""
    messages = request["messages"]
    assert messages
    assert messages[0]["role"] == "user"
    assert messages[-1]["role"] == "user"
    due: list[str] = []
    for before, message in zip([None, *messages], messages, strict=False):
        assert message["content"]
        assert before is None or before["role"] != message["role"]
        if message["role"] == "assistant":
            due = [part["id"] for part in message["content"] if part["type"] == "tool_call"]
            assert len(set(due)) == len(due)
            continue
        given = [part["call"] for part in message["content"] if part["type"] == "result"]
        kinds = [part["type"] == "result" for part in message["content"]]
        assert given == due
        assert kinds == sorted(kinds, reverse=True)
        due = []
