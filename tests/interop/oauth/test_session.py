"""Logins in sessions: used without a word, never asked for."""

from __future__ import annotations

import time

import msgspec
import pytest

from induscode.capability_deck.mcp_config.servers import Transport
from induscode.interop.faults import ServerFault
from induscode.interop.fleet import Fleet
from induscode.interop.standing import ServerState
from tests.interop.harbour import SECONDS, Harbour, said, state
from tests.interop.oauth.calling import asks_for_login, connected, turned_back, visited
from tests.interop.oauth.realm import Realm


async def test_a_session_has_what_a_person_logged_in_to(harbour: Harbour, realm: Realm) -> None:
    await realm.log_in()
    assert await visited(harbour, realm) == "you are in"
    assert set(realm.tokens_sent()[2:]) == {realm.must_keep().access}
    assert realm.renewals() == []


async def test_without_a_login_the_server_fails_and_says_how_to_log_in(
    harbour: Harbour, realm: Realm
) -> None:
    ground = msgspec.structs.replace(harbour.ground(), vault=realm.vault)
    fleet = Fleet([realm.row()], ground, harbour.news.append)
    fleet.start()
    await fleet.settled(SECONDS)
    assert state(fleet, "far") is ServerState.FAILED
    fault = fleet.standings()[0].fault
    assert fault is not None
    assert asks_for_login(fault)
    assert realm.seen("authorize") == realm.seen("register") == []
    await fleet.close()


async def test_a_login_made_meanwhile_is_found_without_a_new_connection(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    async with connected(harbour, realm) as connection:
        realm.end_tokens(renewal=True)
        with pytest.raises(ServerFault) as caught:
            await connection.call("whoami", {})
        assert asks_for_login(caught.value)
        await realm.log_in()
        assert said(await connection.call("whoami", {})) == "you are in"


async def test_a_server_of_events_is_logged_in_to_like_any_other(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    before = len(realm.tokens_sent())
    with pytest.raises(ServerFault):
        await visited(harbour, realm, transport=Transport.SSE)
    assert set(realm.tokens_sent()[before:]) == {realm.must_keep().access}


async def test_a_damaged_file_is_named_and_nothing_breaks(harbour: Harbour, realm: Realm) -> None:
    await realm.log_in()
    file = realm.folder / "mcp-credentials.json"
    file.write_text("{")
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert str(file) in str(fault)
    assert "remove it and log in again" in str(fault)


async def test_the_lock_of_a_login_that_somebody_holds_is_not_waited_for_for_ever(
    realm: Realm,
) -> None:
    began = time.monotonic()
    async with realm.vault.alone("https://a", "https://b", 1):
        with pytest.raises(TimeoutError, match="another process"):
            async with realm.vault.alone("https://a", "https://b", 0.1):
                pass
        async with realm.vault.alone("https://a", "https://other", 0.1):
            pass
    assert time.monotonic() - began < 10
