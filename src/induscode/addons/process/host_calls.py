"""What an addon asks of us over its wire: served as far as it was granted, and nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from induscode.addons.acting import LOG_CHARACTERS, HostCalls, LogLevel, StateStore
from induscode.addons.process.wire import RpcError
from induscode.errors import HandleClosed, IndusError, ServiceRefused

__all__ = [
    "HostCallFailed",
    "HostMethod",
    "ProgressTold",
    "granted",
    "heard",
    "progress_told",
    "serve",
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


def granted(calls: HostCalls) -> list[str]:
    """The methods that would be served now."""
    return [method.value for method in _offered(calls)]


def heard(calls: HostCalls, method: str, params: Raw) -> None:
    """A notification. Only `log` is one; another, a broken one, or one that comes when nobody hears
    any more is passed over, as JSON-RPC has it."""
    if method == "log":
        with suppress(HostCallFailed, IndusError):
            _logged(calls, params)


async def serve(calls: HostCalls, method: str, params: Raw) -> object:
    """The result of a call. Raises `HostCallFailed` for what the addon is to be told."""
    if method == "log":
        return _logged(calls, params)
    if method not in HostMethod.__members__.values():
        raise HostCallFailed(RpcError.UNKNOWN_METHOD, f"there is no {method}")
    call = _offered(calls).get(HostMethod(method))
    if call is None:
        raise HostCallFailed(RpcError.NOT_GRANTED, f"{method} was not granted")
    try:
        return await call(params)
    except (ServiceRefused, HandleClosed) as error:
        raise HostCallFailed(RpcError.NOT_GRANTED, str(error)) from error
    except (IndusError, OSError) as error:
        raise HostCallFailed(RpcError.FAILED, str(error)) from error


def progress_told(params: Raw) -> ProgressTold | None:
    """None for what is no progress."""
    try:
        return _given(params, ProgressTold)
    except HostCallFailed:
        return None


def _logged(calls: HostCalls, params: Raw) -> None:
    said = _given(params, _Log)
    if calls.log is not None:
        calls.log(said.level, said.text[:LOG_CHARACTERS])


def _offered(calls: HostCalls) -> dict[HostMethod, Callable[[Raw], Awaitable[object]]]:
    handles = calls.handles
    offered: dict[HostMethod, Callable[[Raw], Awaitable[object]]] = {}
    if (send := handles.send_message) is not None:
        offered[HostMethod.SEND_MESSAGE] = lambda params: send(_given(params, _Text).text)
    if (model := handles.set_model) is not None:
        offered[HostMethod.SET_MODEL] = lambda params: model(_given(params, _Model).model)
    if (level := handles.set_thinking) is not None:
        offered[HostMethod.SET_THINKING] = lambda params: level(_given(params, _Level).level)
    if (run := handles.exec) is not None:
        offered[HostMethod.EXEC] = lambda params: run(_given(params, _Command).command)
    if (notify := calls.notify) is not None:
        offered[HostMethod.NOTIFY] = lambda params: notify(_given(params, _Text).text)
    if (state := calls.state) is not None:
        offered[HostMethod.STATE_GET] = lambda params: _got(state, _given(params, _Key))
        offered[HostMethod.STATE_SET] = lambda params: _put(state, _given(params, _Value))
    return offered


async def _got(state: StateStore, wanted: _Key) -> object:
    return {"value": await state.get(wanted.key)}


async def _put(state: StateStore, given: _Value) -> None:
    await state.set(given.key, given.value)


def _given(params: Raw, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(params, type=shape)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise HostCallFailed(RpcError.BAD_PARAMS, f"params: {error}") from None
