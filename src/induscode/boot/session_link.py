"""What the services of features reach of a session: there from before it is, useful once it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from induscode.boot.beginning import priced
from induscode.boot.models import ModelMaker
from induscode.boot.services.typed import Typed
from induscode.capability_deck.catalog import find_card
from induscode.capability_deck.contract import DeckContext
from induscode.conductor.feature_exec import Line
from induscode.conductor.ports import Budget, ModelSetting
from induscode.conductor.turn import Conductor
from induscode.errors import ServiceRefused, UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.request import EFFORTS
from induscode.kernel.tool import ShellOutcome, ToolKind
from induscode.policy.subject import CallView, NoSubject
from induscode.session.choices import SET_MODEL, SET_THINKING
from induscode.tools.limits import COMMAND_SECONDS_MOST

__all__ = ["SessionLink"]

_SHELL = "bash"


class SessionLink:
    """Connected once, when the session's conductor stands. `ctx` is what the deck's tools are built
    for: a line is looked at as their `bash` would look at it, and finds the same `environment`. A
    `settled` session keeps the model that it was begun with."""

    def __init__(
        self,
        maker: ModelMaker,
        budget: Budget,
        ctx: DeckContext,
        environment: Callable[[], Mapping[str, str]],
        *,
        settled: bool,
    ) -> None:
        self.typed = Typed()
        self.settled = settled
        self._maker = maker
        self._budget = budget
        self._ctx = ctx
        self._environment = environment
        self._conductor: Conductor | None = None

    def connect(self, conductor: Conductor) -> None:
        self._conductor = conductor

    async def send(self, text: str, *, by: str) -> None:
        await self._open().notify(text, by=by, wanted=True)

    async def set_model(self, model: str, *, by: str) -> None:
        conductor = self._open()
        try:
            made = priced(self._maker.make(model), self._budget)
        except UserError as error:
            raise ServiceRefused(error.message, hint=error.hint) from error
        await conductor.choose(
            lambda now: _thinking(made, now.parameters.thinking), SET_MODEL, model, by=by
        )

    async def set_thinking(self, level: str, *, by: str) -> None:
        conductor = self._open()
        if level not in EFFORTS:
            raise ServiceRefused(
                f"{level!r} is no effort of thinking", hint=f"use {', '.join(EFFORTS)}"
            )
        await conductor.choose(lambda now: _thinking(now, level), SET_THINKING, level, by=by)

    async def execute(self, line: str, *, by: str) -> ShellOutcome:
        wanted = Line(self._view(line), COMMAND_SECONDS_MOST, self._environment())
        return await self._open().commands.execute(wanted, by=by)

    async def execute_unasked(
        self, call: CallView, *, seconds: float, by: str, cancel: CancelToken
    ) -> ShellOutcome:
        wanted = Line(call, seconds, self._environment())
        return await self._open().commands.execute_unasked(wanted, by=by, cancel=cancel)

    def _view(self, line: str) -> CallView:
        arguments = {"command": line}
        card = find_card(_SHELL)
        subject = card.subject(arguments, self._ctx) if card is not None else NoSubject()
        return CallView(_SHELL, ToolKind.SHELL, arguments, subject)

    def _open(self) -> Conductor:
        if self._conductor is None:
            raise ServiceRefused("the session is not open yet", hint="do it after the installation")
        return self._conductor


def _thinking(setting: ModelSetting, level: str) -> ModelSetting:
    return replace(setting, parameters=replace(setting.parameters, thinking=level))
