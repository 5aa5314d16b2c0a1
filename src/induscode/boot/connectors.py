"""The services that the user configured, behind `saas-action`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from induscode.boot.credentials import Credentials, find_key
from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.contract import SaasGatewayPort
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = ["connectors_of"]

_CACHE = "connectors"


def connectors_of(around: Surroundings) -> SaasGatewayPort | None:
    """None when there are none. The tables are the user's own: a workspace does not choose whom a
    key is sent to. Raises `ConfigError`."""
    file = around.places.config_file
    tables = around.config.table("connectors", file)
    if not tables:
        return None
    from induscode.capability_deck.connectors.settings import read_connectors

    connectors = read_connectors(tables, file=str(file), folder=file.parent)

    def secret(name: str) -> str | None:
        key = find_key(around.config, around.environ, Credentials(around.places.config), name)
        return key.value if key else None

    def make() -> SaasGatewayPort:
        from induscode.capability_deck.connectors.gateway import OpenApiGateway

        return OpenApiGateway(
            connectors,
            environ=around.environ,
            find_secret=secret,
            hide=around.secrets.add,
            cache=around.places.data / _CACHE,
        )

    return _LateGateway(make)


class _LateGateway:
    """Made when it is first used."""

    def __init__(self, make: Callable[[], SaasGatewayPort]) -> None:
        self._make = make
        self._made: SaasGatewayPort | None = None

    async def discover(
        self, query: str | None, *, slug: str | None, context: ToolContext
    ) -> ToolResult:
        return await self._gateway().discover(query, slug=slug, context=context)

    async def execute(
        self, slug: str, arguments: Mapping[str, Any], *, context: ToolContext
    ) -> ToolResult:
        return await self._gateway().execute(slug, arguments, context=context)

    def host_of(self, slug: str) -> str | None:
        return self._gateway().host_of(slug)

    def _gateway(self) -> SaasGatewayPort:
        if self._made is None:
            self._made = self._make()
        return self._made
