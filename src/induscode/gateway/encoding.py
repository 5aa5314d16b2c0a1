"""Requests as bytes, made by a fold: what was encoded once is never encoded or hashed again.

A body is head, message fragments and close, `messages` being its last field. Fragments of the
sealed prefix stay as they are, and so does their running digest. Two things move: the tail, and the
cache marks that some providers want on the last user messages. A mark is spliced over a finished
fragment, and the messages that may still carry one are held out of the prefix.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence

from induscode.kernel.jsontext import clean_text, encode
from induscode.kernel.model import Body
from induscode.kernel.request import Head, Message, NeutralRequest

__all__ = ["FoldEncoder", "json_text"]

_MARKED = 2  # so many user messages, from the end, may carry a mark


def json_text(text: str) -> bytes:
    """Our own text as a JSON string; what cannot be encoded is replaced, always the same way."""
    try:
        return encode(text)
    except UnicodeEncodeError:
        return encode(clean_text(text)[0])


class FoldEncoder(ABC):
    """Base of every encoder; a subclass says what the pieces look like.

    The result is a function of the request alone. An instance serves one session at a time; it
    starts over when the head is another object, the revision changed or the prefix got shorter.
    """

    close_bytes = b"]}"

    def __init__(self) -> None:
        self._head: Head | None = None
        self._revision = -1
        self._absorbed = 0
        self._prefix = bytearray()
        self._digest = hashlib.sha256()
        self._open: list[tuple[bool, bytes]] = []

    @property
    @abstractmethod
    def version(self) -> str: ...

    @abstractmethod
    def head_bytes(self, head: Head) -> bytes:
        """Everything before the first message, with the bracket that opens the list."""

    @abstractmethod
    def message_bytes(self, message: Message) -> bytes:
        """One message, without a cache mark. May depend on the messages before it, in so far as
        `forget` drops what was learned of them; never on those after it."""

    def forget(self) -> None:  # noqa: B027 most wires remember nothing
        """The fold starts over, at the first message."""

    def marked(self, fragment: bytes) -> bytes:
        """A user message's fragment with a cache mark; the wire has none unless it says so."""
        return fragment

    def encode(self, request: NeutralRequest) -> Body:
        sealed = request.sealed
        if self._is_stale(request):
            self._restart(request.head, request.revision)
        self._absorb(sealed)
        self._settle()
        rest = self._rest(request.tail)
        digest = self._digest.copy()
        digest.update(rest)
        return Body(data=b"".join((self._prefix, rest)), sha256=digest.hexdigest())

    def _is_stale(self, request: NeutralRequest) -> bool:
        return (
            request.head is not self._head
            or request.revision != self._revision
            or len(request.sealed) < self._absorbed
        )

    def _restart(self, head: Head, revision: int) -> None:
        start = self.head_bytes(head)
        self.forget()
        self._head = head
        self._revision = revision
        self._absorbed = 0
        self._prefix = bytearray(start)
        self._digest = hashlib.sha256(start)
        self._open = []

    def _absorb(self, sealed: Sequence[Message]) -> None:
        for at in range(self._absorbed, len(sealed)):
            message = sealed[at]
            self._open.append((message.role == "user", self.message_bytes(message)))
        self._absorbed = len(sealed)

    def _settle(self) -> None:
        """Move into the prefix what no mark can reach any more, whether or not a tail follows."""
        users = [at for at, (is_user, _) in enumerate(self._open) if is_user]
        if len(users) < _MARKED:
            return
        first = users[-_MARKED]
        settled = b"".join([fragment + b"," for _, fragment in self._open[:first]])
        self._prefix += settled
        self._digest.update(settled)
        del self._open[:first]

    def _rest(self, tail: Message | None) -> bytes:
        pieces = list(self._open)
        if tail is not None:
            pieces.append((tail.role == "user", self.message_bytes(tail)))
        users = [at for at, (is_user, _) in enumerate(pieces) if is_user][-_MARKED:]
        fragments = [fragment for _, fragment in pieces]
        for at in users:
            fragments[at] = self.marked(fragments[at])
        return b",".join(fragments) + self.close_bytes
