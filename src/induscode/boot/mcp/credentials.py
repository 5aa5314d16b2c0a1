"""Logins at MCP servers, kept as keys of providers are: in the keyring, or in a file of 0600.

`mcp-credentials.json` stands beside `credentials.json`. Each login is kept under its issuer and the
address of its server.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import msgspec

from induscode.boot.credentials import Credentials
from induscode.errors import ConfigError
from induscode.interop.oauth.credential import Credential

__all__ = ["McpCredentials"]

_FILE = "mcp-credentials.json"
_PRIVATE_FILE = 0o600
_PRIVATE_FOLDER = 0o700
_PAUSE_SECONDS = 0.02


class McpCredentials:
    """The `Vault` of one user, over their configuration directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept = Credentials(folder, _FILE)

    def issuers(self, resource: str) -> tuple[str, ...]:
        pairs = (name.partition(" ") for name in self._kept.providers())
        return tuple(issuer for issuer, _, kept in pairs if kept == resource)

    def get(self, issuer: str, resource: str) -> Credential | None:
        with self._reached():
            found = self._kept.get(_name(issuer, resource))
        if found is None:
            return None
        login = self._read(found.value)
        if (login.issuer, login.resource) != (issuer, resource):
            raise self._unusable("a login stands under the name of another")
        return login

    def put(self, credential: Credential) -> str:
        text = msgspec.json.encode(credential).decode()
        with self._reached():
            return self._kept.put(_name(credential.issuer, credential.resource), text)

    def remove(self, issuer: str, resource: str) -> None:
        with self._reached():
            self._kept.remove(_name(issuer, resource))

    @asynccontextmanager
    async def alone(self, issuer: str, resource: str, seconds: float) -> AsyncGenerator[None]:
        """By a lock on a file of its own, which stays."""
        told = sha256(_name(issuer, resource).encode()).hexdigest()[:16]
        file = self._folder / f"mcp-credentials.{told}.lock"
        self._folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(file, flags, _PRIVATE_FILE)
        try:
            for _ in range(1 + int(seconds / _PAUSE_SECONDS)):
                if _locked(handle):
                    break
                await asyncio.sleep(_PAUSE_SECONDS)
            else:
                held = "another process holds the login of this server"
                raise TimeoutError(errno.ETIMEDOUT, held, str(file))
            yield
        finally:
            os.close(handle)

    def in_file(self) -> Iterator[tuple[str, str]]:
        """What the file itself holds that nobody may see, by the address of its server. Raises
        `ConfigError`."""
        for text in self._kept.in_file().values():
            login = self._read(text)
            for secret in login.secrets():
                yield f"login of {login.resource}", secret

    @contextmanager
    def _reached(self) -> Generator[None]:
        try:
            yield
        except _keyring_errors() as error:
            raise ConfigError(
                str(self._kept.file),
                field="keyring",
                found=str(error) or type(error).__name__,
                hint="unlock or install the keyring that it names, or remove the file and log in",
            ) from None

    def _read(self, text: str) -> Credential:
        try:
            return msgspec.json.decode(text, type=Credential)
        except msgspec.DecodeError:
            raise self._unusable("a login in it is not what `indus mcp login` writes") from None

    def _unusable(self, found: str) -> ConfigError:
        return ConfigError(
            str(self._kept.file), field="file", found=found, hint="remove it and log in again"
        )


def _name(issuer: str, resource: str) -> str:
    """Neither has a space."""
    return f"{issuer} {resource}"


def _keyring_errors() -> tuple[type[Exception], ...]:
    """Asked for when something went wrong: a keyring is slow to import, and optional."""
    try:
        return (ImportError, import_module("keyring.errors").KeyringError)
    except ImportError:
        return (ImportError,)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
