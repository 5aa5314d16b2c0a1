"""JSON-RPC 2.0 as data: what a line says, and how an answer is written. Knows no method.

Whatever the bytes are, reading them gives a value: a request, or the error to answer with.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec
from msgspec import Struct

__all__ = [
    "BATCH_LIMIT",
    "BUSY",
    "FAILED",
    "IDLE",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "NO_QUESTION",
    "PARSE_ERROR",
    "Batch",
    "Invalid",
    "Request",
    "RpcError",
    "failure",
    "notification",
    "parse_line",
    "success",
    "unknown_method",
]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
FAILED = -32000
BUSY = -32001
IDLE = -32002
NO_QUESTION = -32003

BATCH_LIMIT = 1_000
_SHOWN_NAME = 100
_LARGEST_ID = 2**63 - 1

Id = str | int | float | None

_encode = msgspec.json.Encoder().encode


class RpcError(Exception):
    """What a method answers instead of a result."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Request(Struct, frozen=True):
    """`notification`: the sender wants no answer, whatever happens."""

    method: str
    params: dict[str, Any]
    id: Id = None
    notification: bool = False


class Invalid(Struct, frozen=True):
    """No request: this is the answer."""

    code: int
    message: str
    id: Id = None


class Batch(Struct, frozen=True):
    """Several at once; answered together, when all are done."""

    items: tuple[Request | Invalid, ...]


def parse_line(line: bytes) -> Request | Invalid | Batch:
    try:
        message = msgspec.json.decode(line)
    except UnicodeDecodeError:
        return Invalid(PARSE_ERROR, "the line is not UTF-8")
    except RecursionError:
        return Invalid(PARSE_ERROR, "the line is nested too deeply")
    except msgspec.DecodeError as error:
        return Invalid(PARSE_ERROR, f"the line is not JSON: {error}")
    if not isinstance(message, list):
        return _request(message)
    items = cast("list[object]", message)
    if not items:
        return Invalid(INVALID_REQUEST, "a batch must hold at least one request")
    if len(items) > BATCH_LIMIT:
        return Invalid(INVALID_REQUEST, f"a batch holds at most {BATCH_LIMIT} requests")
    return Batch(tuple(_request(item) for item in items))


def _request(message: object) -> Request | Invalid:
    if not isinstance(message, dict):
        return Invalid(INVALID_REQUEST, "a request must be an object")
    fields = cast("dict[str, object]", message)
    wanted = fields.get("id")
    if isinstance(wanted, bool) or not isinstance(wanted, str | int | float | None):
        return Invalid(INVALID_REQUEST, "id must be a string, a number or null")
    if isinstance(wanted, int) and abs(wanted) > _LARGEST_ID:
        return Invalid(INVALID_REQUEST, "id must fit in 64 bits")
    if fields.get("jsonrpc") != "2.0":
        return Invalid(INVALID_REQUEST, 'jsonrpc must be "2.0"', wanted)
    method, params = fields.get("method"), fields.get("params", {})
    if not isinstance(method, str):
        return Invalid(INVALID_REQUEST, "method must be a string", wanted)
    if isinstance(params, list):
        return Invalid(INVALID_PARAMS, "params are given by name, as an object", wanted)
    if not isinstance(params, dict):
        return Invalid(INVALID_REQUEST, "params must be an object", wanted)
    return Request(method, cast("dict[str, Any]", params), wanted, "id" not in fields)


def success(wanted: Id, result: object) -> bytes:
    return _encode({"jsonrpc": "2.0", "id": wanted, "result": result})


def failure(wanted: Id, error: RpcError | Invalid) -> bytes:
    body: dict[str, Any] = {"code": error.code, "message": _printable(error.message)}
    if isinstance(error, RpcError) and error.data is not None:
        body["data"] = error.data
    return _encode({"jsonrpc": "2.0", "id": wanted, "error": body})


def notification(method: str, params: object) -> bytes:
    return _encode({"jsonrpc": "2.0", "method": method, "params": params})


def unknown_method(method: str, known: tuple[str, ...]) -> RpcError:
    name = _printable(method[:_SHOWN_NAME])
    return RpcError(METHOD_NOT_FOUND, f"there is no method {name!r}", {"known": list(known)})


def _printable(text: str) -> str:
    return text.encode(errors="replace").decode()
