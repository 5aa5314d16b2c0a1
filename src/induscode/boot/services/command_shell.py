"""The shell for a command that a person typed: its grants, its line, then the way of the host."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from induscode.boot.services.authority import Authority
from induscode.boot.services.roots import SessionReach
from induscode.errors import ServiceRefused
from induscode.feature.capability import ContributeCommand, ScopedFs
from induscode.feature.hosting.foreign import plain
from induscode.feature.lending import no_errand
from induscode.feature.service_command import CommandRan
from induscode.kernel.tool import ShellOutcome, ShellStream
from induscode.tools.bash import shown_output
from induscode.tools.bounded import shortened

__all__ = ["TypedShell"]

_EXECUTE = ScopedFs(execute=True)


class TypedShell:
    """The port behind `CommandShell`. `spill` keeps what is too long to be told."""

    def __init__(
        self,
        authority: Authority,
        command: ContributeCommand,
        session: SessionReach,
        spill: Callable[[str, str], Path],
    ) -> None:
        self._authority = authority
        self._command = command
        self._session = session
        self._spill = spill

    async def run(self, line: str) -> CommandRan:
        line = plain(line)
        feature = str(self._authority.feature)
        typed = self._session.typed.of(feature, self._command.name)
        if typed is None:
            raise ServiceRefused(
                f"/{self._command.name} does not run", hint="only a person's command runs lines"
            )
        self._authority.check(self._command)
        own = bool(typed.line) and line == typed.line
        if not own:
            self._authority.check(_EXECUTE)
        if not line.strip() or "\0" in line:
            raise ServiceRefused("the line is empty or holds NUL")
        typed.count()
        with typed.paused(), no_errand():
            outcome = await self._session.execute(line, by=feature)
        ran = CommandRan(
            stdout=self._told(outcome),
            stderr=self._told(outcome.errors) if outcome.errors is not None else "",
            code=outcome.code,
            note=outcome.note or ("it took too long and was ended" if outcome.timed_out else ""),
        )
        if own:
            typed.trouble = _trouble(ran)
        return ran

    def _told(self, said: ShellOutcome | ShellStream) -> str:
        return shortened(shown_output(said), f"{self._command.name}.txt", self._spill)


def _trouble(ran: CommandRan) -> str:
    if ran.code == 0:
        return ""
    return f"exit code {ran.code}" if ran.code is not None else ran.note or "it was ended"
