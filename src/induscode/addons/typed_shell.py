"""The `exec` handle of a command that a person typed: the session's own shell, for that command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from induscode.addons.contract import ExecOutcome
from induscode.errors import ServiceRefused
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.service_command import CommandShell

__all__ = ["typed_exec"]


def typed_exec(ctx: FeatureInstallContext, command: str) -> Callable[[str], Awaitable[ExecOutcome]]:
    """Runs a line as the person's own would be run. Raises `ServiceRefused` where it may not."""

    async def run(line: str) -> ExecOutcome:
        shell = ctx.services.command_shell(command)
        if not isinstance(shell, CommandShell):
            raise ServiceRefused(shell.reason)
        ran = await shell.run(line)
        stderr = f"{ran.stderr}\n{ran.note}".strip("\n") if ran.note else ran.stderr
        return ExecOutcome(ran.stdout, stderr, ran.code)

    return run
