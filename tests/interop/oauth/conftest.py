from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail

from tests.interop.oauth.realm import Realm, running

_numbers = count()


@pytest.fixture(autouse=True)
def _no_keyring() -> Iterator[None]:
    """Nothing of a test gets into the keyring of whoever runs it."""
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture(scope="session")
def issuer_port() -> Iterator[int]:
    with running("issuer") as port:
        yield port


@pytest.fixture(scope="session")
def guarded_port() -> Iterator[int]:
    with running("guarded") as port:
        yield port


@pytest.fixture
def new_realm(issuer_port: int, guarded_port: int, tmp_path: Path) -> Callable[[], Realm]:
    """Realms that keep their logins in one folder."""

    def made() -> Realm:
        return Realm(f"r{next(_numbers)}", issuer_port, guarded_port, tmp_path / "config")

    return made


@pytest.fixture
def realm(new_realm: Callable[[], Realm]) -> Realm:
    return new_realm()
