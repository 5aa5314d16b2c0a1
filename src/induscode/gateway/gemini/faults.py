"""What Gemini's errors mean to us: in a body, where the status alone says too little (a refused key
is a 400), or as an event in mid-stream."""

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
from induscode.gateway.faults import one_line, wait_of
from induscode.gateway.gemini.chunks import ErrorInfo
from induscode.gateway.refusals import Sense, is_too_long

__all__ = ["fault_of_error", "sense_of", "told_by"]

_STATUSES: dict[str, type[ProviderError]] = {
    "ABORTED": Overloaded,
    "CANCELLED": Overloaded,
    "DEADLINE_EXCEEDED": Overloaded,
    "FAILED_PRECONDITION": RequestRejected,
    "INTERNAL": Overloaded,
    "INVALID_ARGUMENT": RequestRejected,
    "NOT_FOUND": ModelUnknown,
    "OUT_OF_RANGE": RequestRejected,
    "PERMISSION_DENIED": KeyRefused,
    "RESOURCE_EXHAUSTED": QuotaExceeded,
    "UNAUTHENTICATED": KeyRefused,
    "UNAVAILABLE": Overloaded,
    "UNKNOWN": Overloaded,
}
_BAD_KEY = "API_KEY_INVALID"
_BAD_KEY_WORDS = "api key not valid"
_TOO_MANY = ("token count", "exceed")


class _ErrorBody(Struct):
    error: ErrorInfo | None = None


_bodies = msgspec.json.Decoder(list[_ErrorBody])


class _Detail(Struct):
    """`reason` is of an ErrorInfo, `retryDelay` of a RetryInfo."""

    reason: str | None = None
    retryDelay: str | None = None  # noqa: N815 the wire's own spelling


def told_by(body: bytes) -> str:
    """The provider's own message, on one line; the start of the body if it has none."""
    error = _error_in(body)
    return one_line((error.message or "") if error is not None else body.decode("utf-8", "replace"))


def sense_of(body: bytes) -> Sense:
    error = _error_in(body)
    if error is None:
        return Sense()
    details = _details(error)
    return Sense(kind=_special_kind(error, details), retry_after=_wait(details))


def fault_of_error(error: ErrorInfo) -> ProviderError:
    """An error that came as an event. One of a status we do not know breaks the stream."""
    details = _details(error)
    status = error.status or ""
    found = _special_kind(error, details) or _STATUSES.get(status, StreamBroken)
    told = one_line(error.message or "") or "no reason given"
    return found(
        f"the provider ended its answer ({status or 'unknown error'}): {told}",
        retry_after=_wait(details),
    )


def _error_in(body: bytes) -> ErrorInfo | None:
    """An object with an error, or a list that begins with one."""
    try:
        found = _bodies.decode(body if body.lstrip().startswith(b"[") else b"[%b]" % body)
    except (ValueError, RecursionError):
        return None
    return found[0].error if found else None


def _details(error: ErrorInfo) -> list[_Detail]:
    found: list[_Detail] = []
    for raw in error.details or ():
        try:
            found.append(msgspec.json.decode(raw, type=_Detail))
        except (ValueError, RecursionError):
            continue  # a detail of a kind we do not read
    return found


def _special_kind(error: ErrorInfo, details: list[_Detail]) -> type[ProviderError] | None:
    message = (error.message or "").lower()
    if any(detail.reason == _BAD_KEY for detail in details) or _BAD_KEY_WORDS in message:
        return KeyRefused
    rejected = error.status in {"INVALID_ARGUMENT", "OUT_OF_RANGE"}
    if rejected and (is_too_long(message) or all(sign in message for sign in _TOO_MANY)):
        return ContextTooLong
    return None


def _wait(details: list[_Detail]) -> float | None:
    """The longest of the delays, each written like `17.5s`."""
    waits = [
        seconds
        for detail in details
        if detail.retryDelay
        and (seconds := wait_of(detail.retryDelay.removesuffix("s"))) is not None
    ]
    return max(waits, default=None)
