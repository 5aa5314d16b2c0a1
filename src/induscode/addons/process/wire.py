"""JSON-RPC 2.0, one message per line: reading what an addon wrote, and writing to it."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from induscode.addons.process.faults import ProcessFault, ProcessFaultKind

__all__ = [
    "Answer",
    "ErrorAnswer",
    "Incoming",
    "RpcError",
    "answered",
    "parsed",
    "refused",
    "request",
]

Id = Annotated[int, Meta(ge=-(2**53), le=2**53)] | Annotated[str, Meta(max_length=200)]


class RpcError(Enum):
    """The errors that we answer with: a code, and the name that stands in `data.name`."""

    UNKNOWN_METHOD = -32601
    BAD_PARAMS = -32602
    NOT_GRANTED = -32001
    BUSY = -32002
    CANCELLED = -32003
    FAILED = -32004

    @property
    def label(self) -> str:
        return self.name.lower().replace("_", "-")


class ErrorAnswer(Struct, frozen=True):
    code: int
    message: str
    data: Raw = Raw()


class Incoming(Struct, frozen=True):
    """A request when it has a `method` and an `id`, without an `id` a notification."""

    method: str
    params: Raw = Raw(b"{}")
    id: int | str | None = None


class Answer(Struct, frozen=True):
    id: int
    result: Raw = Raw()
    error: ErrorAnswer | None = None


class _Message(Struct, frozen=True):
    jsonrpc: Literal["2.0"]
    id: Id | UnsetType | None = UNSET
    method: Annotated[str, Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    params: Raw = Raw(b"{}")
    result: Raw | UnsetType = UNSET
    error: ErrorAnswer | UnsetType = UNSET


class _Request(Struct, frozen=True, omit_defaults=True):
    method: str
    params: Any
    jsonrpc: str
    id: int | None = None


_decode = msgspec.json.Decoder(_Message).decode
_encode = msgspec.json.Encoder().encode


def parsed(line: bytes) -> Incoming | Answer:
    """Raises `ProcessFault` for what is no message, or an answer to nobody."""
    try:
        line.decode()
        message = _decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        shown = line[:80].decode(errors="replace")
        raise _junk(f"a line on its standard output is no message: {shown!r}: {error}") from None
    if not isinstance(message.method, UnsetType):
        if message.id is None:
            raise _junk(f"its request {message.method} has the id null")
        asked = None if isinstance(message.id, UnsetType) else message.id
        return Incoming(message.method, message.params, asked)
    if not isinstance(message.id, int):
        raise ProcessFault(
            ProcessFaultKind.FOREIGN_ID, f"it answered {_shown(message.id)}, which is no id of ours"
        )
    match message.result, message.error:
        case Raw() as result, UnsetType():
            return Answer(message.id, result)
        case UnsetType(), ErrorAnswer() as error:
            return Answer(message.id, error=error)
        case _:
            raise _junk("an answer has either a result or an error")


def request(method: str, params: object, number: int | None) -> bytes:
    """A line. Raises ValueError or TypeError for what is no JSON."""
    return _line(_Request(method, params, "2.0", number))


def answered(number: int | str, outcome: object) -> bytes:
    return _line({"jsonrpc": "2.0", "id": number, "result": outcome})


def refused(number: int | str, error: RpcError, message: str) -> bytes:
    told = {"code": error.value, "message": message, "data": {"name": error.label}}
    return _line({"jsonrpc": "2.0", "id": number, "error": told})


def _line(message: object) -> bytes:
    data = _encode(message)
    if b"\n" in data:  # raw JSON of somebody else's may be broken into lines
        data = msgspec.json.format(data, indent=-1)
    return data + b"\n"


def _junk(message: str) -> ProcessFault:
    return ProcessFault(
        ProcessFaultKind.JUNK,
        message,
        hint="one JSON-RPC message per line, and nothing else, belongs there; print to stderr",
    )


def _shown(number: object) -> str:
    return "without an id" if isinstance(number, UnsetType) else repr(number)[:80]
