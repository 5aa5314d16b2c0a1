"""Hooks that shape what a command finds in its environment, right before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from induscode.conductor.decisions import Decisions
from induscode.conductor.guard import guarded
from induscode.conductor.hooks import CommandView, EnvironmentHook, Hooks, Noted, Stop, Variables
from induscode.conductor.tool_hooks import Blocked
from induscode.feature.limits import ENVIRONMENT_BYTES
from induscode.kernel.cancel import CancelToken
from induscode.kernel.jsontext import canonical, digest
from induscode.kernel.scrubbing import Scrubber
from induscode.kernel.tool import Progress, Shell, ShellOutcome, Spawned
from induscode.policy.environment import looks_secret
from induscode.session.entries import Hook

__all__ = ["EnvironmentHooks", "ShapedShell", "environment_digest"]

_POINT = "shell-environment"


def environment_digest(environment: Mapping[str, str]) -> str:
    """What the log says of an environment besides its names, never a value."""
    return digest(canonical(dict(environment)))


class EnvironmentHooks:
    """Serves one session, for the calls of tools and for the commands that features run."""

    def __init__(self, hooks: Hooks, decisions: Decisions, scrubber: Scrubber) -> None:
        self._hooks = hooks
        self._decisions = decisions
        self._scrubber = scrubber

    async def shaped(
        self, tool: str, call: str, environment: Mapping[str, str], cancel: CancelToken
    ) -> Mapping[str, str] | Blocked:
        """The environment as hooks leave it, the very same where none changes it; or that the
        command must not run, because a guard failed. Raises `Cancelled`."""
        for hook in self._hooks.environment:
            if not hook.matches(tool):
                continue
            view = CommandView(tool, call, environment)
            match await guarded(
                hook.furnish(view), hook.by, deadline=self._hooks.deadline, cancel=cancel
            ):
                case Stop() as stop:
                    await self._decisions.stopped(_POINT, hook.by, stop, call)
                    return Blocked(hook.by, f"Blocked by {hook.by.split(':')[-1]}: {stop.reason}")
                case Noted() as noted:
                    await self._decisions.noted(_POINT, hook.by, noted, call)
                case Variables() as wanted:
                    environment = await self._set(environment, wanted, hook, call)
                case None:
                    continue
        return environment

    async def _set(
        self, before: Mapping[str, str], wanted: Variables, hook: EnvironmentHook, call: str
    ) -> Mapping[str, str]:
        refused = list(wanted.refused)
        values = wanted.values
        if sum(len(name) + len(value or "") for name, value in values.items()) > ENVIRONMENT_BYTES:
            refused.append(f"all together have over {ENVIRONMENT_BYTES} characters")
            values = {}
        after = dict(before)
        for name, value in values.items():
            if value is None:
                after.pop(name, None)
            elif why := self._unfit(value):
                refused.append(f"{name}: {why}")
            else:
                after[name] = value
        if refused:
            why = f"{hook.by} wants to set variables of a command: {'; '.join(refused)}"
            await self._decisions.passed_over(_POINT, hook.by, Stop(why, "refused"), call)
        if after == before:
            return before
        note = Hook(
            point=_POINT,
            decision="rewrite",
            target=call,
            before=environment_digest(before),
            after=environment_digest(after),
        )
        await self._decisions.record(note, hook.by)
        return after

    def _unfit(self, value: str) -> str:
        """Why no process can have it, or none should."""
        try:
            value.encode()
        except UnicodeEncodeError:
            return "its value is no text"
        if "\0" in value:
            return "its value holds NUL"
        secret = looks_secret("", value) or self._scrubber.text(value) != value
        return "its value holds a key or password" if secret else ""


class ShapedShell:
    """`shell`, with this environment for all that it starts."""

    def __init__(self, shell: Shell, environment: Mapping[str, str]) -> None:
        self._shell = shell
        self._environment = environment

    async def run(
        self,
        command: str,
        *,
        cwd: Path,
        seconds: float,
        cancel: CancelToken,
        progress: Progress,
        apart: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> ShellOutcome:
        return await self._shell.run(
            command,
            cwd=cwd,
            seconds=seconds,
            cancel=cancel,
            progress=progress,
            apart=apart,
            environment=self._environment if environment is None else environment,
        )

    async def spawn(
        self,
        command: str,
        *,
        cwd: Path,
        apart: bool = False,
        detached: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> Spawned:
        return await self._shell.spawn(
            command,
            cwd=cwd,
            apart=apart,
            detached=detached,
            environment=self._environment if environment is None else environment,
        )
