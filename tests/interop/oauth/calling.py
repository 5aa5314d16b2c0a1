"""Sessions of a moment, for tests: in this process and in others."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFault, ServerFaultKind
from tests.interop.harbour import SECONDS, Harbour, said
from tests.interop.oauth.realm import Realm

ROOT = Path(__file__).parents[3]
NO_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
VISITOR = Path(__file__).with_name("visitor.py")


@asynccontextmanager
async def connected(harbour: Harbour, realm: Realm, **row) -> AsyncIterator[Connection]:
    ground = msgspec.structs.replace(harbour.ground(), vault=realm.vault)
    connection = Connection(realm.row(**row), ground, lambda _: None)
    try:
        await connection.open()
        yield connection
    finally:
        await connection.close()


async def visited(harbour: Harbour, realm: Realm, **row) -> str:
    """What a tool says to a session of a moment."""
    async with connected(harbour, realm, **row) as connection:
        return said(await connection.call("whoami", {}))


async def turned_back(harbour: Harbour, realm: Realm, **row) -> ServerFault:
    with pytest.raises(ServerFault) as caught:
        async with asyncio.timeout(SECONDS), connected(harbour, realm, **row):
            pass
    return caught.value


def asks_for_login(fault: ServerFault) -> bool:
    return fault.kind is ServerFaultKind.NOT_AUTHORIZED and fault.hint == "run: indus mcp login far"


def visitors(realm: Realm, count: int) -> list[tuple[str, str]]:
    """What processes of their own say, which all begin when all are ready; stdout and stderr."""
    words = [sys.executable, str(VISITOR), str(realm.folder), realm.url]
    running = [
        subprocess.Popen(
            words,
            cwd=ROOT,
            text=True,
            env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", **NO_KEYRING},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(count)
    ]
    for each in running:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    return [each.communicate(timeout=SECONDS) for each in running]
