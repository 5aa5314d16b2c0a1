"""The turn loop. One `Conductor` per session; one turn at a time.

    submit ── input hooks ── epoch ── input on disk
      loop: budget ── room ── context hooks ── ask the model ── run its calls
    until the model is done, a budget ends, or the user stops it

Whatever ends a turn, the log stays valid: the next input, here or after a resume, can follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import msgspec
from msgspec import Struct

from induscode.conductor.budget import Purse, next_cost
from induscode.conductor.calls import CallRunner, Passage
from induscode.conductor.compaction import Compactor, needs_room
from induscode.conductor.consent import Consent
from induscode.conductor.decisions import Decisions
from induscode.conductor.epoch import model_entries
from induscode.conductor.epochs import Epochs
from induscode.conductor.exchange import Exchange
from induscode.conductor.feature_exec import CommandRunner, Means
from induscode.conductor.inputs import Inputs, Submission
from induscode.conductor.joining import NOTHING, Brought, Joining
from induscode.conductor.listeners import listening
from induscode.conductor.plan_mode import PlanMode
from induscode.conductor.ports import Budget, ModelSetting, Setup, Wiring
from induscode.conductor.recorder import Recorder
from induscode.conductor.recovery import calls_left, close_open_calls
from induscode.errors import BudgetEnded, Cancelled, ContextTooLong, ProviderError, UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import iso
from induscode.kernel.content import SaidBlock
from induscode.kernel.events import Alert, Noticed
from induscode.kernel.model import StopReason
from induscode.policy.modes import Mode
from induscode.session.blobs import BlobStore
from induscode.session.delegation import DELEGATE_FEATURE
from induscode.session.entries import Delegate, Hook, KnownEntry, Notice
from induscode.session.file_states import REWINDER
from induscode.session.log import SessionLog
from induscode.session.projection import Projection
from induscode.session.state import SessionState
from induscode.session.totals import Totals

__all__ = ["Conductor", "Totals", "TurnOutcome"]

_HOST = "builtin:conductor"
_PERSON = "person"
_ROOM_TRIES = 2


class TurnOutcome(Struct, frozen=True):
    """How a turn ended: its final text, and why the model stopped."""

    text: str
    stop: StopReason


class Conductor:
    """Runs the turns of one session on its log. `state` is an empty fold that others look at, too;
    it follows the log from here on."""

    def __init__(
        self,
        log: SessionLog,
        blobs: BlobStore,
        wiring: Wiring,
        state: SessionState | None = None,
    ) -> None:
        self.log = log
        self.state = state or SessionState()
        self.projection = Projection(blobs)
        log.follow(self.projection.add, self.state.add)
        self._next = (wiring.setup, wiring.setting)
        self._setting = wiring.setting
        self._fallbacks = wiring.fallbacks
        self._chain = list(wiring.fallbacks)
        self._borrowed: list[ModelSetting] = []
        sender = wiring.sender
        self._above = sender.cancel if sender else None
        self._speaker = f"session:{sender.link.session}" if sender else _PERSON
        above = sender.left if sender else Budget
        self._purse = Purse(wiring.budget, self.totals, wiring.abroad, above)
        self._emit = emit = wiring.emit
        self._clock = clock = wiring.clock
        self._cancel = CancelToken()
        self._recorder = recorder = Recorder(
            log, emit, clock, patience=wiring.patience, secrets=wiring.secrets
        )
        self._epochs = Epochs(
            log.session, self.state, self.projection, recorder, blobs, wiring.renewal
        )
        self._decisions = decisions = Decisions(recorder, emit, clock)
        self._hooks = hooks = listening(wiring.hooks, decisions, recorder, blobs)
        self._background = wiring.background
        self._greeted = False
        self._consent = Consent(wiring.permission, wiring.person, recorder, emit, clock)
        self._exchange = Exchange(recorder, self.projection, blobs, emit, clock, wiring.retries)
        plan = PlanMode(wiring.plan, wiring.permission, self._consent, recorder, self._mode_changed)
        self._watch = wiring.watch
        self._joining = Joining(
            recorder, self.state, wiring.permission, wiring.touched, emit, clock
        )
        self._inputs = Inputs(
            recorder, blobs, hooks.wording, self._joining, emit, clock, self._speaker
        )
        passage = Passage(self._consent, hooks, wiring.watch, plan, self._joining)
        self._calls = CallRunner(recorder, blobs, passage, wiring.context, emit, clock)
        self._compactor = Compactor(
            recorder,
            self._exchange,
            self.state,
            hooks,
            wiring.background,
            emit,
            clock,
        )
        means = Means(passage, wiring.permission, wiring.context, self._opened)
        self.commands = CommandRunner(recorder, means, emit, clock)
        self._steered = False
        self._busy = False
        self._steerable = False

    @property
    def busy(self) -> bool:
        return self._busy

    @property
    def setting(self) -> ModelSetting:
        return self._setting

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools there are, but for what may not be offered any more."""
        tools = self._next[0].tools
        return tuple(bound.tool.name for bound in tools if bound.withdrawn() is None)

    @property
    def mode(self) -> str:
        """The permission mode in force."""
        return self._next[0].mode

    @property
    def unfinished(self) -> bool:
        """Whether something waits for an answer of the model: the last turn broke off."""
        tail = self.projection.request().tail if self.state.model is not None else None
        # What a rewind told the model waits for the next input, not for an answer.
        return tail is not None and any(part.by != REWINDER for part in tail.parts)

    def totals(self) -> Totals:
        """What the log says, delegates that have ended included."""
        state = self.state
        own = Totals(state.steps, state.usage, state.cost, state.unpriced, self._consent.unasked)
        return own.plus(state.delegated)

    def spent(self) -> Totals:
        """The same with what is under way: delegates that run, a request that is not answered."""
        return self._purse.spent()

    def left(self) -> Budget:
        """What this run may still use."""
        return self._purse.left()

    def reconfigure(
        self, *, setup: Setup | None = None, setting: ModelSetting | None = None
    ) -> None:
        """Another model, mode or tool set, in force from the next epoch on."""
        self._next = (setup or self._next[0], setting or self._next[1])

    def _mode_changed(self, mode: Mode) -> None:
        setup = msgspec.structs.replace(self._next[0], mode=mode.value)
        self.reconfigure(setup=setup)

    async def submit(self, blocks: Sequence[SaidBlock], brought: Brought = NOTHING) -> TurnOutcome:
        """One whole turn. Raises `UserError` when a hook stops the input, `Cancelled`,
        `BudgetEnded`, a `ProviderError` or `LogDown`."""
        return await self._turn("input", blocks, brought)

    async def go_on(self) -> TurnOutcome:
        """Continue a turn that broke off, without a new input."""
        if not self.unfinished:
            raise UserError("there is nothing to continue", hint="give a prompt")
        return await self._turn("resume")

    async def steer(self, text: str) -> None:
        """Add a message while the agent works; the model reads it with its next request. Raises
        `UserError` when no turn runs (any more)."""
        said = Submission("")
        with suppress(Cancelled):
            said = await self._inputs.steered(text, self._cancel)
        if not self._steerable or not said.entries:
            raise UserError("no turn is running", hint="submit it as a new input")
        await self._recorder.commit(*said.entries, by=_PERSON, cancel=CancelToken())
        self._steered = True

    async def notify(
        self, text: str, *, by: str, pinned: bool = False, wanted: bool = False
    ) -> None:
        """Put a text in front of the model, as an entry first. One that is `wanted` is read in the
        turn that runs, if one does: it does not end before."""
        await self._opened()
        await self._recorder.write(Notice(text=text, pinned=pinned), by=by, cancel=CancelToken())
        self._steered = self._steered or wanted
        self._emit(Noticed(text=text, by=by, at=self._now()))

    async def decided(self, note: Hook, *, by: str) -> None:
        """Put on the record what was decided for a feature and the model does not see."""
        await self._opened()
        await self._recorder.write(note, by=by, cancel=CancelToken())

    async def choose(
        self, change: Callable[[ModelSetting], ModelSetting], point: str, value: str, *, by: str
    ) -> None:
        """A feature chooses another model or effort, from the next epoch on: an entry first."""
        await self._opened()
        await self._decisions.record(Hook(point=point, decision="rewrite", reason=value), by)
        before = self._next[1]
        chosen = msgspec.structs.replace(change(before), cause=f"set by {by}")
        if chosen.provider is not before.provider:
            self._borrowed.append(before)
        self.reconfigure(setting=chosen)

    async def hand_on(self, call: str, session: str, *, agent: str) -> None:
        """A call is about to begin a delegate: on disk when this returns."""
        entry = Delegate(call=call, session=session, agent=agent)
        await self._recorder.commit(entry, by=DELEGATE_FEATURE, cancel=self._cancel)

    async def check_fork(self) -> None:
        """This session was just forked from another: raises `UserError` when a hook objects."""
        if not await self._hooks.turn.may_rewrite("fork"):
            raise UserError("a feature stopped the fork", hint="see: indus feature list")

    def cancel(self, reason: str = "stopped by the user") -> bool:
        """Stop what runs, a turn or a command; False when nothing does."""
        self._cancel.cancel(reason)
        return self.commands.cancel(reason) or self._busy

    async def close(self) -> None:
        """End what runs beside the turns, then let go of the log and of every provider."""
        await self._background.close()
        await self._watch.close()
        if self._greeted:
            await self._hooks.turn.session_ended(self.log.session)
        for setting in (self._next[1], *self._borrowed):
            await setting.provider.close()
        self.log.close()

    async def compact(self, reason: str = "asked for") -> bool:
        """Condense the conversation now."""
        self._begin()
        try:
            await self._open_epoch("compaction", [])
            return await self._compactor.compact(self._setting, reason, self._cancel)
        finally:
            self._end()

    async def _opened(self) -> None:
        if self.state.start is None:
            await self._open_epoch("start", [])

    # The turn

    def _begin(self) -> None:
        if self._busy:
            raise UserError("a turn is already running", hint="steer it, or wait for its end")
        self._busy = True
        self._cancel = CancelToken(self._above)
        self._purse.begin()
        self._steered = False

    def _end(self) -> None:
        self._joining.end()
        self._busy = self._steerable = False

    async def _turn(
        self, cause: str, blocks: Sequence[SaidBlock] = (), brought: Brought = NOTHING
    ) -> TurnOutcome:
        self._begin()
        try:
            said = Submission("")
            if blocks:
                said = await self._inputs.submitted(blocks, brought, self._cancel)
            outcome = await self._run(cause, said, brought)
        finally:
            self._end()
        await self._hooks.turn.turn_ended(self.log.session, outcome.text, self._cancel)
        return outcome

    async def _run(self, cause: str, said: Submission, brought: Brought) -> TurnOutcome:
        try:
            notices = self._joining.notices(brought)
            entries: list[KnownEntry] = [*notices, *said.entries]
            if brought.narrowing is not None:
                entries.append(brought.narrowing)
            await self._open_epoch(cause, entries)
            self._joining.tell(notices)
            await self._hooks.turn.turn_started(
                self.log.session, said.text, self._cancel, resumed=cause == "resume"
            )
            outcome = await self._loop()
            await self._recorder.settled(self._cancel)
        except (Cancelled, BudgetEnded) as stop:
            await self._note_stop(stop)
            raise
        return outcome

    async def _open_epoch(self, cause: str, entries: Sequence[KnownEntry]) -> None:
        """Record in one go, durably: what changed, ends for calls left open, and the input."""
        resumed = self.state.start is not None
        self._setting = self._next[1]
        self._chain = list(self._fallbacks)
        await self._begin_epoch(cause, entries)
        self._joining.narrow()
        self._steerable = self._busy
        if not self._greeted:
            self._greeted = True
            session, cancel = self.log.session, self._cancel
            await self._hooks.turn.session_started(session, cancel, resumed=resumed)

    async def _begin_epoch(self, cause: str, entries: Sequence[KnownEntry] = ()) -> None:
        """With the tools that there are now."""
        setup = self._epochs.renewed(self._next[0])
        self.reconfigure(setup=setup)
        self._calls.equip(setup.tools)
        await self._epochs.begin(setup, self._setting, cause, entries, self._cancel)

    async def _loop(self) -> TurnOutcome:
        room_tries = 0
        if left := calls_left(self.projection):
            await self._calls.run(left, self._cancel)
        while True:
            await self._before_asking()
            self._steered = False
            try:
                response = await self._exchange.ask(self._setting, "turn", self._cancel)
            except ContextTooLong:
                room_tries += 1
                if room_tries > _ROOM_TRIES or not await self._make_room():
                    raise
                continue
            except ProviderError as failure:
                if not failure.retryable or not await self._fall_back(failure):
                    raise
                continue
            finally:
                self._purse.settle()
            calls = list(self.projection.open_calls)
            text = self._exchange.text_of(response)
            answered = self._hooks.wording.answered
            text = await answered(text, len(calls), response.id, self._cancel)
            if calls:
                await self._calls.run(calls, self._cancel)
            elif response.stop is not StopReason.PAUSE and not self._steered:
                return TurnOutcome(text, response.stop)

    async def _before_asking(self) -> None:
        """What may be spent, room for the answer, the tools there are, what hooks make of it."""
        self._purse.reserve(next_cost(self.state.last_usage, self._setting))
        if needs_room(self.state.last_usage, self._setting.context):
            await self._compactor.compact(self._setting, "it is nearly full", self._cancel)
        if self._epochs.due:
            await self._begin_epoch("tools")
        objection = partial(self._exchange.objection, self._setting)
        await self._hooks.shaping.before(self.projection, objection, self._cancel)

    async def _make_room(self) -> bool:
        return await self._compactor.compact(self._setting, "it no longer fits", self._cancel)

    async def _fall_back(self, failure: ProviderError) -> bool:
        """Go on with the next model of the chain for the rest of this turn; False at its end."""
        if not self._chain:
            return False
        self._setting = self._chain.pop(0)()
        self._borrowed.append(self._setting)
        name = f"{self._setting.name}/{self._setting.model}"
        cause = f"fallback: {failure.message}"
        entries = model_entries(self.state, self._setting, cause)
        await self._recorder.commit(*entries, by=_HOST, cancel=self._cancel)
        self._emit(Alert(text=f"{failure.message}; going on with {name}", at=self._now()))
        return True

    async def _note_stop(self, stop: Cancelled | BudgetEnded) -> None:
        """Leave a log that says why the turn ended, for the model too."""
        closing = close_open_calls(self.projection, self.state, goes_on=False)
        note = Notice(text=f"[The turn ended here: {stop.message}.]")
        if self.state.start is not None:
            await self._recorder.commit(*closing, note, by=_HOST, cancel=CancelToken())
        if isinstance(stop, Cancelled):
            self._emit(Alert(text=stop.message, at=self._now()))

    def _now(self) -> str:
        return iso(self._clock.now_ms())
