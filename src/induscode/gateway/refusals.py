"""An error reply of a provider, told in one line, as one member of the `ProviderError` family.

All wires share the meaning of statuses; what their bodies say is read by each wire.
"""

from __future__ import annotations

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
)

__all__ = ["Refusal", "Sense", "fault_of_status", "is_too_long"]

_TOO_LONG = (
    "prompt is too long",
    "context limit",
    "context window",
    "context length",
    "context_length",
    "context size",
)
_STATUSES: dict[int, type[ProviderError]] = {
    401: KeyRefused,
    403: KeyRefused,
    404: ModelUnknown,
    408: Overloaded,
    409: Overloaded,
    429: QuotaExceeded,
}
_SERVER_FAULT = 500


class Sense(Struct, frozen=True):
    """What the body of an error says beyond its status: another family, a wish to wait."""

    kind: type[ProviderError] | None = None
    retry_after: float | None = None


class Refusal(Struct, frozen=True):
    """An error reply with what is needed to tell about it in one line. `key_from` and `url_from`
    say where a person set the key and the address; `kind` is known where the status says less."""

    status: int
    told: str
    provider: str
    model: str
    key_from: str
    url_from: str
    retry_after: float | None = None
    kind: type[ProviderError] | None = None


def fault_of_status(refusal: Refusal) -> ProviderError:
    kind = _kind_of(refusal)
    message, hint = _words(kind, refusal)
    said = f"{message}: {refusal.told}" if refusal.told else message
    return kind(said, hint=hint, status=refusal.status, retry_after=refusal.retry_after)


def _kind_of(refusal: Refusal) -> type[ProviderError]:
    if refusal.kind is not None:
        return refusal.kind
    if refusal.status >= _SERVER_FAULT:
        return Overloaded
    found = _STATUSES.get(refusal.status, RequestRejected)
    if found is RequestRejected and is_too_long(refusal.told):
        return ContextTooLong
    return found


def is_too_long(message: str) -> bool:
    lowered = message.lower()
    return any(sign in lowered for sign in _TOO_LONG)


def _words(kind: type[ProviderError], refusal: Refusal) -> tuple[str, str]:
    who, status = refusal.provider, refusal.status
    if kind is KeyRefused:
        return f"{who} does not accept the key ({status})", f"check {refusal.key_from}"
    if kind is ModelUnknown:
        hint = f"check the name of the model and {refusal.url_from}"
        return f"{who} does not know the model {refusal.model!r} ({status})", hint
    if kind is ContextTooLong:
        return f"the conversation is too long for {refusal.model}", "compact it or start anew"
    if kind is QuotaSpent:
        return f"the quota of the account at {who} is used up", "check your plan and billing"
    if kind is QuotaExceeded:
        wait = refusal.retry_after
        hint = "wait a little and try again" if wait is None else f"try again in {wait:g} s"
        return f"{who} limits the rate of requests ({status})", hint
    if kind is Overloaded:
        return f"{who} cannot serve the request now ({status})", "try again in a moment"
    return (
        f"{who} rejected the request ({status})",
        f"see the message; also check {refusal.url_from}",
    )
