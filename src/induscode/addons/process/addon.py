"""An addon that is a program: started, called, started again when it crashed, and closed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonId,
    CommandContext,
    EnterOutcome,
    ExitOutcome,
    GateDecision,
    HookEvent,
    HookKind,
    LoaderError,
    Payload,
    ToolEnterContext,
    ToolExitContext,
)
from induscode.addons.crashes import MEND, Crashes
from induscode.addons.offers import Offers
from induscode.addons.process.answers import (
    command_text,
    entered,
    gate_decision,
    left,
    tool_result,
    transformed,
)
from induscode.addons.process.confine import told_of
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.host_calls import granted
from induscode.addons.process.limits import PROTOCOL, ProcessLimits
from induscode.addons.process.peer import Peer
from induscode.addons.process.registration import registration_of
from induscode.addons.process.started import Program, launched
from induscode.addons.process.streams import Complaints
from induscode.feature.lending import no_errand
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper

__all__ = ["FindProgram", "Hosting", "Identity", "ProcessAddon"]


class Identity(Struct, frozen=True):
    """Whose program it is, and the sha256 of what runs."""

    id: AddonId
    digest: str


class Hosting(Struct, frozen=True):
    """What stands around an addon. `keeper` is the session's, and outlives it; `told` hears of each
    end that was not asked for, of its being disabled, and of what it called without a grant."""

    keeper: Keeper
    calls: HostCalls = HostCalls()
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    told: Callable[[ProcessFault], None] = lambda _: None
    now: Callable[[], float] = time.monotonic


FindProgram = Callable[[], Awaitable[Program]]
"""Raises `LoaderError` when there is nothing that can be run."""


class ProcessAddon:
    """One addon. Every method that asks it raises `ProcessFault` and nothing else of its doing. Its
    program is looked for and started by the first call, and again by the next one when it ended,
    until it has crashed too often. With `approved`, it must register exactly that."""

    def __init__(
        self,
        identity: Identity,
        find: FindProgram,
        hosting: Hosting,
        *,
        limits: ProcessLimits | None = None,
        approved: Offers | None = None,
    ) -> None:
        self._identity = identity
        self._find = find
        self._hosting = hosting
        self._limits = limits or ProcessLimits()
        self._starting = asyncio.Lock()
        self._peer: Peer | None = None
        self._complaints: Complaints | None = None
        self._registration = approved
        self._is_approved = approved is not None
        self._crashes = Crashes(hosting.now)
        self._over: ProcessFault | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self.unconfined = ""
        """A sentence for the person about what this machine does not keep it from."""

    @property
    def complaints(self) -> str:
        """The end of what it wrote to stderr, without secrets."""
        return self._complaints.text() if self._complaints is not None else ""

    async def start(self) -> Offers:
        """What it registers. The same again when it runs already."""
        await self._running()
        if self._registration is None:
            raise ProcessFault(ProcessFaultKind.CLOSED, "it is closed")
        return self._registration

    async def observe(self, handler: int, event: HookEvent, payload: Payload) -> None:
        await self._event(handler, event, HookKind.OBSERVE, payload)

    async def transform(self, handler: int, event: HookEvent, payload: Payload) -> Payload:
        answer = await self._event(handler, event, HookKind.TRANSFORM, payload)
        changed = transformed(event, answer)
        return payload if changed is None else changed

    async def gate(self, handler: int, event: HookEvent, payload: Payload) -> GateDecision:
        return gate_decision(await self._event(handler, event, HookKind.GATE, payload))

    async def enter(self, handler: int, context: ToolEnterContext) -> EnterOutcome:
        return entered(await self._call("enter", _stage(handler, context)))

    async def exit(self, handler: int, context: ToolExitContext) -> ExitOutcome:
        params = _stage(handler, context)
        params |= {"result": context.result, "error": context.error}
        return left(await self._call("exit", params))

    async def command(self, name: str, context: CommandContext) -> str | None:
        params = {"name": name, "args": context.args, "cwd": str(context.cwd)}
        return command_text(await self._call("command", params))

    async def tool(
        self, name: str, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult:
        params = {
            "name": name,
            "args": dict(arguments),
            "call_id": context.call,
            "cwd": str(context.cwd),
        }
        seconds = self._limits.tool_seconds
        peer = await self._running()
        answer = await peer.call("tool", params, seconds=seconds, progress=context.progress)
        return tool_result(answer)

    async def task(self, name: str, cancel: CancelToken) -> None:
        """Run one of its tasks to its end; `cancel` asks it to end, and it has `close_seconds` for
        that. Returns then, too."""
        peer = await self._running()
        running = asyncio.ensure_future(peer.call("task/start", {"name": name}, seconds=None))
        asked = asyncio.Event()
        forget = cancel.on_cancel(asked.set)
        stopping = asyncio.ensure_future(asked.wait())
        try:
            await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                seconds = self._limits.close_seconds
                await peer.call("task/stop", {"name": name}, seconds=seconds)
                await asyncio.wait((running,), timeout=seconds)
            if running.done():
                running.result()
        finally:
            forget()
            stopping.cancel()
            running.cancel()
            await asyncio.wait((running, stopping))

    async def close(self) -> None:
        """End it, kindly first. Nothing of it is left then; a later call is refused."""
        if self._over is None:
            self._over = ProcessFault(ProcessFaultKind.CLOSED, "it is closed")
        async with self._starting:
            peer, self._peer = self._peer, None
            if peer is not None:
                await peer.close(self._limits.close_seconds)
        if self._leaving:
            await asyncio.wait(self._leaving)

    async def _event(self, handler: int, event: HookEvent, kind: HookKind, payload: Payload) -> Raw:
        params = {"handler": handler, "event": event, "kind": kind, "payload": payload}
        return await self._call("event", params)

    async def _call(self, method: str, params: object) -> Raw:
        peer = await self._running()
        return await peer.call(method, params, seconds=self._limits.call_seconds)

    async def _running(self) -> Peer:
        peer = self._peer
        if peer is not None and peer.fault is None:
            return peer
        async with self._starting:
            if self._over is not None:
                raise self._over.with_traceback(None)
            if self._peer is None or self._peer.fault is not None:
                with no_errand():  # it serves others when the task that first called it is over
                    self._peer = await self._begun()
            return self._peer

    async def _begun(self) -> Peer:
        try:
            program = await self._found()
            started = await launched(program, self._hosting.keeper, self._limits)
        except ProcessFault as fault:
            self._ended(fault)
            raise
        self.unconfined = told_of(program.reach, started.walls)
        peer = Peer(
            started,
            self._limits,
            host=self._hosting.calls,
            secrets=self._hosting.secrets,
            down=self._down,
            told=self._hosting.told,
        )
        self._complaints = peer.complaints
        try:
            await self._shake(peer)
        except ProcessFault as fault:
            peer.fail(fault)
            raise (peer.fault or fault) from None
        except BaseException:
            await peer.close(0)
            raise
        return peer

    async def _found(self) -> Program:
        try:
            return await self._find()
        except LoaderError as error:
            raise ProcessFault(
                ProcessFaultKind.NOT_STARTED,
                f"it could not be started: {error.message}",
                hint=error.hint,
            ) from error

    async def _shake(self, peer: Peer) -> None:
        params = {
            "protocol": PROTOCOL,
            "addon": self._identity,
            "granted": granted(self._hosting.calls),
        }
        seconds = self._limits.handshake_seconds
        try:
            answer = await peer.call("initialize", params, seconds=seconds)
        except ProcessFault as fault:
            match fault.kind:
                case ProcessFaultKind.OUT_OF_TIME:
                    message = f"it did not answer initialize within {seconds:g} s"
                    raise ProcessFault(ProcessFaultKind.NO_HANDSHAKE, message) from None
                case ProcessFaultKind.FAILED:
                    raise ProcessFault(ProcessFaultKind.BAD_REGISTRATION, fault.message) from None
                case _:
                    raise
        found = registration_of(answer)
        if self._registration is None:
            self._registration = found
        elif not found.same(self._registration):
            self._over = self._another()
            raise self._over

    def _another(self) -> ProcessFault:
        """What it may contribute was looked at before."""
        if self._is_approved:
            return ProcessFault(
                ProcessFaultKind.BAD_REGISTRATION,
                "it registers something else than what was approved",
                hint="look at what it asks for now, and approve it anew",
            )
        return ProcessFault(
            ProcessFaultKind.CHANGED_REGISTRATION,
            "started again, it registers something else than before",
        )

    def _down(self, peer: Peer, fault: ProcessFault) -> None:
        """It ended without being asked to: see to what is left of it, and count."""
        leaving = asyncio.ensure_future(peer.close(0))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)
        self._ended(fault)

    def _ended(self, fault: ProcessFault) -> None:
        disabled = self._crashes.another(fault.message)
        self._hosting.told(fault)
        if disabled is not None and self._over is None:
            self._over = ProcessFault(ProcessFaultKind.DISABLED, disabled, hint=MEND)
            self._hosting.told(self._over)


def _stage(handler: int, context: ToolEnterContext | ToolExitContext) -> dict[str, Any]:
    return {
        "handler": handler,
        "tool": context.tool,
        "call_id": context.call_id,
        "args": context.args,
    }
