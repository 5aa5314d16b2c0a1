"""What errors of OpenAI and of the many servers that imitate it mean to us.

OpenAI says `{"error": {"message", "type", "code"}}`; others leave parts out, use numbers for codes,
put the message at the top or the error into a list. All of them are read here.
"""

from __future__ import annotations

import json
from typing import Any, cast

from msgspec import Struct

from induscode.errors import (
    ContextTooLong,
    KeyRefused,
    ModelUnknown,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    QuotaSpent,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.faults import one_line
from induscode.gateway.refusals import Sense, is_too_long

__all__ = ["ErrorInfo", "fault_in_stream", "read_error", "sense_of", "told_by"]

_SPENT = "insufficient_quota"
_KINDS: dict[str, type[ProviderError]] = {
    "api_error": Overloaded,
    "authentication_error": KeyRefused,
    "context_length_exceeded": ContextTooLong,
    "engine_overloaded": Overloaded,
    "insufficient_quota": QuotaSpent,
    "internal_server_error": Overloaded,
    "invalid_api_key": KeyRefused,
    "invalid_prompt": RequestRejected,
    "invalid_request_error": RequestRejected,
    "model_not_found": ModelUnknown,
    "overloaded_error": Overloaded,
    "permission_error": KeyRefused,
    "rate_limit_error": QuotaExceeded,
    "rate_limit_exceeded": QuotaExceeded,
    "server_error": Overloaded,
    "server_is_overloaded": Overloaded,
    "slow_down": Overloaded,
    "tokens": QuotaExceeded,
}
_STATUSES: dict[str, type[ProviderError]] = {
    "400": RequestRejected,
    "401": KeyRefused,
    "402": QuotaExceeded,
    "403": KeyRefused,
    "404": ModelUnknown,
    "408": Overloaded,
    "409": Overloaded,
    "413": RequestRejected,
    "422": RequestRejected,
    "429": QuotaExceeded,
}
_POINTLESS = ("image", "policy")  # what stands in codes of requests that can never succeed


class ErrorInfo(Struct, frozen=True):
    """`code` is the most telling of what the error calls itself; `kind` the other name."""

    message: str
    code: str = ""
    kind: str = ""


def read_error(data: bytes) -> ErrorInfo:
    """The error in a body or an event; the start of the text if there is none."""
    text = data.decode("utf-8", "replace")
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorInfo(one_line(text))
    if isinstance(value, list) and value:
        value = cast("list[object]", value)[0]
    if not isinstance(value, dict):
        return ErrorInfo(one_line(text))
    fields = cast("dict[str, Any]", value)
    inner: object = fields.get("error")
    if isinstance(inner, dict):
        fields = cast("dict[str, Any]", inner)
    elif isinstance(inner, str):
        fields = {**fields, "message": inner}
    message = _first_text(fields, "message", "detail")
    code, kind = _word(fields.get("code")), _word(fields.get("type"))
    return ErrorInfo(one_line(message or text), code or kind, kind)


def told_by(body: bytes) -> str:
    """The provider's own message on one line, with the code it gave."""
    error = read_error(body)
    if not error.code or error.code in error.message or error.code.isdigit():
        return error.message
    return f"{error.message} ({error.code})"


def fault_in_stream(error: ErrorInfo) -> ProviderError:
    """An error that came as an event. One of a kind we do not know breaks the stream."""
    told = error.message or "no reason given"
    found = _kind_of(error)
    if found is RequestRejected and is_too_long(told):
        found = ContextTooLong
    message = f"the provider ended its answer ({error.code or 'unknown error'}): {told}"
    if _SPENT in (error.code, error.kind):
        return QuotaSpent(message, hint="check your plan and billing")
    return found(message)


def sense_of(body: bytes) -> Sense:
    """Both a rate and a spent quota are a 429; only the body tells them apart."""
    error = read_error(body)
    return Sense(kind=QuotaSpent) if _SPENT in (error.code, error.kind) else Sense()


def _kind_of(error: ErrorInfo) -> type[ProviderError]:
    for name in (error.code, error.kind):
        found = _KINDS.get(name) or _STATUSES.get(name)
        if found is not None:
            return found
    if any(sign in error.code for sign in _POINTLESS):
        return RequestRejected
    return Overloaded if error.code.isdigit() and error.code >= "500" else StreamBroken


def _first_text(fields: dict[str, Any], *names: str) -> str:
    for name in names:
        value = fields.get(name)
        if value:
            return value if isinstance(value, str) else json.dumps(value)
    return ""


def _word(value: object) -> str:
    """A code as text; servers use strings, numbers and null."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    return str(value)
