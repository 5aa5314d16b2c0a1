"""Which command of a feature a person typed, for as long as it runs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from induscode.errors import ServiceRefused
from induscode.feature.limits import COMMAND_LINES_MOST

__all__ = ["Typed", "TypedCommand"]


class TypedCommand:
    """`line` is what it declares to run, with what was typed after its name; "" for nothing.
    `paused` stops the clock that the command runs against, while the host works for it. `trouble`
    is how its own line ended, where that was not well."""

    def __init__(
        self,
        feature: str,
        name: str,
        line: str = "",
        paused: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.feature = feature
        self.name = name
        self.line = line
        self.paused = paused
        self.trouble = ""
        self._lines = 0

    def count(self) -> None:
        """One more line. Raises `ServiceRefused` when there were enough."""
        self._lines += 1
        if self._lines > COMMAND_LINES_MOST:
            raise ServiceRefused(f"a command runs at most {COMMAND_LINES_MOST} lines")


class Typed:
    """At most one command at a time."""

    def __init__(self) -> None:
        self._now: TypedCommand | None = None

    @contextmanager
    def runs(self, command: TypedCommand) -> Generator[None]:
        self._now = command
        try:
            yield
        finally:
            self._now = None

    def of(self, feature: str, name: str) -> TypedCommand | None:
        now = self._now
        return now if now is not None and (now.feature, now.name) == (feature, name) else None
