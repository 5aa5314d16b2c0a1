"""One server's row of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from induscode.capability_deck.bridge_ledger.names import server_problem
from induscode.capability_deck.mcp_config.limits import (
    CALL_SECONDS_MOST,
    MILLISECONDS_LEAST,
    SECONDS_LEAST,
    SHOWN_CHARACTERS,
    STARTUP_SECONDS_MOST,
)
from induscode.capability_deck.mcp_config.servers import (
    ConfigProblem,
    Disabled,
    OAuthClient,
    RemoteServer,
    ServerConfig,
    Source,
    StdioServer,
    Transport,
    launch_digest,
)
from induscode.capability_deck.mcp_config.variables import Variables
from induscode.tools.compare import close_names

__all__ = ["RowReader", "guess", "kind", "label", "shown"]

_COMMON = (
    "name", "type", "enabled", "disabled", "startup_timeout_sec", "tool_timeout_sec", "timeout",
    "allow_tools", "enabled_tools", "includeTools", "deny_tools", "disabled_tools", "excludeTools",
)  # fmt: skip
_OF_STDIO = ("command", "args", "env", "cwd")
_OF_REMOTE = ("url", "headers", "oauth")
_OF_OAUTH = ("clientId", "clientSecret", "scopes", "callbackPort")
_KNOWN = (*_COMMON, *_OF_STDIO, *_OF_REMOTE)
_ALLOW = ("allow_tools", "enabled_tools", "includeTools")
_DENY = ("deny_tools", "disabled_tools", "excludeTools")
_ELSEWHERE = {
    "alwaysAllow": "permissions are rules of yours, not of a server",
    "autoApprove": "permissions are rules of yours, not of a server",
    "trust": "permissions are rules of yours, not of a server",
}
_PORT_MOST = 65535
_STDIO = "stdio"
_TYPES: Mapping[str, Transport | None] = {
    _STDIO: None,
    "http": Transport.HTTP,
    "streamable-http": Transport.HTTP,
    "streamable_http": Transport.HTTP,
    "streamableHttp": Transport.HTTP,
    "sse": Transport.SSE,
}
_ADDRESS = re.compile(r"https?://[^/?#\s]+[^\s]*", re.IGNORECASE)
_VARIABLE = re.compile(r"[^=\0]+")
_SCOPES = re.compile(r"[!#-\[\]-~]+( [!#-\[\]-~]+)*")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class _Wrong(Exception):
    """The row cannot be used."""

    def __init__(self, field: str, found: str, hint: str = "") -> None:
        super().__init__(found)
        self.field = field
        self.found = found
        self.hint = hint


class RowReader:
    """Reads one row; `tell` hears what is wrong with it. A row with anything wrong in it is skipped
    as a whole; a key that is not known is only reported."""

    def __init__(
        self,
        source: Source,
        row: Mapping[str, Any],
        variables: Variables,
        tell: Callable[[ConfigProblem], None],
    ) -> None:
        self._source = source
        self._row = row
        self._variables = variables
        self._tell = tell

    def read(self, name: str) -> ServerConfig | Disabled | None:
        """The server, or None when it is skipped."""
        try:
            return self._read(name)
        except _Wrong as wrong:
            field = f".{wrong.field}" if wrong.field else ""
            self._problem(f"{self._source.row}{field}", f"{wrong.found}; skipped", wrong.hint)
            return None

    def _read(self, name: str) -> ServerConfig | Disabled:
        if problem := server_problem(name):
            raise _Wrong("", f"the name {shown(name)} {problem}", "rename it")
        if not self._flag("enabled", default=True) or self._flag("disabled", default=False):
            return Disabled(name, self._source)
        transport = self._transport()
        server = self._stdio(name) if transport is None else self._remote(name, transport)
        if faults := self._variables.faults:
            raise _Wrong("", ", ".join(faults), self._variables.hint)
        self._report_ignored(_OF_STDIO if transport is None else _OF_REMOTE)
        return server

    def _transport(self) -> Transport | None:
        """None for a program. Without a type, an address makes a remote server."""
        said = self._text("type")
        if said is not None and said not in _TYPES:
            hint = guess(said, _TYPES) or f"one of {', '.join(_TYPES)}"
            raise _Wrong("type", f"{shown(said)} is no transport", hint)
        found = self._text("url") is not None
        if said is None and not found and self._text("command") is None:
            raise _Wrong("", "has neither `command` nor `url`", self._meant())
        if said is None:
            return Transport.HTTP if found else None
        return _TYPES[said]

    def _meant(self) -> str:
        near = (guess(key, ("command", "url")) for key in self._row if key not in _KNOWN)
        return next(filter(None, near), "say what to start or where to go")

    def _stdio(self, name: str) -> StdioServer:
        command = self._needed("command")
        args = tuple(map(self._put_in, self._texts("args")))
        env = self._pairs("env", _VARIABLE)
        cwd = self._text("cwd")
        where = None if cwd is None else self._put_in(cwd)
        launch = launch_digest(type=_STDIO, command=command, args=args, env=env, cwd=where)
        return StdioServer(
            command=command,
            args=args,
            env={key: self._put_in(value) for key, value in env.items()},
            cwd=where,
            **self._shared(name, launch),
        )

    def _remote(self, name: str, transport: Transport) -> RemoteServer:
        url = self._needed("url")
        if not self._variables.faults and not _ADDRESS.fullmatch(url):
            raise _Wrong("url", "is no address", "write https://HOST/PATH")
        headers = self._pairs("headers", _HEADER)
        oauth = self._oauth()
        launch = launch_digest(type=transport, url=url, headers=headers, oauth=oauth)
        return RemoteServer(
            url=url,
            transport=transport,
            headers={key: self._put_in(value) for key, value in headers.items()},
            oauth=None if oauth is None else self._client(oauth),
            **self._shared(name, launch),
        )

    def _oauth(self) -> dict[str, Any] | None:
        """What it says of a login, as it stands there."""
        found = cast("object", self._row.get("oauth"))
        if found is None:
            return None
        if not isinstance(found, dict):
            raise _Wrong("oauth", f"expected an object, found {kind(found)}")
        said = cast("dict[str, object]", found)
        for key in said:
            if key not in _OF_OAUTH:
                field = f"{self._source.row}.oauth.{label(key)}"
                self._problem(field, "is not known and not used", guess(key, _OF_OAUTH))
        texts = {key: _checked(f"oauth.{key}", said.get(key, "")) for key in _OF_OAUTH[:3]}
        if texts["scopes"] and not _SCOPES.fullmatch(texts["scopes"]):
            raise _Wrong("oauth.scopes", "is no list of scopes", "write them with a space between")
        port = said.get("callbackPort", 0)
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= _PORT_MOST:
            raise _Wrong("oauth.callbackPort", "is no port", f"from 1 to {_PORT_MOST}")
        return {**texts, "callbackPort": port}

    def _client(self, said: Mapping[str, Any]) -> OAuthClient:
        return OAuthClient(
            client_id=self._put_in(said["clientId"]),
            client_secret=self._put_in(said["clientSecret"]),
            scopes=said["scopes"],
            callback_port=said["callbackPort"],
        )

    def _shared(self, name: str, launch: str) -> dict[str, Any]:
        allow = self._one_of(_ALLOW)
        return {
            "name": name,
            "source": self._source,
            "launch": launch,
            "variables": self._variables.used,
            "allow": None if allow is None else frozenset(allow),
            "deny": frozenset(self._one_of(_DENY) or ()),
            "startup_seconds": self._seconds("startup_timeout_sec", STARTUP_SECONDS_MOST),
            "call_seconds": self._call_seconds(),
        }

    def _call_seconds(self) -> float | None:
        """`tool_timeout_sec`, or the `timeout` of other agents, in milliseconds."""
        seconds = self._seconds("tool_timeout_sec", CALL_SECONDS_MOST)
        found = self._number("timeout")
        if seconds is not None or found is None:
            return seconds
        if not MILLISECONDS_LEAST <= found <= CALL_SECONDS_MOST * 1000:
            hint = 'it counts milliseconds; for seconds write "tool_timeout_sec"'
            raise _Wrong("timeout", f"{shown(found)} is no time for a call", hint)
        return found / 1000

    def _seconds(self, key: str, most: float) -> float | None:
        found = self._number(key)
        if found is not None and not SECONDS_LEAST <= found <= most:
            hint = f"from {SECONDS_LEAST:g} to {most:g}"
            raise _Wrong(key, f"{shown(found)} is out of range", hint)
        return found

    def _one_of(self, keys: tuple[str, ...]) -> tuple[str, ...] | None:
        said = [key for key in keys if key in self._row]
        if len(said) > 1:
            raise _Wrong(said[1], f"says the same as {said[0]}", "keep one of them")
        return self._texts(said[0]) if said else None

    def _report_ignored(self, used: tuple[str, ...]) -> None:
        for key in self._row:
            field = f"{self._source.row}.{label(key)}"
            if key in _ELSEWHERE:
                self._problem(field, "is not used", _ELSEWHERE[key])
            elif key not in _KNOWN:
                self._problem(field, "is not known and not used", guess(key, _KNOWN))
            elif key not in _COMMON and key not in used:
                self._problem(field, "is not used for this kind of server", "remove it")

    def _problem(self, row: str, found: str, hint: str) -> None:
        self._tell(ConfigProblem(self._source.file, row, found, hint))

    def _put_in(self, text: str) -> str:
        return self._variables.expand(text)

    def _needed(self, key: str) -> str:
        said = self._text(key)
        if said is None:
            raise _Wrong(key, "is missing", f"a server of this type needs `{key}`")
        made = self._put_in(said)
        if not made.strip() and not self._variables.faults:
            raise _Wrong(key, "is empty")
        return made

    def _text(self, key: str) -> str | None:
        found = self._row.get(key)
        return None if found is None else _checked(key, found)

    def _texts(self, key: str) -> tuple[str, ...]:
        found = cast("object", self._row.get(key, []))
        if not isinstance(found, list):
            raise _Wrong(key, f"expected a list of texts, found {kind(found)}")
        return tuple(
            _checked(f"{key}[{place}]", each)
            for place, each in enumerate(cast("list[object]", found))
        )

    def _pairs(self, key: str, names: re.Pattern[str]) -> dict[str, str]:
        found = cast("object", self._row.get(key, {}))
        if not isinstance(found, dict):
            raise _Wrong(key, f"expected an object of texts, found {kind(found)}")
        pairs = cast("dict[str, object]", found)
        for name in pairs:
            if not names.fullmatch(name):
                raise _Wrong(key, f"{shown(name)} is no name that this can have")
        return {name: _checked(f"{key}.{label(name)}", value) for name, value in pairs.items()}

    def _number(self, key: str) -> float | None:
        found = cast("object", self._row.get(key))
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise _Wrong(key, f"expected a number, found {kind(found)}")
        return found

    def _flag(self, key: str, *, default: bool) -> bool:
        found = cast("object", self._row.get(key, default))
        if not isinstance(found, bool):
            raise _Wrong(key, f"expected true or false, found {kind(found)}")
        return found


def _checked(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise _Wrong(field, f"expected a text, found {kind(value)}", "put it in quotes")
    if "\0" in value:
        raise _Wrong(field, "holds a character that no program can be given")
    return value


def label(text: str) -> str:
    """A key of a file as part of where something stands; one that would not show, in quotes."""
    short = text[:SHOWN_CHARACTERS]
    return short if short.isprintable() else shown(text)


def shown(value: str | float) -> str:
    """A value of a file, in quotes where it is a text, and not too long."""
    return repr(value[:SHOWN_CHARACTERS] if isinstance(value, str) else value)[:SHOWN_CHARACTERS]


def guess(word: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    """What a person may have meant, as a question; empty when nothing is near."""
    near = close_names(word[:SHOWN_CHARACTERS], known, most=1)
    return f"did you mean {near[0]!r}?" if near else ""


def kind(value: object) -> str:
    """What a value is, in words of JSON."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case _:
            return "an object"
