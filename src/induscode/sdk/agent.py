"""The agent: one session, opened for the length of an `async with`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack
from weakref import ReferenceType, ref

from induscode.errors import UserError
from induscode.kernel.events import Event, RunResult
from induscode.sdk.options import AgentOptions, invocation_of
from induscode.sdk.run import Run

if TYPE_CHECKING:
    from induscode.boot.running import RunningSession

__all__ = ["Agent"]


class Agent:
    """Runs one session: a new one, or the one that `resume` or `fork` names.

    `model` is PROVIDER/MODEL; everything else is in `AgentOptions`. Entering raises the types of
    `induscode.errors`. A turn that fails ends with a `RunResult` whose `exit` is not 0; it raises
    only with `check=True`. One turn at a time.
    """

    def __init__(self, model: str | None = None, **options: Unpack[AgentOptions]) -> None:
        self._invocation = invocation_of(model, options)
        self._options = options
        self._opened: RunningSession | None = None
        self._early: list[Event] = []
        self._run: ReferenceType[Run] | None = None
        self._turn: asyncio.Task[RunResult] | None = None
        self._begun = False
        self._abandoned = False
        self._result: RunResult | None = None

    async def __aenter__(self) -> Self:
        opening = import_module("induscode.sdk.opening")
        self._opened = opening.open_agent(self._invocation, self._options, self._hear)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        session, self._opened = self._session(), None
        try:
            if self._turn is not None and not self._turn.done():
                session.cancel("the program ended it")
                await asyncio.wait({self._turn})
        finally:
            await session.close()

    @property
    def session(self) -> str:
        """The id of the session, for `resume`, `fork` and the commands."""
        return self._session().session

    @property
    def unfinished(self) -> bool:
        """Whether the last turn broke off, here or before: `go_on` continues it."""
        return self._session().unfinished

    @property
    def result(self) -> RunResult | None:
        """How the last turn ended."""
        return self._result

    def run(self, prompt: str, *, check: bool = False) -> Run:
        """One turn, event by event; the last event is its `RunResult`."""
        return self._new_run(lambda: self._session().submit(prompt), check=check)

    def go_on(self, *, check: bool = False) -> Run:
        """Continue a turn that broke off, as `run` does a new one."""
        return self._new_run(lambda: self._session().go_on(), check=check)

    async def ask(self, prompt: str, *, check: bool = False) -> RunResult:
        """One turn, to its end."""
        async for event in self.run(prompt, check=check):
            if isinstance(event, RunResult):
                return event
        raise UserError("the run was closed before its end")

    async def steer(self, text: str) -> None:
        """Say something to the turn that runs; the model reads it with its next step."""
        if not self._session().busy:
            raise UserError("no turn is running", hint="run the text instead")
        await self._session().steer(text)

    def cancel(self, reason: str = "stopped by the program") -> None:
        """Stop the turn that runs, if any: its run ends with a result of exit code 130."""
        self._session().cancel(reason)

    def _session(self) -> RunningSession:
        if self._opened is None:
            raise UserError("the agent is not open", hint="use it within: async with Agent(...)")
        return self._opened

    def _new_run(self, work: Callable[[], Awaitable[RunResult]], *, check: bool) -> Run:
        self._session()
        return Run(lambda run: self._begin(ref(run), work), self._let_go, check=check)

    def _begin(
        self, run: ReferenceType[Run], work: Callable[[], Awaitable[RunResult]]
    ) -> asyncio.Task[RunResult]:
        before = self._turn
        if before is not None and not before.done() and not self._abandoned:
            raise UserError("a turn is already running", hint="steer it, or wait for its end")
        self._abandoned = self._begun = False
        self._turn = asyncio.ensure_future(self._live(run, before, work))
        return self._turn

    async def _live(
        self,
        run: ReferenceType[Run],
        before: asyncio.Task[RunResult] | None,
        work: Callable[[], Awaitable[RunResult]],
    ) -> RunResult:
        if before is not None:
            await asyncio.wait({before})
        self._begun = True
        self._run = run
        early, self._early = self._early, []
        for event in early:
            self._hear(event)
        self._result = await work()
        return self._result

    def _let_go(self) -> None:
        """The program no longer listens to the turn that runs."""
        if self._turn is None or self._turn.done() or self._opened is None:
            return
        self._abandoned = True
        if self._begun:
            self._opened.cancel("the program stopped listening")
        else:
            self._turn.cancel()

    def _hear(self, event: Event) -> None:
        run = self._run() if self._run is not None else None
        if run is not None:
            run.feed(event)
        elif self._run is None:
            self._early.append(event)
