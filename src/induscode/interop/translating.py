"""What the SDK raises, as faults of ours."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import cast

from mcp.shared.exceptions import MCPError
from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, UNSUPPORTED_PROTOCOL_VERSION
from pydantic import ValidationError

from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.limits import MESSAGE_CHARACTERS
from induscode.interop.oauth.credential import Refusal
from induscode.interop.remote import status_of, unreached
from induscode.interop.watch import REFUSED
from induscode.policy.redaction import Secrets

__all__ = ["Translator", "first_problem"]

# The SDK says that a connection is lost with a code that servers use for anything; it is told from
# theirs by its words.
_LOST = ("Connection closed", "SSE stream ")
_CODES = {
    REQUEST_TIMEOUT: ServerFaultKind.OUT_OF_TIME,
    UNSUPPORTED_PROTOCOL_VERSION: ServerFaultKind.WRONG_PROTOCOL,
}


class Translator:
    """For one server. What it says of itself is cut and without secrets. `refusal` says more of a
    server that does not let us in."""

    def __init__(self, server: str, secrets: Secrets, refusal: Callable[[], Refusal]) -> None:
        self._server = server
        self._secrets = secrets
        self._refusal = refusal

    def fault(self, error: BaseException, doing: str = "", *, status: int = 0) -> ServerFault:
        """`status` is what an address answered meanwhile, 0 when that was fine."""
        error = _first(error)
        if isinstance(error, ServerFault):
            return error
        kind, why, hint = self._read(error, status_of(error) or status)
        text = self._secrets.text(why)[:MESSAGE_CHARACTERS]
        made = ServerFault(kind, self._server, f"{doing}: {text}" if doing else text, hint=hint)
        made.__cause__ = error
        return made

    def _read(self, error: BaseException, status: int) -> tuple[ServerFaultKind, str, str]:
        """Kind, reason and what to do about it."""
        if status not in REFUSED:
            return *_read(error, status), ""
        refusal = self._refusal()
        answered = f"it answered {status}, {HTTPStatus(status).phrase}"
        why = f"{answered}: {refusal.reason}" if refusal.reason else answered
        return refusal.kind, why, refusal.hint


def _first(error: BaseException) -> BaseException:
    """The first cause of a group: the others are what it did to its neighbours."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _read(error: BaseException, status: int) -> tuple[ServerFaultKind, str]:
    match error:
        case MCPError(message="Session terminated") if status == HTTPStatus.NOT_FOUND:
            return ServerFaultKind.LOST, "it knows nothing of this connection any more"
        case MCPError() if error.code == CONNECTION_CLOSED and error.message.startswith(_LOST):
            return ServerFaultKind.LOST, error.message
        case MCPError():
            kind = _CODES.get(error.code, ServerFaultKind.FAILED)
            answered = f"it answered {status}: " if status else ""
            return kind, f"{answered}{error.message}"
        case ValidationError():
            return ServerFaultKind.BAD_ANSWER, f"its answer is none: {first_problem(error)}"
        case TimeoutError():
            return ServerFaultKind.OUT_OF_TIME, "it did not answer in time"
        case _ if unreached(error):
            return ServerFaultKind.NOT_REACHED, f"it cannot be reached: {_named(error)}"
        case _:
            return ServerFaultKind.BAD_ANSWER, _named(error)


def _named(error: BaseException) -> str:
    return str(error) or type(error).__name__


def first_problem(error: ValidationError, *, below: int = 0) -> str:
    """The field and what is wrong with it, its path without the first `below` parts."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"{'.'.join(map(str, first['loc'][below:]))}: {first['msg']}"
