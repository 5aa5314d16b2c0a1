"""A credential, found by its name when a request needs it, and kept out of everything shown."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from induscode.capability_deck.connectors.http import Outgoing
from induscode.capability_deck.connectors.settings import AuthKind, AuthSettings, ConnectorSettings
from induscode.capability_deck.connectors.styles import encoded
from induscode.policy.redaction import SHORTEST_SECRET, Secrets, mark

__all__ = ["Credential", "FindSecret", "find_credential"]

FindSecret = Callable[[str], str | None]


class Credential(Struct, frozen=True):
    """Shows nothing of itself when printed."""

    auth: AuthSettings
    label: str
    value: str

    def __repr__(self) -> str:
        return f"Credential({self.label})"

    def on(self, request: Outgoing) -> Outgoing:
        """The request with the credential on it."""
        match self.auth.kind:
            case AuthKind.BEARER:
                header = ("authorization", f"Bearer {self.value}")
            case AuthKind.BASIC:
                header = ("authorization", f"Basic {b64encode(self._pair.encode()).decode()}")
            case AuthKind.HEADER:
                header = (self.auth.name, f"{self.auth.prefix}{self.value}")
            case AuthKind.QUERY:
                pair = f"{encoded(self.auth.name)}={encoded(self.value)}"
                return replace(request, query=f"{request.query}&{pair}".lstrip("&"))
        return replace(request, headers=(*request.headers, header))

    def clean(self, text: str) -> str:
        """Without the credential, in whichever of its forms a service may have repeated it."""
        for each in (self._pair, self.value):
            if len(each) >= SHORTEST_SECRET:
                text = Secrets([(self.label, each)]).text(text)
            else:
                coded = b64encode(each.encode()).decode().rstrip("=")
                for form in (each, coded):
                    text = text.replace(form, mark(self.label))
        return text

    @property
    def _pair(self) -> str:
        return f"{self.auth.user}:{self.value}" if self.auth.user else self.value


def find_credential(
    settings: ConnectorSettings, environ: Mapping[str, str], find_secret: FindSecret
) -> Credential | None:
    """None for a connector that needs none. Raises `ConfigError` when the value is not there, or
    cannot be sent."""
    auth = settings.auth
    if auth is None:
        return None
    field = "auth.value_env" if auth.value_env else "auth.secret"
    found = environ.get(auth.value_env) if auth.value_env else find_secret(auth.secret)
    value = (found or "").strip()
    if not value:
        hint = "set it" if auth.value_env else f"run: indus login {auth.secret}"
        raise settings.unusable(field, f"{auth.source} has no value", hint)
    if not (value.isascii() and value.isprintable()):
        raise settings.unusable(field, f"{auth.source} is no key", "it must be one line of ASCII")
    if auth.kind is AuthKind.BASIC and not auth.user and ":" not in value:
        hint = "write `user` beside it, or give it the form user:password"
        raise settings.unusable(field, f"{auth.source} has no user", hint)
    return Credential(auth, f"key of {settings.name}", value)
