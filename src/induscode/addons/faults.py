"""Where faults of addons go: to everybody who listens, whatever one listener does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from induscode.addons.contract import AddonFault, AddonFaultListener

__all__ = ["FaultSink"]


class FaultSink:
    """Tells each fault to each listener, in the order in which they came."""

    def __init__(self) -> None:
        self._listeners: dict[int, AddonFaultListener] = {}
        self._next = 0

    def on_fault(self, listener: AddonFaultListener) -> Callable[[], None]:
        """The returned function takes the listener off again; a second call does nothing."""
        key = self._next
        self._next += 1
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def tell(self, fault: AddonFault) -> None:
        """Never raises: a listener that does is passed over, and the next one is told."""
        for listener in tuple(self._listeners.values()):
            with suppress(Exception):
                listener(fault)
