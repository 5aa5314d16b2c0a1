"""What stands behind the calls of one addon: the services of its feature, as far as granted."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

from msgspec.structs import replace

from induscode.addons.acting import HostCalls, LogLevel
from induscode.addons.contract import ExecOutcome, FrameworkHandles
from induscode.addons.typed_shell import typed_exec
from induscode.errors import ServiceRefused, UserError
from induscode.feature.capability import (
    AnyCapability,
    EmitAlert,
    FeatureState,
    ScopedFs,
    SendMessage,
    SetModel,
    SetThinking,
)
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.service_files import ScopedFiles
from induscode.feature.service_session import SessionControl
from induscode.feature.service_state import StateDirectory
from induscode.feature.services import Denied, Unavailable
from induscode.tools.bash import shown_output

__all__ = ["Acting"]

_EXECUTE = ScopedFs(execute=True)
_STATE_VERSION = 1
Service = TypeVar("Service")


class Acting:
    """What one addon acts through. `calls` has None for what was not granted when the feature was
    installed; everything else asks for its grant again at each use."""

    def __init__(self, ctx: FeatureInstallContext) -> None:
        self._ctx = ctx
        self._typed: list[str] = []
        grants = ctx.grants
        self.calls = HostCalls(
            handles=FrameworkHandles(
                send_message=_send(ctx) if grants.allows(SendMessage()) else None,
                set_model=_model(ctx) if grants.allows(SetModel()) else None,
                set_thinking=_thinking(ctx) if grants.allows(SetThinking()) else None,
                exec=self._exec if grants.allows(_EXECUTE) else None,
            ),
            notify=_notify(ctx) if grants.allows(EmitAlert()) else None,
            state=_State(ctx) if grants.allows(FeatureState()) else None,
            log=_log(ctx),
        )

    @contextmanager
    def typed(self, command: str) -> Generator[FrameworkHandles]:
        """While a command that a person typed runs, lines of the addon are judged as the person's:
        those of the handles given here, and those that a program asks for."""
        self._typed.append(command)
        try:
            yield replace(self.calls.handles, exec=typed_exec(self._ctx, command))
        finally:
            self._typed.remove(command)

    async def _exec(self, line: str) -> ExecOutcome:
        async with _granted(self._ctx, _EXECUTE):
            if self._typed:
                return await typed_exec(self._ctx, self._typed[-1])(line)
            files = _had(self._ctx.services.files(_EXECUTE), ScopedFiles)
            outcome = await files.run(line)
            errors = shown_output(outcome.errors) if outcome.errors is not None else ""
        return ExecOutcome(shown_output(outcome), errors, outcome.code)


@asynccontextmanager
async def _granted(ctx: FeatureInstallContext, capability: AnyCapability) -> AsyncGenerator[None]:
    """What is refused although it is granted (by a rule, or because there is no such thing) is a
    call that failed. Raises `UserError` for it, `ServiceRefused` when the grant is gone."""
    try:
        yield
    except ServiceRefused as error:
        if not ctx.grants.allows(capability):
            raise
        raise UserError(error.message, hint=error.hint) from error


def _send(ctx: FeatureInstallContext) -> Callable[[str], Awaitable[None]]:
    async def send(text: str) -> None:
        async with _granted(ctx, SendMessage()):
            await _had(ctx.services.session(SendMessage()), SessionControl).send_message(text)

    return send


def _model(ctx: FeatureInstallContext) -> Callable[[str], Awaitable[None]]:
    async def choose(model: str) -> None:
        async with _granted(ctx, SetModel()):
            await _had(ctx.services.session(SetModel()), SessionControl).set_model(model)

    return choose


def _thinking(ctx: FeatureInstallContext) -> Callable[[str], Awaitable[None]]:
    async def choose(level: str) -> None:
        async with _granted(ctx, SetThinking()):
            await _had(ctx.services.session(SetThinking()), SessionControl).set_thinking(level)

    return choose


def _notify(ctx: FeatureInstallContext) -> Callable[[str], Awaitable[None]]:
    async def tell(text: str) -> None:
        if not ctx.alerts.alert(text):
            raise ServiceRefused("the person is told no more of this addon")

    return tell


def _log(ctx: FeatureInstallContext) -> Callable[[LogLevel, str], None]:
    def log(level: LogLevel, text: str) -> None:
        ctx.diagnostics.record(f"{level}: {text}")

    return log


class _State:
    """Texts by key, each a file of the feature's own directory."""

    def __init__(self, ctx: FeatureInstallContext) -> None:
        self._ctx = ctx

    async def get(self, key: str) -> str | None:
        found = await asyncio.to_thread(lambda: self._folder().read(_file(key)))
        return None if found is None else found.decode()

    async def set(self, key: str, value: str | None) -> None:
        def put() -> None:
            if value is None:
                self._folder().remove(_file(key))
            else:
                self._folder().write(_file(key), value.encode())

        await asyncio.to_thread(put)

    def _folder(self) -> StateDirectory:
        return _had(self._ctx.services.state(_STATE_VERSION), StateDirectory)


def _file(key: str) -> str:
    """A key may be any text; the name of a file may not."""
    return hashlib.sha256(key.encode()).hexdigest()


def _had(found: Service | Denied | Unavailable, kind: type[Service]) -> Service:
    """Raises `ServiceRefused` for what there is not."""
    if isinstance(found, kind):
        return found
    reason = found.reason if isinstance(found, Denied | Unavailable) else "it is no such service"
    raise ServiceRefused(reason)
