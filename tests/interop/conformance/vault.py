"""Logins of one visit, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from induscode.interop.oauth.credential import Credential

__all__ = ["MemoryVault"]


class MemoryVault:
    """A `Vault` of one process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Credential] = {}
        self._turn = asyncio.Lock()

    def issuers(self, resource: str) -> tuple[str, ...]:
        return tuple(issuer for issuer, kept in self._kept if kept == resource)

    def get(self, issuer: str, resource: str) -> Credential | None:
        return self._kept.get((issuer, resource))

    def put(self, credential: Credential) -> str:
        self._kept[credential.issuer, credential.resource] = credential
        return "memory"

    def remove(self, issuer: str, resource: str) -> None:
        self._kept.pop((issuer, resource), None)

    @asynccontextmanager
    async def alone(self, issuer: str, resource: str, seconds: float) -> AsyncIterator[None]:
        async with asyncio.timeout(seconds), self._turn:
            yield
