"""Where features' words go, from before the session is open until after it is closed."""

from __future__ import annotations

from collections.abc import Callable

from induscode.conductor.turn import Conductor
from induscode.errors import FeatureInstallError
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.hosting.sinks import SinkPaths
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import Alert, Event, Fault
from induscode.policy.redaction import Secrets
from induscode.session.entries import Hook
from induscode.tools.spill import Spill

__all__ = ["Outlet"]

_QUESTION = "question"
_QUESTION_CHARACTERS = 500


class Outlet:
    """The host's own paths, given to the registry before there is a conductor. What is to be told
    before the session is open waits in `faults`."""

    def __init__(
        self, emit: Callable[[Event], None], clock: Clock, secrets: Secrets, spill: Spill
    ) -> None:
        self.faults: list[str] = []
        self._emit = emit
        self._clock = clock
        self._secrets = secrets
        self._spill = spill
        self._known: set[tuple[str, str]] = set()
        self._conductor: Conductor | None = None

    def connect(self, conductor: Conductor) -> None:
        """From now on notices reach the log, and faults are told at once."""
        self._conductor = conductor

    def record(self, feature: str) -> FeatureRecord:
        return FeatureRecord(feature, now=self._now, clean=self._secrets.text, told=self.told)

    def renewed_record(self, feature: str) -> FeatureRecord:
        """For what is installed again and again: the same is told once."""
        told = self._told_once
        return FeatureRecord(feature, now=self._now, clean=self._secrets.text, told=told)

    def paths(self) -> SinkPaths:
        return SinkPaths(notify=self._notify, alert=self._alert, spill=self._keep)

    async def answered(self, feature: str, question: str, how: str) -> None:
        """A question of a server to the person was answered: an entry before the server hears it.
        The words of the answer are not kept. Raises `IndusError`."""
        if self._conductor is None:
            raise FeatureInstallError("nobody can be asked before the session is open")
        said = self._secrets.text(question)[:_QUESTION_CHARACTERS]
        note = Hook(point=_QUESTION, decision=how, reason=said)
        await self._conductor.decided(note, by=feature)

    async def _notify(self, feature: str, text: str) -> None:
        if self._conductor is None:
            raise FeatureInstallError("a notice cannot be given before the session is open")
        await self._conductor.notify(self._secrets.text(text), by=feature)

    def _alert(self, feature: str, text: str) -> None:
        self._emit(Alert(text=f"{feature}: {text}", at=self._now()))

    def _keep(self, feature: str, text: str) -> str:
        return str(self._spill.keep(feature, text))

    def told(self, feature: str, message: str) -> None:
        """What went wrong with a feature, for the person."""
        self.fault(f"{feature}: {message}")

    def _told_once(self, feature: str, message: str) -> None:
        if (feature, message) not in self._known:
            self._known.add((feature, message))
            self.told(feature, message)

    def fault(self, sentence: str) -> None:
        if self._conductor is None:
            self.faults.append(sentence)
        else:
            self._emit(Fault(message=sentence, at=self._now()))

    def alert(self, sentence: str) -> None:
        self._emit(Alert(text=sentence, at=self._now()))

    def _now(self) -> str:
        return iso(self._clock.now_ms())
