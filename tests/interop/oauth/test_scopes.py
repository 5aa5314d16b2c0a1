"""A login that is good for less than a server wants: the next one asks for more."""

from __future__ import annotations

import httpx2
import msgspec
import pytest

from induscode.capability_deck.mcp_config.servers import OAuthClient
from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFault, ServerFaultKind
from tests.interop.harbour import Harbour, said
from tests.interop.oauth.calling import connected
from tests.interop.oauth.realm import Realm


async def called(harbour: Harbour, realm: Realm) -> str:
    ground = msgspec.structs.replace(harbour.ground(), vault=realm.vault)
    connection = Connection(realm.row(), ground, lambda _: None)
    try:
        await connection.open()
        return said(await connection.call("whoami", {}))
    finally:
        await connection.close()


def asked_for(realm: Realm) -> list[set[str]]:
    """The scopes of each visit."""
    pages = [httpx2.URL(each.address).params for each in realm.visits]
    return [set(page.get("scope", "").split()) for page in pages]


async def test_what_a_server_missed_is_asked_for_by_the_next_login(
    harbour: Harbour, realm: Realm
) -> None:
    realm.server(scope="read", demands="write")
    await realm.log_in()
    with pytest.raises(ServerFault) as caught:
        await called(harbour, realm)
    assert caught.value.kind is ServerFaultKind.NOT_AUTHORIZED
    assert "its login does not allow 'write'" in str(caught.value)
    assert caught.value.hint == "run: indus mcp login far"

    await realm.log_in()
    assert asked_for(realm) == [{"read"}, {"read", "write"}]
    assert await called(harbour, realm) == "you are in"
    assert realm.must_keep().wanted == ""


async def test_it_is_asked_for_besides_the_scopes_of_the_row(
    harbour: Harbour, realm: Realm
) -> None:
    realm.server(demands="write")
    mine = OAuthClient(scopes="read")
    await realm.log_in(mine)
    with pytest.raises(ServerFault):
        await called(harbour, realm)
    await realm.log_in(mine)
    assert asked_for(realm) == [{"read"}, {"read", "write"}]


async def test_a_wider_login_made_meanwhile_serves_the_same_connection(
    harbour: Harbour, realm: Realm
) -> None:
    realm.server(scope="read", demands="write")
    await realm.log_in()
    async with connected(harbour, realm) as connection:
        with pytest.raises(ServerFault):
            await connection.call("whoami", {})
        await realm.log_in()
        assert said(await connection.call("whoami", {})) == "you are in"
    assert realm.must_keep().wanted == ""
    assert realm.renewals() == []
