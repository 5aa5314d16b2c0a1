"""Running sub-agents: each a session of its own, opened as every other session is.

A delegate has at most what its parent has: the parent's mode and rules, tools and budget, now and
while it works. It asks the parent's person, and is stopped with the parent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from msgspec import Struct

from induscode.boot.agents import Agents
from induscode.boot.errand import Errand
from induscode.boot.features import Features
from induscode.boot.materials import Materials
from induscode.boot.permission import SessionPermission
from induscode.boot.running import RunningSession
from induscode.capability_deck.contract import DeckFault
from induscode.conductor.ports import BriefSpan, Budget, Sender
from induscode.conductor.turn import Conductor
from induscode.errors import IndusError, UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.events import Event, RunResult
from induscode.kernel.person import Person
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.session.delegation import Delegated, Ended
from induscode.session.entries import Delegator
from induscode.session.totals import Totals

if TYPE_CHECKING:
    from induscode.capability_deck.agents.profile import SubagentProfile
    from induscode.crew.delegates.deadline import Deadline
    from induscode.crew.delegates.person import DelegatePerson
    from induscode.crew.delegates.watching import Watch

__all__ = ["Delegates", "Parent"]

_BY = "builtin:briefing"
_ROLE = """\
# You are a delegate
Another agent gave you the task in the first message. It sees nothing of your work but your last
message: make that the whole answer, with what you did, what you found and what you could not do.
Nobody answers questions of yours."""
_STOPPED = "stopped with its parent"
_DONE = (0, 3)
_BUDGET = 4

Open = Callable[[Errand, Callable[[Event], None], Person | None], RunningSession]


class Parent(Struct, frozen=True):
    """The session that delegates. `tell` is where its events go."""

    conductor: Conductor
    permission: SessionPermission
    features: Features
    materials: Materials
    person: Person | None
    tell: Callable[[Event], None]


class Delegates:
    """The delegates of one session. `depth` is the session's own level; `open_session` opens one
    more session, under an errand."""

    def __init__(self, agents: Agents, depth: int, open_session: Open) -> None:
        self._agents = agents
        self._depth = depth
        self._open = open_session
        self._parent: Parent | None = None
        self._running: dict[str, RunningSession] = {}
        self._places: asyncio.Semaphore | None = None

    def connect(self, parent: Parent) -> None:
        """From now on work can be handed on."""
        self._parent = parent

    def list_agents(self) -> Sequence[str]:
        return self._agents.names()

    def abroad(self) -> Totals:
        """What delegates used whose end the parent's log does not say yet."""
        total = Totals()
        if self._parent is not None:
            under_way = self._parent.conductor.state.delegates
            self._running = {c: s for c, s in self._running.items() if c in under_way}
            for session in self._running.values():
                total = total.plus(session.spent())
        return total

    async def delegate(
        self, objective: str, *, agent: str | None, context: str | None, call: ToolContext
    ) -> ToolResult:
        from induscode.capability_deck.agents.profile import SubagentProfile
        from induscode.crew.delegates.limits import AT_ONCE

        parent = self._parent
        if parent is None:
            return ToolResult.error("Delegation is not ready before the session is open.")
        profile = (self._agents.find(agent) if agent else None) or SubagentProfile("")
        if self._places is None:
            self._places = asyncio.Semaphore(AT_ONCE)
        if self._places.locked():
            call.progress(f"waiting: {AT_ONCE} delegates are at work")
        async with self._places:
            sent = _Sent(parent, profile, objective, call)
            try:
                session = self._open(self._errand(sent), sent.watch.hear, sent.person)
            except (UserError, DeckFault) as error:
                return ToolResult.error(f"The delegate cannot be sent: {error}")
            return await self._carried_out(sent, session, _input(objective, context))

    def _errand(self, sent: _Sent) -> Errand:
        """Raises `UserError` or `DeckFault` when there is nothing to send it with."""
        from induscode.crew.delegates.authority import mode_of, tools_of

        parent, profile = sent.parent, sent.profile
        left = parent.conductor.left()
        steps, cost = left.max_steps, left.max_cost
        if (steps is not None and steps <= 0) or (cost is not None and cost <= 0):
            raise UserError("nothing is left of the budget", hint="finish with what you have")
        setting = parent.conductor.setting
        link = Delegator(parent.conductor.log.session, sent.call.call)
        spans = [BriefSpan("delegate", _ROLE, _BY)]
        if profile.prompt:
            spans.append(BriefSpan("agent", profile.prompt, _BY, source=profile.source))
        depth = self._depth + 1
        return Errand(
            sender=Sender(link, sent.cancel, parent.conductor.left),
            permission=parent.permission,
            mode=mode_of(parent.permission.mode, profile),
            tools=tools_of(parent.conductor.tools, profile, depth=depth),
            model=profile.model or f"{setting.name}/{setting.model}",
            budget=Budget(profile.max_steps, profile.max_cost),
            depth=depth,
            spans=tuple(spans),
            agents=self._agents,
            materials=parent.materials,
            guests=parent.features.registry.lent(),
        )

    async def _carried_out(self, sent: _Sent, session: RunningSession, text: str) -> ToolResult:
        call, conductor = sent.call.call, sent.parent.conductor
        try:
            await conductor.hand_on(call, session.session, agent=sent.profile.name)
        except IndusError:
            await session.close()
            raise
        self._running[call] = session
        session.open(cwd=str(sent.call.cwd))
        sent.watch.begin()
        work = asyncio.ensure_future(_work(session, text, sent))
        return sent.result(await _to_its_end(work, sent.cancel), session)


class _Sent:
    """One delegate from its sending to its answer."""

    def __init__(
        self, parent: Parent, profile: SubagentProfile, objective: str, call: ToolContext
    ) -> None:
        from induscode.crew.delegates.authority import seconds_of
        from induscode.crew.delegates.deadline import Deadline
        from induscode.crew.delegates.person import DelegatePerson, label
        from induscode.crew.delegates.watching import Watch

        self.parent = parent
        self.profile = profile
        self.call = call
        self.cancel = CancelToken(call.cancel)
        self._seconds = seconds_of(profile)
        self._late = f"it did not finish within {self._seconds:g} s"
        self.deadline: Deadline = Deadline(self._seconds, lambda: self.cancel.cancel(self._late))
        own = label(profile.name, objective)
        self.watch: Watch = Watch(profile.name, own, call.progress, parent.tell)
        self.person: DelegatePerson | None = (
            DelegatePerson(parent.person, own, self.deadline) if parent.person else None
        )

    def result(self, ran: RunResult | None, session: RunningSession) -> ToolResult:
        """`ran` is None for a delegate that could not be stopped."""
        from induscode.crew.delegates.answering import answered, fell_short

        became = Delegated(
            session=session.session,
            agent=self.profile.name,
            ended=self._ended(ran),
            used=session.spent(),
        )
        if ran is not None and became.ended == "done":
            return answered(ran.text, became, self.call.spill)
        return fell_short(self._why(ran), self.watch.said, became)

    def _ended(self, ran: RunResult | None) -> Ended:
        if ran is not None and ran.exit in _DONE:
            return "done"
        if self.deadline.missed:
            return "late"
        if self.cancel.cancelled:
            return "stopped"
        return "spent" if ran is not None and ran.exit == _BUDGET else "failed"

    def _why(self, ran: RunResult | None) -> str:
        if ran is None:
            return "it does not stop: it may still be running"
        if self.deadline.missed:
            return self._late
        return self.watch.trouble


async def _work(session: RunningSession, text: str, sent: _Sent) -> RunResult:
    sent.deadline.start()
    try:
        with sent.person.at_work() if sent.person is not None else nullcontext():
            return await session.carry_out(text)
    finally:
        sent.deadline.stop()
        await session.close()


async def _to_its_end(work: asyncio.Future[RunResult], cancel: CancelToken) -> RunResult | None:
    """Its result; a delegate that is stopped ends in good order first. None when it does not."""
    from induscode.crew.delegates.limits import SECONDS_TO_STOP

    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancel.cancel(_STOPPED)
        await asyncio.wait({work}, timeout=SECONDS_TO_STOP)
        return work.result() if work.done() else None


def _input(objective: str, context: str | None) -> str:
    return f"{objective}\n\n# Context\n{context}" if context else objective
