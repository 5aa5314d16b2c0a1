"""The host of a trial: it answers what an addon asks, does nothing of it, and writes it down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from induscode.addons.acting import HostCalls
from induscode.addons.contract import ExecOutcome, FrameworkHandles
from induscode.addons.trial.report import HostCall
from induscode.errors import UserError

__all__ = ["CALLS_MOST", "GIVEN_MOST", "NothingRuns", "RecordingHost"]

CALLS_MOST = 100
"""Host calls of one step that are kept; the others are counted."""

GIVEN_MOST = 2_000
"""Characters of what a host call was given, and of what it was told."""

_REFUSED = "nothing is run while an addon is tried out"


class NothingRuns(UserError):
    """A command was to be run."""


class RecordingHost:
    """State is kept in memory and is empty at first. Nothing is run: `exec` is refused. Messages,
    notices, models and efforts are taken as if they had an effect."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        self._calls: list[HostCall] = []
        self._left_out = 0

    def host_calls(self) -> HostCalls:
        return HostCalls(self.handles(), self.notify, self, self.log)

    def handles(self) -> FrameworkHandles:
        return FrameworkHandles(
            send_message=self._taking("send_message"),
            set_model=self._taking("set_model"),
            set_thinking=self._taking("set_thinking"),
            exec=self._exec,
        )

    async def notify(self, text: str) -> None:
        self._note("notify", text, "done")

    def log(self, level: str, text: str) -> None:
        self._note("log", f"{level}: {text}", "done")

    async def get(self, key: str) -> str | None:
        found = self._kept.get(key)
        self._note("state/get", key, "nothing" if found is None else found)
        return found

    async def set(self, key: str, value: str | None) -> None:
        if value is None:
            self._kept.pop(key, None)
        else:
            self._kept[key] = value
        self._note("state/set", key if value is None else f"{key} = {value}", "done")

    def taken(self) -> tuple[tuple[HostCall, ...], int]:
        """What was asked since the last time, and how many more calls were not kept."""
        calls, left_out = tuple(self._calls), self._left_out
        self._calls, self._left_out = [], 0
        return calls, left_out

    def _taking(self, method: str) -> Callable[[str], Awaitable[None]]:
        async def take(text: str) -> None:
            self._note(method, text, "done")

        return take

    async def _exec(self, command: str) -> ExecOutcome:
        self._note("exec", command, f"refused: {_REFUSED}")
        raise NothingRuns(_REFUSED)

    def _note(self, method: str, given: str, answer: str) -> None:
        if len(self._calls) < CALLS_MOST:
            self._calls.append(HostCall(method, _cut(given), _cut(answer)))
        else:
            self._left_out += 1


def _cut(text: str) -> str:
    return text if len(text) <= GIVEN_MOST else text[: GIVEN_MOST - 1] + "…"
