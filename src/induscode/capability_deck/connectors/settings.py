"""What a user configures of a connector: which document, where the service is, which credential.

    [connectors.github]
    openapi = "~/specs/github.json"
    base_url = "https://api.github.com"
    auth = { type = "bearer", value_env = "GITHUB_TOKEN" }

A credential is named, never written down: `value_env` names a variable of the environment,
`secret` a key that `indus login` keeps. Imported at every start: nothing heavy here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from induscode.errors import ConfigError
from induscode.tools.web.address import WebAddress, parse_address

__all__ = ["AuthKind", "AuthSettings", "ConnectorSettings", "read_connectors"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_QUERY = re.compile(r"[\x21-\x7e]{1,100}")
_OURS = frozenset({
    "connection", "content-length", "content-type", "cookie", "expect", "host", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
_KEYS = ("openapi", "base_url", "auth")
_AUTH_KEYS = ("type", "value_env", "secret", "name", "prefix", "user")


class AuthKind(StrEnum):
    BEARER = "bearer"
    BASIC = "basic"
    HEADER = "header"
    QUERY = "query"


class AuthSettings(Struct, frozen=True):
    """Exactly one of `value_env` and `secret` is given. `name` is that of the header or the query
    parameter, `prefix` stands before the value in a header, and `user` before it with basic;
    without a user the value itself is `user:password`."""

    kind: AuthKind
    value_env: str = ""
    secret: str = ""
    name: str = ""
    prefix: str = ""
    user: str = ""

    @property
    def source(self) -> str:
        """Where the value comes from, in words that may be shown."""
        return f"the variable {self.value_env}" if self.value_env else f"the key {self.secret!r}"


class ConnectorSettings(Struct, frozen=True):
    """`base` is None where the document says where its service is. `file` is where this was
    written, for messages."""

    name: str
    document: Path | WebAddress
    base: WebAddress | None = None
    auth: AuthSettings | None = None
    file: str = "config.toml"

    @property
    def prefix(self) -> str:
        """What the slugs of its operations begin with."""
        return re.sub(r"[^A-Z0-9]+", "_", self.name.upper()) + "_"

    def unusable(self, field: str, found: str, hint: str) -> ConfigError:
        return ConfigError(
            self.file, field=f"connectors.{self.name}.{field}", found=found, hint=hint
        )


def read_connectors(
    tables: Mapping[str, object], *, file: str, folder: Path
) -> tuple[ConnectorSettings, ...]:
    """The tables under `[connectors]` of `file`; a relative path of theirs starts at `folder`.
    Raises `ConfigError` for the first that cannot be used."""
    found: list[ConnectorSettings] = []
    for name, table in tables.items():
        settings = _Table(file, f"connectors.{name}", table, _KEYS).connector(name, folder)
        for other in found:
            short, long = sorted((other.prefix, settings.prefix), key=len)
            if long.startswith(short):
                raise ConfigError(
                    file,
                    field=f"connectors.{name}",
                    found=f"its operations cannot be told from those of {other.name!r}",
                    hint="give it a name that does not begin with the other's",
                )
        found.append(settings)
    return tuple(found)


class _Table:
    """One table of the configuration, read with errors that name the field."""

    def __init__(self, file: str, field: str, table: object, known: tuple[str, ...]) -> None:
        self._file = file
        self._field = field
        if not isinstance(table, Mapping):
            raise ConfigError(
                file, field=field, found="it is not a table", hint=f"give it {', '.join(known)}"
            )
        self._table = cast("Mapping[str, Any]", table)
        for key in self._table:
            if key not in known:
                hint = f"use {', '.join(known)}"
                raise self._bad(str(key), "there is no such setting", hint)

    def connector(self, name: str, folder: Path) -> ConnectorSettings:
        if not _NAME.fullmatch(name):
            raise ConfigError(
                self._file,
                field=self._field,
                found="this cannot be the name of a connector",
                hint="use up to 32 letters, digits, _ and -",
            )
        document = self._document(folder)
        base = self._base()
        auth = self._auth()
        if auth is not None and base is None and isinstance(document, Path):
            raise self._bad(
                "base_url",
                "a credential without an address: a document does not decide who gets a key",
                'write where it may go, like base_url = "https://api.example.com"',
            )
        return ConnectorSettings(name, document, base, auth, self._file)

    def _document(self, folder: Path) -> Path | WebAddress:
        text = self._text("openapi")
        if not text:
            raise self._bad(
                "openapi", "it is missing", "name an OpenAPI document: a file or an https address"
            )
        if text.lower().startswith(("http://", "https://")):
            return self._address("openapi", text)
        return folder / Path(text).expanduser()

    def _base(self) -> WebAddress | None:
        text = self._text("base_url")
        if not text:
            return None
        if "?" in text or "#" in text:
            raise self._bad("base_url", "it has a query", "leave out what follows `?` or `#`")
        return self._address("base_url", text)

    def _address(self, key: str, text: str) -> WebAddress:
        try:
            return parse_address(text)
        except ValueError as error:
            hint = "write it like https://api.example.com"
            raise self._bad(key, f"not usable: {error}", hint) from None

    def _auth(self) -> AuthSettings | None:
        table = self._table.get("auth")
        if table is None:
            return None
        return _Table(self._file, f"{self._field}.auth", table, _AUTH_KEYS).auth()

    def auth(self) -> AuthSettings:
        kinds = ", ".join(AuthKind)
        try:
            kind = AuthKind(self._text("type"))
        except ValueError:
            raise self._bad("type", "missing or not known", f"use one of {kinds}") from None
        settings = AuthSettings(
            kind,
            self._text("value_env"),
            self._text("secret"),
            self._text("name"),
            self._text("prefix", strip=False),
            self._text("user"),
        )
        if bool(settings.value_env) == bool(settings.secret):
            raise self._bad(
                "value_env",
                "a credential is named by exactly one of `value_env` and `secret`",
                "name a variable of the environment, or a key that `indus login` keeps",
            )
        self._check_name(settings)
        return settings

    def _check_name(self, settings: AuthSettings) -> None:
        match settings.kind:
            case AuthKind.HEADER:
                good = _HEADER.fullmatch(settings.name) and settings.name.lower() not in _OURS
                hint = "name the header that carries the key, like X-API-Key"
            case AuthKind.QUERY:
                good = _QUERY.fullmatch(settings.name)
                hint = "name the query parameter that carries the key, like api_key"
            case AuthKind.BEARER | AuthKind.BASIC:
                good, hint = not settings.name, "leave it out: the header is Authorization"
        if not good:
            raise self._bad("name", "missing or not usable", hint)

    def _text(self, key: str, *, strip: bool = True) -> str:
        value = self._table.get(key, "")
        if not isinstance(value, str):
            raise self._bad(key, "it is not a text", "put it in quotes")
        if any(ord(c) < ord(" ") for c in value):
            raise self._bad(key, "it holds a control character", "write it in one line")
        return value.strip() if strip else value

    def _bad(self, key: str, found: str, hint: str) -> ConfigError:
        return ConfigError(self._file, field=f"{self._field}.{key}", found=found, hint=hint)
