"""Every foreign error of the network in our own words.

`FOREIGN` is what the socket, TLS and HTTP layers may raise; `fault_of` turns each of them into one
member of the `ProviderError` family, as one line that names host and port. Details of a request
never enter a message: a header may hold a key.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime

import h11

from induscode.errors import NetworkFailed, ProviderError, RequestRejected, StreamBroken
from induscode.kernel.clock import Clock

__all__ = ["FOREIGN", "fault_of", "one_line", "retry_after", "wait_of"]

FOREIGN = (OSError, EOFError, UnicodeError, h11.ProtocolError)

_HTTP_DATE = "%a, %d %b %Y %H:%M:%S GMT"
_MAX_MESSAGE = 400
_MAX_WAIT = 24 * 3600.0


def fault_of(error: Exception, *, where: str, hint: str, answering: bool) -> ProviderError:
    """`answering` says that part of the answer had arrived, so that it broke off."""
    match error:
        case h11.LocalProtocolError():
            return RequestRejected(f"the request for {where} is not valid HTTP", hint=hint)
        case h11.RemoteProtocolError() if not answering:
            return StreamBroken(f"{where} does not answer in HTTP", hint=hint)
        case UnicodeError():
            return NetworkFailed(f"{where} is not a valid host name", hint=hint)
        case _ if answering:
            return StreamBroken(f"the answer of {where} broke off: {_reason(error)}")
        case ssl.SSLCertVerificationError():
            trouble = one_line(getattr(error, "verify_message", "")) or "it cannot be verified"
            return NetworkFailed(f"the certificate of {where} is refused: {trouble}", hint=hint)
        case ssl.SSLError():
            return NetworkFailed(f"TLS with {where} failed: {_reason(error)}", hint=hint)
        case socket.gaierror():
            return NetworkFailed(f"the host of {where} cannot be found", hint=hint)
        case ConnectionRefusedError():
            return NetworkFailed(f"{where} refuses the connection", hint=hint)
        case TimeoutError():
            return NetworkFailed(f"{where} did not accept a connection in time", hint=hint)
        case _:
            return NetworkFailed(f"{where} cannot be reached: {_reason(error)}", hint=hint)


def _reason(error: Exception) -> str:
    match error:
        case ssl.SSLError():  # one made in Python has no `reason`
            reason = str(getattr(error, "reason", None) or "it gave no reason")
            return one_line(reason.replace("_", " ").lower())
        case ConnectionError() | EOFError() | h11.ProtocolError():
            return "the connection was closed"
        case OSError() if error.strerror:
            return one_line(error.strerror)
        case OSError():  # asyncio's sum over several addresses
            return "no address of it accepts a connection"
        case _:
            return type(error).__name__


def one_line(text: str) -> str:
    """Somebody else's message, fit to stand inside one of ours."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_MESSAGE else line[:_MAX_MESSAGE] + "..."


def retry_after(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Seconds to wait as the provider wishes: a number or an HTTP date; None if it says nothing
    that can be understood."""
    value = headers.get("retry-after", "").strip()
    try:
        moment = datetime.strptime(value, _HTTP_DATE).replace(tzinfo=UTC)
    except ValueError:
        return wait_of(value)
    return _bounded(max(0.0, moment.timestamp() - clock.now_ms() / 1000))


def wait_of(seconds: str) -> float | None:
    """A number of seconds that somebody wrote; None if it is none, or nobody would wait for it."""
    try:
        return _bounded(float(seconds))
    except ValueError:
        return None


def _bounded(seconds: float) -> float | None:
    return seconds if 0 <= seconds <= _MAX_WAIT else None
