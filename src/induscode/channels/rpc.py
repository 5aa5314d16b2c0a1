"""The methods of `indus --rpc`: one session, driven by a program over JSON-RPC.

Requests are served side by side, so that a turn can be steered, stopped or allowed something while
its `submit` is still open. Nothing a client sends raises out of here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct

from induscode.channels.jsonrpc import (
    BUSY,
    FAILED,
    IDLE,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    PARSE_ERROR,
    Batch,
    Invalid,
    Request,
    RpcError,
    failure,
    notification,
    parse_line,
    success,
    unknown_method,
)
from induscode.channels.ports import Driver
from induscode.channels.rpcperson import RpcPerson
from induscode.channels.rpcstreams import LINE_LIMIT, TooLong
from induscode.errors import IndusError
from induscode.kernel.events import EVENTS_VERSION, Event, RunResult
from induscode.kernel.form import Declined, Dismissed, Filled, FormAnswer, FormValue
from induscode.kernel.person import Choice, PersonAnswer
from induscode.version import VERSION

__all__ = ["PROTOCOL_VERSION", "RpcServer", "SessionHost"]

PROTOCOL_VERSION = 1

P = TypeVar("P")
Method = Callable[[dict[str, Any]], Awaitable[object]]


class SessionHost(Protocol):
    """Holds the session that is driven, and can put another in its place."""

    @property
    def driver(self) -> Driver: ...

    async def resume(self, wanted: str) -> None:
        """Raises `IndusError`; the session held before is then still there."""
        ...


class _Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Initialize(Struct, frozen=True):
    approval_timeout: float | None = None
    forms: bool = False


class _Text(Struct, frozen=True, forbid_unknown_fields=True):
    text: str


class _Abort(Struct, frozen=True, forbid_unknown_fields=True):
    reason: str = "stopped by the user"


class _Approve(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    choice: Choice
    reason: str = ""


class _Answer(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    action: Literal["accept", "decline", "cancel"]
    values: dict[str, FormValue] = {}

    def told(self) -> FormAnswer:
        match self.action:
            case "accept":
                return Filled(self.values)
            case "decline":
                return Declined()
            case "cancel":
                return Dismissed()


class _Resume(Struct, frozen=True, forbid_unknown_fields=True):
    session: str


class RpcServer:
    """Answers lines with lines. `send` takes one whole line and must not raise; `over` is set when
    the client has said `shutdown`."""

    def __init__(self, host: SessionHost, person: RpcPerson, send: Callable[[bytes], None]) -> None:
        self.over = asyncio.Event()
        self._host = host
        self._person = person
        self._send = send
        self._running: set[asyncio.Task[None]] = set()
        self._taken = False
        self._methods: dict[str, Method] = {
            "initialize": self._initialize,
            "submit": self._submit,
            "continue": self._continue,
            "steer": self._steer,
            "abort": self._abort,
            "approve": self._approve,
            "answer": self._answer_form,
            "snapshot": self._snapshot,
            "resume": self._resume,
            "compact": self._compact,
            "shutdown": self._shutdown,
        }

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(self._methods)

    def show(self, event: Event) -> None:
        self._send(notification("event", event))

    def receive(self, line: bytes | TooLong) -> None:
        """Begin what the line asks for; its answer is sent when there is one."""
        if isinstance(line, TooLong):
            text = f"the line is longer than {LINE_LIMIT} bytes and was skipped"
            self._send(failure(None, Invalid(PARSE_ERROR, text)))
            return
        match parse_line(line):
            case Invalid() as invalid:
                self._send(failure(invalid.id, invalid))
            case Request() as request:
                self._begin(self._serve_one(request))
            case Batch(items):
                self._begin(self._serve_batch(items))

    async def finish(self) -> None:
        """Return when everything begun has been answered."""
        while self._running:
            await asyncio.wait(self._running)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _serve_one(self, request: Request) -> None:
        answer = await self._answer(request)
        if answer is not None:
            self._send(answer)

    async def _serve_batch(self, items: tuple[Request | Invalid, ...]) -> None:
        answers = await asyncio.gather(*(self._answer(item) for item in items))
        wanted = [answer for answer in answers if answer is not None]
        if wanted:
            self._send(b"[" + b",".join(wanted) + b"]")

    async def _answer(self, item: Request | Invalid) -> bytes | None:
        if isinstance(item, Invalid):
            return failure(item.id, item)
        running = asyncio.ensure_future(self._call(item))
        await asyncio.wait({running})
        error = running.exception()
        if item.notification:
            return None
        return success(item.id, running.result()) if error is None else _failed(item.id, error)

    async def _call(self, request: Request) -> object:
        method = self._methods.get(request.method)
        if method is None:
            raise unknown_method(request.method, self.methods)
        return await method(request.params)

    # Methods

    async def _initialize(self, params: dict[str, Any]) -> object:
        asked = _params(params, _Initialize)
        if asked.approval_timeout is not None and asked.approval_timeout <= 0:
            raise RpcError(INVALID_PARAMS, "approval_timeout: must be more than 0 seconds")
        self._person.seconds = asked.approval_timeout
        self._person.fills = asked.forms
        now = self._host.driver.snapshot()
        return {
            "protocol": PROTOCOL_VERSION,
            "events": EVENTS_VERSION,
            "version": VERSION,
            "session": now.session,
            "model": now.model,
            "mode": now.mode,
            "methods": self.methods,
        }

    async def _submit(self, params: dict[str, Any]) -> RunResult:
        text = _text(params)
        return await self._alone(lambda: self._host.driver.submit(text))

    async def _continue(self, params: dict[str, Any]) -> RunResult:
        _params(params, _Nothing)
        if not self._taken and not self._host.driver.unfinished:
            raise RpcError(IDLE, "there is nothing to continue", {"hint": "submit a text"})
        return await self._alone(self._host.driver.go_on)

    async def _steer(self, params: dict[str, Any]) -> None:
        text = _text(params)
        if not self._host.driver.busy:
            raise RpcError(IDLE, "no turn is running", {"hint": "submit the text instead"})
        await self._host.driver.steer(text)

    async def _abort(self, params: dict[str, Any]) -> object:
        reason = _params(params, _Abort).reason
        return {"aborted": self._host.driver.cancel(reason)}

    async def _approve(self, params: dict[str, Any]) -> None:
        asked = _params(params, _Approve)
        self._person.answer(asked.id, PersonAnswer(asked.choice, asked.reason))

    async def _answer_form(self, params: dict[str, Any]) -> None:
        asked = _params(params, _Answer)
        self._person.answer_form(asked.id, asked.told())

    async def _snapshot(self, params: dict[str, Any]) -> object:
        _params(params, _Nothing)
        now = msgspec.structs.asdict(self._host.driver.snapshot())
        return {**now, "questions": self._person.questions, "forms": self._person.forms}

    async def _resume(self, params: dict[str, Any]) -> object:
        wanted = _params(params, _Resume).session

        async def resumed() -> object:
            await self._host.resume(wanted)
            return await self._snapshot({})

        return await self._alone(resumed)

    async def _compact(self, params: dict[str, Any]) -> object:
        _params(params, _Nothing)
        return {"compacted": await self._alone(self._host.driver.compact)}

    async def _shutdown(self, params: dict[str, Any]) -> None:
        _params(params, _Nothing)
        self.over.set()

    async def _alone(self, work: Callable[[], Awaitable[P]]) -> P:
        """What cannot happen twice at once. Nothing is awaited between the look and the act."""
        if self._taken:
            raise RpcError(
                BUSY,
                "a turn is already running",
                {"hint": "steer it, abort it or wait for its result"},
            )
        self._taken = True
        try:
            return await work()
        finally:
            self._taken = False


def _failed(wanted: str | float | None, error: BaseException) -> bytes:
    match error:
        case RpcError():
            return failure(wanted, error)
        case IndusError():
            data = {"exit": error.exit_code, "hint": error.hint, "kind": type(error).__name__}
            return failure(wanted, RpcError(FAILED, error.message, data))
        case _:
            return failure(wanted, RpcError(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))


def _text(params: dict[str, Any]) -> str:
    text = _params(params, _Text).text
    if not text.strip():
        raise RpcError(INVALID_PARAMS, "text: must not be empty")
    return text


def _params(params: dict[str, Any], kind: type[P]) -> P:
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as error:
        raise RpcError(INVALID_PARAMS, f"params: {error}") from None
