"""Keys of providers: from the environment, the system's keyring, or a file only the user can read.

`credentials.json` in our configuration directory says, per provider, where its key is: in the
keyring, or in the file itself (mode 0600). A key is never shown, logged or given to a child.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from induscode.boot.config import Config
from induscode.errors import ConfigError
from induscode.policy.private_file import read_private, update_private

__all__ = ["Credentials", "Key", "find_key"]

_SERVICE = "induscode"
_SAFE = 1.0  # keyrings rank themselves; below this they keep keys no better than our file


class Key(Struct, frozen=True):
    """A key and where it came from. Shows no key when printed."""

    value: str
    source: str

    def __repr__(self) -> str:
        return f"Key(from {self.source})"


class _Stored(Struct, omit_defaults=True):
    """`key` is None when the keyring has it."""

    key: str | None = None


class Credentials:
    """The stored keys of one user, in one file."""

    def __init__(self, folder: Path, name: str = "credentials.json") -> None:
        self.file = folder / name

    def get(self, provider: str) -> Key | None:
        """Raises `ConfigError` for a file that cannot be read."""
        stored = self._read().get(provider)
        if stored is None:
            return None
        if stored.key is not None:
            return Key(stored.key, str(self.file))
        value = _keyring_module().get_password(_SERVICE, provider)
        return Key(value, "the keyring") if value else None

    def put(self, provider: str, key: str) -> str:
        """Keep a key, in the keyring where there is one; returns where it went."""
        if _keyring_works():
            _keyring_module().set_password(_SERVICE, provider, key)
            self._change(lambda stored: stored.update({provider: _Stored()}))
            return "the keyring"
        self._change(lambda stored: stored.update({provider: _Stored(key)}))
        return str(self.file)

    def remove(self, provider: str) -> bool:
        """False when there was nothing to remove."""
        found = self._read().get(provider)
        if found is None:
            return False
        if found.key is None:
            _keyring_module().delete_password(_SERVICE, provider)
        self._change(lambda stored: stored.pop(provider, None))
        return True

    def in_file(self) -> dict[str, str]:
        """The keys that the file itself holds, by provider. Raises `ConfigError`."""
        return {name: row.key for name, row in self._read().items() if row.key is not None}

    def providers(self) -> list[str]:
        return sorted(self._read())

    def _read(self) -> dict[str, _Stored]:
        return self._decoded(read_private(self.file))

    def _decoded(self, data: bytes | None) -> dict[str, _Stored]:
        if data is None:
            return {}
        try:
            return msgspec.json.decode(data, type=dict[str, _Stored])
        except msgspec.DecodeError:
            raise self._unusable("it is not what `indus login` writes") from None

    def _change(self, change: Callable[[dict[str, _Stored]], object]) -> None:
        def rewritten(before: bytes | None) -> bytes:
            stored = self._decoded(before)
            change(stored)
            return msgspec.json.encode(stored)

        update_private(self.file, rewritten)

    def _unusable(self, found: str) -> ConfigError:
        return ConfigError(
            str(self.file), field="file", found=found, hint="remove it and log in again"
        )


def find_key(
    config: Config, environ: Mapping[str, str], credentials: Credentials, provider: str
) -> Key | None:
    """The environment decides before what was stored."""
    variable = config.text(f"providers.{provider}.api_key_env")
    if variable and environ.get(variable):
        return Key(environ[variable], f"${variable}")
    return credentials.get(provider)


def _keyring_module() -> Any:
    # Optional, and slow to import: asked for only by those who have it.
    return import_module("keyring")


def _keyring_works() -> bool:
    """Whether a keyring is installed and has somewhere real to keep a key."""
    try:
        backend = _keyring_module().get_keyring()
    except ImportError:
        return False
    return float(getattr(backend, "priority", 0)) >= _SAFE
