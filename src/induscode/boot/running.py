"""A session that runs: what every channel drives, whatever its shape."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct

from induscode.boot.feature_commands import FeatureCommands, Told, Wanted
from induscode.boot.features import Features
from induscode.boot.machine import Machine
from induscode.boot.materials import Materials
from induscode.boot.services.typed import Typed
from induscode.channels.ports import Snapshot
from induscode.conductor.turn import Conductor, TurnOutcome
from induscode.errors import Cancelled, IndusError, NobodyToAsk, UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.content import Text
from induscode.kernel.events import Alert, Event, Fault, RunResult, SessionOpened, TextDelta
from induscode.kernel.jsontext import clean_text
from induscode.kernel.model import StopReason, Usage
from induscode.session.log import OpenReport
from induscode.session.totals import Totals

__all__ = ["Greeting", "Means", "RunningSession"]

_REFUSED = 3
_STOPS = {
    StopReason.LENGTH: "the answer was cut off at the model's output limit",
    StopReason.REFUSAL: "the model refused to answer",
}


class Greeting(Struct, frozen=True):
    """What a person is told when a session opens, besides what opening found. `forked` says that
    the session is a copy made just now: features may object before its first turn."""

    unknown_settings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    forked: bool = False


class Means(Struct, frozen=True):
    """What a session works with besides its conductor. `typed` is told which command runs."""

    features: Features
    machine: Machine
    materials: Materials
    typed: Typed


class RunningSession:
    """Submits, steers and stops one session, and tells every turn's end as an event.

    `open` must be called once, before the first turn; `close` at the end, whatever happened.
    """

    def __init__(
        self,
        conductor: Conductor,
        emit: Callable[[Event], None],
        clock: Clock,
        report: OpenReport,
        greeting: Greeting,
        means: Means,
    ) -> None:
        self._conductor = conductor
        self._emit = emit
        self._clock = clock
        self._report = report
        self._greeting = greeting
        self._features = means.features
        self._machine = means.machine
        self._materials = means.materials
        self._commands = FeatureCommands(lambda: means.features.registry, means.typed)
        self._gathering = CancelToken()
        self._fresh_fork = greeting.forked
        self._cwd = ""
        self._warned: set[str] = set()

    @property
    def session(self) -> str:
        return self._conductor.log.session

    @property
    def busy(self) -> bool:
        return self._conductor.busy

    @property
    def unfinished(self) -> bool:
        """Whether the log ends in the middle of a turn."""
        return self._conductor.unfinished

    def snapshot(self) -> Snapshot:
        """Where the session stands now; changes nothing."""
        totals = self._conductor.totals()
        return Snapshot(
            session=self.session,
            model=self._model(),
            mode=self._conductor.mode,
            cwd=self._cwd,
            busy=self.busy,
            unfinished=self.unfinished,
            entries=len(self._conductor.log.entries),
            steps=totals.steps,
            usage=_counted(totals.usage),
            cost=None if totals.unpriced else totals.cost,
        )

    def open(self, *, cwd: str) -> None:
        """Say which session this is, and what opening it found."""
        self._cwd = cwd
        self._emit(
            SessionOpened(
                session=self.session,
                model=self._model(),
                cwd=clean_text(cwd)[0],
                mode=self._conductor.mode,
                resumed=self._conductor.state.start is not None,
                at=self._now(),
            )
        )
        for sentence in (*self._report.sentences(), *self._greeting.faults):
            self._emit(Fault(message=sentence, at=self._now()))
        for notice in self._greeting.notices:
            self._emit(Alert(text=notice, at=self._now()))
        for key in self._greeting.unknown_settings:
            self._emit(
                Fault(message=f"{key}: not a setting we know; it is ignored", at=self._now())
            )
        self._tell_news()
        self._features.supervisor.start()
        self._features.servers.start()

    async def submit(self, text: str) -> RunResult:
        """One turn, or one command of a feature. Every end is a `RunResult`, emitted and returned;
        failures are also faults."""
        return await self._turn(lambda: self._submitted(text))

    async def _submitted(self, text: str) -> TurnOutcome | Told:
        match await self._commanded(text) if self._commands.has(text) else None:
            case None:
                return await self._conductor.submit([Text(text)])
            case Wanted(text=wanted, brought=brought):
                return await self._conductor.submit([Text(wanted)], brought)
            case Told() as told:
                if told.text:
                    self._emit(TextDelta(text=told.text, at=self._now()))
                return told

    async def _commanded(self, text: str) -> Told | Wanted | None:
        """Raises `NobodyToAsk` when the command failed for want of a person."""
        refused = self._conductor.totals().refused
        try:
            return await self._conductor.commands.attend(self._commands.run(text))
        except UserError as error:
            if self._conductor.totals().refused == refused:
                raise
            raise NobodyToAsk(error.message, hint=error.hint) from error

    async def carry_out(self, text: str) -> RunResult:
        """One turn of a delegate with this input, whatever it looks like: commands are for people.
        What was refused for want of a person is told by the session above, which counts it."""
        return await self._turn(lambda: self._conductor.submit([Text(text)]), delegate=True)

    def spent(self) -> Totals:
        """All that was used until now, also by what still runs."""
        return self._conductor.spent()

    def commands(self) -> Mapping[str, str]:
        """What features offer at the prompt, by name, with a description."""
        return self._commands.names()

    async def go_on(self) -> RunResult:
        """Continue the turn that broke off."""
        return await self._turn(self._conductor.go_on)

    async def steer(self, text: str) -> None:
        await self._conductor.steer(text)

    async def compact(self) -> bool:
        return await self._conductor.compact()

    def cancel(self, reason: str = "stopped by the user") -> bool:
        self._gathering.cancel(reason)
        return self._conductor.cancel(reason)

    async def close(self) -> None:
        await self._conductor.close()
        await self._features.close()
        await self._machine.close()

    async def _turn(
        self, run: Callable[[], Awaitable[TurnOutcome | Told]], *, delegate: bool = False
    ) -> RunResult:
        before = self._conductor.totals()
        text, code = "", 0
        self._materials.refresh()
        self._tell_news()
        try:
            await self._gather()
            await self._check_fork()
            outcome = await run()
            text, code = outcome.text, self._judged(outcome)
        except Cancelled as stop:
            code = stop.exit_code
        except IndusError as error:
            code = error.exit_code
            self._emit(Fault(message=str(error), fatal=True, at=self._now()))
        self._tell_unconfined()
        used = self._conductor.totals().since(before)
        if code == 0 and used.refused:
            code = _REFUSED
            if not delegate:
                self._tell_refused(used.refused)
        result = RunResult(
            session=self.session,
            text=text,
            steps=used.steps,
            usage=_counted(used.usage),
            cost=used.price,
            exit=code,
            at=self._now(),
        )
        self._emit(result)
        return result

    async def _gather(self) -> None:
        """Wait for servers, in runs that do; what they offer as commands is there then."""
        self._gathering = CancelToken()
        await self._features.servers.gathered(self._gathering)
        self._features.renew()

    def _tell_news(self) -> None:
        for sentence in self._materials.news():
            self._emit(Fault(message=sentence, at=self._now()))

    def _tell_unconfined(self) -> None:
        for sentence in self._features.addons.unconfined():
            if sentence not in self._warned:
                self._warned.add(sentence)
                self._emit(Alert(text=sentence, at=self._now()))

    def _tell_refused(self, calls: int) -> None:
        what = "1 call was" if calls == 1 else f"{calls} calls were"
        hint = "allow it with --allow RULE or --mode, or run without -p to be asked"
        self._emit(Fault(message=f"{what} refused: nobody to ask; {hint}", at=self._now()))

    async def _check_fork(self) -> None:
        if self._fresh_fork:
            await self._conductor.check_fork()
            self._fresh_fork = False

    def _judged(self, outcome: TurnOutcome | Told) -> int:
        """The exit code of what came to its end; whoever watches is told what was wrong with it."""
        match outcome:
            case Told(trouble=trouble):
                reason = f"the command did not end well: {trouble}" if trouble else None
                code = 1 if trouble else 0
            case TurnOutcome(text=text, stop=stop):
                wordless = None if text.strip() else "the model answered without any text"
                reason = _STOPS.get(stop, wordless)
                code = 1 if stop is StopReason.REFUSAL else 0
        if reason is not None:
            self._emit(Fault(message=reason, at=self._now()))
        return code

    def _model(self) -> str:
        setting = self._conductor.setting
        return f"{setting.name}/{setting.model}"

    def _now(self) -> str:
        return iso(self._clock.now_ms())


def _counted(usage: Usage) -> dict[str, int]:
    return {
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
    }
