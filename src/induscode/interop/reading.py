"""One line of a server as a message of the protocol, as far as it can be read as one."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from mcp.types import JSONRPCMessage, JSONRPCResponse, RequestId, jsonrpc_message_adapter
from msgspec import Struct

__all__ = ["message_of"]


class _Addressed(Struct, frozen=True):
    id: RequestId
    method: Any = msgspec.UNSET


_ADDRESSED = msgspec.json.Decoder(_Addressed)


def message_of(line: bytes) -> JSONRPCMessage | None:
    """None for what is no message: some servers greet. An answer that is none is read as an empty
    one, which is wrong, too: whoever asked need not wait in vain."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        mended = _mended(line)
    try:
        return jsonrpc_message_adapter.validate_json(mended, by_name=False)
    except ValueError:
        name = _name_of_answer(mended)
    return None if name is None else JSONRPCResponse(jsonrpc="2.0", id=name, result={})


def _mended(line: bytes) -> bytes:
    """With a mark in place of halves of characters, which some servers cut; empty for no JSON."""
    try:
        text = json.dumps(json.loads(line.decode(errors="replace")), ensure_ascii=False)
        return text.encode(errors="surrogatepass").decode(errors="replace").encode()
    except (ValueError, RecursionError):
        return b""


def _name_of_answer(line: bytes) -> RequestId | None:
    try:
        found = _ADDRESSED.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found.id if found.method is msgspec.UNSET else None
