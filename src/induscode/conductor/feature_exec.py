"""Lines for the shell that features run: for a person who typed one of their commands, or by
themselves.

No tool is called, so no hook around tools is heard. All else is as for a `bash` call of the model:
the gate, the environment, and for a person's command the question and the watch over what changes.
The log says that a line is about to run before it does, and how it ended afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from induscode.conductor.calls import Passage
from induscode.conductor.consent import Granted, Refused, denial
from induscode.conductor.ports import ContextMaker, Emit, NoWatch, Permission
from induscode.conductor.recorder import Recorder
from induscode.conductor.tool_hooks import Blocked
from induscode.errors import Cancelled, ServiceRefused, UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import HookDecided
from induscode.kernel.ids import IdMint
from induscode.kernel.jsontext import clean_text
from induscode.kernel.tool import ShellOutcome
from induscode.policy.subject import CallView, CommandSubject
from induscode.policy.verdict import Allow, Ask, Deny
from induscode.session.entries import Hook

__all__ = ["CommandRunner", "Line", "Means"]

T = TypeVar("T")
Asked = Callable[[str, CallView, Ask, CancelToken], Awaitable[None]]
"""What is done about a line that the gate would ask about. Raises `ServiceRefused`."""
_HOST = "builtin:conductor"
_POINT = "exec"
_LINE_CHARACTERS = 2_000
_GRACE = 10.0
"""Longer than the shell takes to end a line that does not want to."""
_LET_GO = "the command that it ran for is over"


class Line(Struct, frozen=True):
    """A line for the shell, as the gate looks at it: `view` has it as its subject. It may run for
    `seconds`, and finds `environment` unless hooks change that."""

    view: CallView
    seconds: float
    environment: Mapping[str, str]


class Means(Struct, frozen=True):
    """What a line passes on its way: of what calls pass, all that is about the shell. `opened`
    makes sure that the session's log has begun."""

    passage: Passage
    permission: Permission
    context: ContextMaker
    opened: Callable[[], Awaitable[None]]


class CommandRunner:
    """Serves one session: one command at a time, between its turns."""

    def __init__(self, recorder: Recorder, means: Means, emit: Emit, clock: Clock) -> None:
        self._recorder = recorder
        self._means = means
        self._emit = emit
        self._clock = clock
        self._mint = IdMint(clock)
        self._cancel: CancelToken | None = None
        self._lines: set[asyncio.Future[None]] = set()

    async def attend(self, work: Coroutine[Any, Any, T]) -> T:
        """Do what a person asked for between turns. Lines may run for it until it is done, and are
        ended then. Raises `Cancelled` once `cancel` was called and the work has ended."""
        if self._cancel is not None:
            work.close()
            raise UserError("a command is already running", hint="wait for its end, or stop it")
        self._cancel = cancel = CancelToken()
        try:
            return await cancel.run(work)
        finally:
            self._cancel = None
            cancel.cancel(_LET_GO)
            if self._lines:
                await asyncio.wait(self._lines, timeout=_GRACE)

    def cancel(self, reason: str) -> bool:
        """Whether there was something to stop."""
        if self._cancel is None:
            return False
        self._cancel.cancel(reason)
        return True

    async def execute(self, line: Line, *, by: str) -> ShellOutcome:
        """Run a line for the feature `by`, errors apart. Whoever stops waiting ends it. Raises
        `ServiceRefused` when it may not run, `Cancelled` when the person stops it, OSError when it
        cannot start, or `LogDown`."""
        cancel = self._cancel
        if cancel is None:
            raise ServiceRefused("no command runs that a person typed", hint="run it from one")
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.add(over)
        try:
            return await self._executed(line, by, cancel, self._asked)
        finally:
            self._lines.discard(over)
            over.set_result(None)

    async def execute_unasked(self, line: Line, *, by: str, cancel: CancelToken) -> ShellOutcome:
        """The same for a feature that acts by itself: what the gate would ask about is refused, and
        no hook shapes its environment. Nobody watches what it changes."""
        return await self._executed(line, by, cancel, _unasked)

    async def _executed(
        self, line: Line, by: str, cancel: CancelToken, asked: Asked
    ) -> ShellOutcome:
        call = f"{_POINT}/{self._mint.mint()}"
        await self._means.opened()
        try:
            await self._permitted(call, line.view, cancel, asked)
            environment = None
            if asked is not _unasked:  # who shapes environments would hear of its own commands
                environment = await self._furnished(call, line, cancel)
        except ServiceRefused as refused:
            deny = self._entry(call, "deny", refused.message)
            await self._recorder.write(deny, by=by, cancel=CancelToken())
            raise
        cancel.check()
        watch = NoWatch() if asked is _unasked else self._means.passage.watch
        step = await watch.begin(call, line.view)
        try:
            start = self._entry(call, "allow", _command(line).command)
            await self._recorder.commit(start, by=by, cancel=cancel)
            self._tell(start, by)
            return await self._ran(call, line, environment, by, cancel)
        finally:
            if changed := await step.end():
                await self._recorder.write(*changed, by=_HOST, cancel=CancelToken())

    async def _permitted(
        self, call: str, view: CallView, cancel: CancelToken, asked: Asked
    ) -> None:
        verdict = self._means.permission.judge(view)
        match verdict:
            case Allow():
                return
            case Deny():
                raise ServiceRefused(denial(verdict))
            case Ask():
                await asked(call, view, verdict, cancel)

    async def _asked(self, call: str, view: CallView, verdict: Ask, cancel: CancelToken) -> None:
        match await self._means.passage.consent.ask(call, view, verdict, cancel):
            case Granted():
                return
            case Refused(outcome="refused"):
                raise ServiceRefused(
                    f"{verdict.question}, and nobody is there to ask",
                    hint="allow it with --allow RULE or --mode, or run without -p",
                )
            case Refused(text=text):
                raise ServiceRefused(text)

    async def _furnished(
        self, call: str, line: Line, cancel: CancelToken
    ) -> Mapping[str, str] | None:
        """What it finds in its environment; None for what the shell gives."""
        before, hooks = line.environment, self._means.passage.hooks.environment
        after = await hooks.shaped(line.view.tool, call, before, cancel)
        if isinstance(after, Blocked):
            raise ServiceRefused(after.text)
        return None if after is before else after

    async def _ran(
        self,
        call: str,
        line: Line,
        environment: Mapping[str, str] | None,
        by: str,
        cancel: CancelToken,
    ) -> ShellOutcome:
        own = CancelToken(cancel)
        command = _command(line)
        shell = self._means.context(line.view, own, _unheard).shell
        running = asyncio.ensure_future(
            shell.run(
                command.command,
                cwd=command.cwd,
                seconds=line.seconds,
                cancel=own,
                progress=_unheard,
                apart=True,
                environment=environment,
            )
        )
        running.add_done_callback(_looked_at)
        try:
            await asyncio.wait({running})
        finally:
            if not running.done():
                own.cancel(_LET_GO)
                await asyncio.wait({running}, timeout=_GRACE)
            ended = self._entry(call, "ended", _how(running, line.seconds))
            await self._recorder.write(ended, by=by, cancel=CancelToken())
        return running.result()

    def _entry(self, call: str, decision: str, text: str) -> Hook:
        text = clean_text(self._recorder.secrets.text(text))[0]
        if len(text) > _LINE_CHARACTERS:
            text = text[: _LINE_CHARACTERS - 1] + "…"
        return Hook(point=_POINT, decision=decision, target=call, reason=text)

    def _tell(self, entry: Hook, by: str) -> None:
        at = iso(self._clock.now_ms())
        self._emit(
            HookDecided(
                point=entry.point, by=by, decision=entry.decision, reason=entry.reason, at=at
            )
        )


async def _unasked(call: str, view: CallView, verdict: Ask, cancel: CancelToken) -> None:
    del call, view, cancel
    raise ServiceRefused(f"{verdict.question}; nobody is asked on behalf of a feature")


def _command(line: Line) -> CommandSubject:
    """Raises `ServiceRefused` for what is no line."""
    if not isinstance(line.view.subject, CommandSubject):
        raise ServiceRefused("the line cannot be read as a command")
    return line.view.subject


def _how(running: asyncio.Future[ShellOutcome], seconds: float) -> str:
    if not running.done():
        return "it does not stop: it may still be running"
    if running.cancelled():
        return _LET_GO
    match running.exception():
        case None:
            outcome = running.result()
            if outcome.timed_out:
                return f"ended after {seconds:g} s"
            code = "it was ended" if outcome.code is None else f"exit code {outcome.code}"
            return f"{code}; {outcome.note}" if outcome.note else code
        case Cancelled(message=message):
            return message
        case failure:
            return f"it failed: {failure}"


def _looked_at(running: asyncio.Future[ShellOutcome]) -> None:
    """What came of it is in the log, whoever still wants to know."""
    if not running.cancelled():
        running.exception()


def _unheard(_: str) -> None:
    """The person is told what a command says when it has ended."""
