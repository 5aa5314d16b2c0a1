"""One secret, by reference."""

from __future__ import annotations

from typing import Protocol

from induscode.feature.lending import Lease, lent

__all__ = ["SecretPort", "SecretService"]


class SecretPort(Protocol):
    def reveal(self) -> str: ...


class SecretService:
    """Shows no value when printed; what it reveals is redacted wherever the host writes."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[SecretPort]) -> None:
        self.lease = lease

    def reveal(self) -> str:
        """Raises `ServiceRefused` when the grant was withdrawn, `HandleClosed` after the end."""
        return lent(self.lease).reveal()
