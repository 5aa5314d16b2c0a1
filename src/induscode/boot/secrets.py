"""The secrets of a run: what must not be shown, kept or sent, and where that is known from.

Keys of providers from the environment, from `credentials.json` and from a configuration file where
somebody wrote one down; passwords in addresses; and variables of the environment whose names say
that they are secret. What a keyring holds joins when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import msgspec

from induscode.boot.config import DEFAULTS, Config, Setting, load_config
from induscode.boot.credentials import Credentials
from induscode.boot.places import find_places
from induscode.errors import ConfigError, IndusError
from induscode.kernel.events import Event, TextDelta, ThinkingDelta, UsageReported
from induscode.kernel.scrubbing import scrubbed
from induscode.policy.redaction import Secrets

__all__ = ["CleanOutput", "clean_events", "key_variables", "known_secrets", "secrets_of_process"]

_SECRET_NAMES = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_SECRET_KEY", "_ACCESS_KEY")
_IN_ADDRESS = re.compile(r"://([^/?#@\s:]*):([^/?#@\s]+)@")
_LONGEST_WORD = 15


def known_secrets(config: Config, environ: Mapping[str, str], credentials: Credentials) -> Secrets:
    """What is known before a keyring is asked. The first name that a value has is its name."""
    secrets = Secrets(_named_variables(config, environ))
    # A file that cannot be used is told about by whoever needs a key of it.
    with suppress(ConfigError):
        for provider, key in credentials.in_file().items():
            secrets.add(f"key of {provider}", key)
    with suppress(ConfigError):
        for name, secret in _logins(credentials.file.parent):
            secrets.add(name, secret)
    for name, value in environ.items():
        if _named_secret(name) and not _is_plain(value):
            secrets.add(name, value)
        for part in _passwords(value):
            secrets.add(name, part)
    for key, setting in config.settings.items():
        if isinstance(setting.value, str):
            if _named_secret(key.replace(".", "_")):
                secrets.add(key, setting.value)
            for part in _passwords(setting.value):
                secrets.add(key, part)
    return secrets


def secrets_of_process(environ: Mapping[str, str]) -> Secrets:
    """The same where nothing was opened yet, for what a command or an error prints."""
    places = find_places(environ)
    try:
        config = load_config(places.config_file, environ)
    except IndusError:
        config = Config({key: Setting(value, "default") for key, value in DEFAULTS.items()})
    return known_secrets(config, environ, Credentials(places.config))


def clean_events(emit: Callable[[Event], None], secrets: Secrets) -> Callable[[Event], None]:
    """`emit` for events without secrets: the last line before every channel."""

    def tell(event: Event) -> None:
        emit(_clean(event, secrets))

    return tell


class CleanOutput:
    """A text stream that writes no secret. What they are is found out at the first write."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        self._stream = stream
        self._environ = environ
        self._secrets: Secrets | None = None

    def write(self, text: str) -> int:
        if self._secrets is None:
            self._secrets = secrets_of_process(self._environ)
        return self._stream.write(self._secrets.text(text))

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:
        return self._stream.encoding


def _clean(event: Event, secrets: Secrets) -> Event:
    if isinstance(event, TextDelta | ThinkingDelta):
        text = secrets.text(event.text)
        return event if text is event.text else msgspec.structs.replace(event, text=text)
    return event if isinstance(event, UsageReported) else scrubbed(event, secrets)


def _named_variables(config: Config, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable in key_variables(config):
        if environ.get(variable):
            yield variable, environ[variable]


def key_variables(config: Config) -> Iterator[str]:
    """Those that hold keys: of providers, of a search service, of connectors."""
    for key in config.settings:
        if key.endswith((".api_key_env", ".value_env")) and (variable := config.text(key)):
            yield variable


def _logins(folder: Path) -> Iterator[tuple[str, str]]:
    """Of MCP servers, where there are any: what reads them is not loaded for nothing."""
    if (folder / "mcp-credentials.json").exists():
        from induscode.boot.mcp.credentials import McpCredentials

        yield from McpCredentials(folder).in_file()


def _named_secret(name: str) -> bool:
    return f"_{name.upper()}".endswith(_SECRET_NAMES)


def _is_plain(value: str) -> bool:
    """Whether a variable that is named like a secret holds none: a file that holds it instead, or
    one ordinary word (`postgres`), which stands in too many texts to be taken out of them."""
    if value.startswith("/"):
        with suppress(OSError, ValueError):
            return Path(value).exists()
    return len(value) <= _LONGEST_WORD and value.isalpha() and (value.islower() or value.isupper())


def _passwords(value: str) -> Iterator[str]:
    """Of the first address in `value` that has one: the password, and user and password as a
    server is told them."""
    found = _IN_ADDRESS.search(value) if "@" in value else None
    if found is None or _is_plain(found[2]):
        return
    yield f"{found[1]}:{found[2]}"
    yield found[2]
    if "%" in found[0]:
        from urllib.parse import unquote

        yield f"{unquote(found[1])}:{unquote(found[2])}"
        yield unquote(found[2])
