"""Two ways to be heard, kept apart: the model's, which is an entry first, and the person's, which
leaves no trace."""

from __future__ import annotations

from typing import Protocol

from induscode.feature.lending import Lease, lent

__all__ = ["AlertPort", "FeatureAlertSink", "FeatureNotifySink", "NotifyPort"]


class NotifyPort(Protocol):
    async def notify(self, text: str) -> bool: ...


class AlertPort(Protocol):
    def alert(self, text: str) -> bool: ...


class FeatureNotifySink:
    """Puts a notice in front of the model. It is in the log before the model can see it."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[NotifyPort]) -> None:
        self.lease = lease

    async def notify_model(self, text: str) -> bool:
        """Whether the notice was recorded; not without the grant, nor beyond the bound, which a
        diagnostic says. Raises `HandleClosed`."""
        return await lent(self.lease).notify(text)


class FeatureAlertSink:
    """A short line for the person: not history, not part of any request, not replayed."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[AlertPort]) -> None:
        self.lease = lease

    def alert(self, text: str) -> bool:
        """Whether it was shown; not without the grant, nor beyond the bound. Raises
        `HandleClosed`."""
        return lent(self.lease).alert(text)
