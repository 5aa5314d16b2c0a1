"""What Anthropic's errors mean to us: the message of a body, or a kind in mid-stream."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from induscode.errors import (
    ContextTooLong,
    KeyRefused,
    ModelUnknown,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.anthropic.events import ErrorInfo
from induscode.gateway.faults import one_line
from induscode.gateway.refusals import is_too_long

__all__ = ["fault_of_kind", "told_by"]

_KINDS: dict[str, type[ProviderError]] = {
    "api_error": Overloaded,
    "authentication_error": KeyRefused,
    "billing_error": KeyRefused,
    "invalid_request_error": RequestRejected,
    "not_found_error": ModelUnknown,
    "overloaded_error": Overloaded,
    "permission_error": KeyRefused,
    "rate_limit_error": QuotaExceeded,
    "request_too_large": RequestRejected,
    "timeout_error": Overloaded,
}


class _ErrorBody(Struct):
    error: ErrorInfo | None = None


def told_by(body: bytes) -> str:
    """The provider's own message, on one line; the start of the body if it has none."""
    try:
        error = msgspec.json.decode(body, type=_ErrorBody).error
    except (ValueError, RecursionError):
        error = None
    return one_line(error.message if error is not None else body.decode("utf-8", "replace"))


def fault_of_kind(kind: str, message: str) -> ProviderError:
    """An error that came as an event. One of a kind we do not know breaks the stream."""
    told = one_line(message) or "no reason given"
    found = _KINDS.get(kind, StreamBroken)
    if found is RequestRejected and is_too_long(told):
        found = ContextTooLong
    return found(f"the provider ended its answer ({kind or 'unknown error'}): {told}")
