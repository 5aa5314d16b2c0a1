"""One secret by its name, for a feature that was granted that very name."""

from __future__ import annotations

from induscode.boot.services.authority import Authority
from induscode.boot.services.roots import FindSecret, Hide
from induscode.errors import ServiceRefused
from induscode.feature.capability import SecretRef

__all__ = ["Secret"]


class Secret:
    """The port behind `SecretService`. It holds the name, never the value: each time it reveals,
    the grant is looked at, the value is found anew, and the run is told to hide it first."""

    def __init__(
        self, authority: Authority, reference: SecretRef, find: FindSecret, hide: Hide
    ) -> None:
        self._authority = authority
        self._reference = reference
        self._find = find
        self._hide = hide

    def reveal(self) -> str:
        self._authority.check(self._reference)
        name = self._reference.id
        value = self._find(name)
        if value is None:
            raise ServiceRefused(f"the secret {name} is not there any more", hint="store it again")
        self._hide(name, value)
        return value
