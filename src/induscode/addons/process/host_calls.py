"""What an addon may ask of us: the handles that it was granted, and nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from typing import Protocol, TypeVar

import msgspec
from msgspec import Raw, Struct

from induscode.addons.contract import FrameworkHandles
from induscode.addons.process.limits import LOG_CHARACTERS
from induscode.addons.process.wire import RpcError
from induscode.errors import HandleClosed, IndusError, ServiceRefused

__all__ = [
    "HostCallFailed",
    "HostCalls",
    "HostMethod",
    "LogLevel",
    "ProgressTold",
    "StateStore",
    "progress_told",
]

T = TypeVar("T")


class HostMethod(StrEnum):
    """The methods that need a grant. `log` and `progress` need none: they only tell."""

    SEND_MESSAGE = "send_message"
    SET_MODEL = "set_model"
    SET_THINKING = "set_thinking"
    EXEC = "exec"
    NOTIFY = "notify"
    STATE_GET = "state/get"
    STATE_SET = "state/set"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class StateStore(Protocol):
    async def get(self, key: str) -> str | None: ...

    async def set(self, key: str, value: str | None) -> None:
        """None removes the key."""
        ...


class HostCallFailed(Exception):
    """What is answered to the addon instead of a result."""

    def __init__(self, error: RpcError, message: str) -> None:
        super().__init__(message)
        self.error = error
        self.message = message


class ProgressTold(Struct, frozen=True):
    call: int
    text: str


class _Text(Struct, frozen=True):
    text: str


class _Model(Struct, frozen=True):
    model: str


class _Level(Struct, frozen=True):
    level: str


class _Command(Struct, frozen=True):
    command: str


class _Key(Struct, frozen=True):
    key: str


class _Value(Struct, frozen=True):
    key: str
    value: str | None


class _Log(Struct, frozen=True):
    text: str
    level: LogLevel = LogLevel.INFO


class HostCalls(Struct, frozen=True):
    """What stands behind the methods; None is no grant. A function that raises `ServiceRefused` or
    `HandleClosed` says that the grant was withdrawn; another `IndusError` or an OSError is told to
    the addon as the failure of its call. `log` gets texts of at most `LOG_CHARACTERS`, with their
    secrets still in them."""

    handles: FrameworkHandles = FrameworkHandles()
    notify: Callable[[str], Awaitable[None]] | None = None
    state: StateStore | None = None
    log: Callable[[LogLevel, str], None] | None = None

    def granted(self) -> list[str]:
        """The methods that would be served now."""
        return [method.value for method in self._offered()]

    def heard(self, method: str, params: Raw) -> None:
        """A notification. Only `log` is one; another, or a broken one, is passed over, as JSON-RPC
        has it."""
        if method == "log":
            with suppress(HostCallFailed):
                self._logged(params)

    async def serve(self, method: str, params: Raw) -> object:
        """The result of a call. Raises `HostCallFailed` for what the addon is to be told."""
        if method == "log":
            return self._logged(params)
        if method not in HostMethod.__members__.values():
            raise HostCallFailed(RpcError.UNKNOWN_METHOD, f"there is no {method}")
        call = self._offered().get(HostMethod(method))
        if call is None:
            raise HostCallFailed(RpcError.NOT_GRANTED, f"{method} was not granted")
        try:
            return await call(params)
        except (ServiceRefused, HandleClosed) as error:
            raise HostCallFailed(RpcError.NOT_GRANTED, str(error)) from error
        except (IndusError, OSError) as error:
            raise HostCallFailed(RpcError.FAILED, str(error)) from error

    def _logged(self, params: Raw) -> None:
        said = _given(params, _Log)
        if self.log is not None:
            self.log(said.level, said.text[:LOG_CHARACTERS])

    def _offered(self) -> dict[HostMethod, Callable[[Raw], Awaitable[object]]]:
        handles = self.handles
        offered: dict[HostMethod, Callable[[Raw], Awaitable[object]]] = {}
        if (send := handles.send_message) is not None:
            offered[HostMethod.SEND_MESSAGE] = lambda params: send(_given(params, _Text).text)
        if (model := handles.set_model) is not None:
            offered[HostMethod.SET_MODEL] = lambda params: model(_given(params, _Model).model)
        if (level := handles.set_thinking) is not None:
            offered[HostMethod.SET_THINKING] = lambda params: level(_given(params, _Level).level)
        if (run := handles.exec) is not None:
            offered[HostMethod.EXEC] = lambda params: run(_given(params, _Command).command)
        if (notify := self.notify) is not None:
            offered[HostMethod.NOTIFY] = lambda params: notify(_given(params, _Text).text)
        if (state := self.state) is not None:
            offered[HostMethod.STATE_GET] = lambda params: _got(state, _given(params, _Key))
            offered[HostMethod.STATE_SET] = lambda params: _put(state, _given(params, _Value))
        return offered


async def _got(state: StateStore, wanted: _Key) -> object:
    return {"value": await state.get(wanted.key)}


async def _put(state: StateStore, given: _Value) -> None:
    await state.set(given.key, given.value)


def progress_told(params: Raw) -> ProgressTold | None:
    """None for what is no progress."""
    try:
        return _given(params, ProgressTold)
    except HostCallFailed:
        return None


def _given(params: Raw, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(params, type=shape)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise HostCallFailed(RpcError.BAD_PARAMS, f"params: {error}") from None
