"""A login taken back on our side; the issuer is not told."""

from __future__ import annotations

from mcp.shared.auth_utils import resource_url_from_server_url

from induscode.capability_deck.mcp_config.servers import RemoteServer
from induscode.interop.oauth.credential import Vault

__all__ = ["forget"]


def forget(server: RemoteServer, vault: Vault) -> tuple[str, ...]:
    """Forget every login at a server; returns the issuers that they were of. Raises
    `ConfigError`."""
    resource = resource_url_from_server_url(server.url)
    issuers = vault.issuers(resource)
    for issuer in issuers:
        vault.remove(issuer, resource)
    return issuers
