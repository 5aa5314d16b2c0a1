"""The session itself, for a feature: a word to the model, another model, another effort."""

from __future__ import annotations

from typing import Protocol

from induscode.feature.lending import Lease, lent

__all__ = ["SessionControl", "SessionControlPort"]


class SessionControlPort(Protocol):
    async def send_message(self, text: str) -> None: ...

    async def set_model(self, model: str) -> None: ...

    async def set_thinking(self, level: str) -> None: ...


class SessionControl:
    """A handle is good for the one thing that it was asked for. Everything that it does is an entry
    under the feature's name. Methods raise `ServiceRefused` or `HandleClosed`."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[SessionControlPort]) -> None:
        self.lease = lease

    async def send_message(self, text: str) -> None:
        """The model reads it with its next request: of the turn that runs, else of the next one.
        Bounded in number and length as notices are."""
        await lent(self.lease).send_message(text)

    async def set_model(self, model: str) -> None:
        """`PROVIDER/MODEL`, as `-m` takes it. It counts from the next input on."""
        await lent(self.lease).set_model(model)

    async def set_thinking(self, level: str) -> None:
        """One of `off`, `low`, `medium`, `high`. It counts from the next input on."""
        await lent(self.lease).set_thinking(level)
