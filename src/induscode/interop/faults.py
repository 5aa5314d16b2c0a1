"""What can go wrong with a server, each with a kind of its own."""

from __future__ import annotations

from enum import StrEnum

from induscode.errors import AddonAuthorError

__all__ = ["ServerFault", "ServerFaultKind"]


class ServerFaultKind(StrEnum):
    """Those that end a connection, or keep it from being, come first, up to `closed`. The others
    are about one request."""

    NOT_STARTED = "not-started"
    NOT_REACHED = "not-reached"
    NOT_AUTHORIZED = "not-authorized"
    NO_HANDSHAKE = "no-handshake"
    WRONG_PROTOCOL = "wrong-protocol"
    FRAME_TOO_LONG = "frame-too-long"
    LOST = "lost"
    CLOSED = "closed"
    OUT_OF_TIME = "out-of-time"
    FAILED = "failed"
    BAD_ANSWER = "bad-answer"
    TOO_MANY = "too-many"

    @property
    def ends(self) -> bool:
        """Whether the connection is gone with it."""
        return self in _ENDS

    @property
    def lasting(self) -> bool:
        """Whether trying again would come to the same, until a person does something."""
        return self in _LASTING


_ENDS = frozenset(
    {
        ServerFaultKind.NOT_STARTED,
        ServerFaultKind.NOT_REACHED,
        ServerFaultKind.NOT_AUTHORIZED,
        ServerFaultKind.NO_HANDSHAKE,
        ServerFaultKind.WRONG_PROTOCOL,
        ServerFaultKind.FRAME_TOO_LONG,
        ServerFaultKind.LOST,
        ServerFaultKind.CLOSED,
    }
)
_LASTING = frozenset(
    {
        ServerFaultKind.NOT_STARTED,
        ServerFaultKind.NOT_AUTHORIZED,
        ServerFaultKind.WRONG_PROTOCOL,
        ServerFaultKind.CLOSED,
    }
)


class ServerFault(AddonAuthorError):
    """A server, or one request to it, did not do what it should. `said` is the end of what it wrote
    to stderr. Neither holds a secret."""

    def __init__(
        self,
        kind: ServerFaultKind,
        server: str,
        message: str,
        *,
        hint: str = "",
        said: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.server = server
        self.said = said

    def __str__(self) -> str:
        told = f"the MCP server {self.server!r}: {super().__str__()}"
        return f"{told}; it said: {self.said}" if self.said else told
