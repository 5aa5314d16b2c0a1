"""A client whose id is the address of a page that says who it is."""

from __future__ import annotations

from induscode.capability_deck.mcp_config.servers import OAuthClient
from tests.interop.harbour import free_port
from tests.interop.oauth.realm import Realm, asked

PAGE = "https://example.com/client.json"


def published(realm: Realm) -> OAuthClient:
    """As if the issuer had read the page."""
    port = free_port()
    back = f"http://localhost:{port}/callback"
    asked(f"{realm.issuer}/client", {"client_id": PAGE, "redirect_uris": [back]})
    return OAuthClient(client_id=PAGE, callback_port=port)


async def test_an_issuer_that_reads_pages_registers_nobody(realm: Realm) -> None:
    realm.issues(documents=True)
    await realm.log_in(published(realm))
    assert realm.seen("register") == []
    assert realm.must_keep().client_id == PAGE


async def test_an_issuer_that_reads_none_registers_us(realm: Realm) -> None:
    await realm.log_in(published(realm))
    assert len(realm.seen("register")) == 1
    assert realm.must_keep().client_id != PAGE
