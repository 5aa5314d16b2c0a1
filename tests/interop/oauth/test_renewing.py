"""A login is renewed silently, once, whoever else wants it at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx2
import msgspec
import pytest

from induscode.capability_deck.mcp_config.servers import OAuthClient
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.oauth import bearer
from induscode.interop.oauth.bearer import bearer_of
from induscode.interop.oauth.login import login
from induscode.interop.watch import Watch
from tests.interop.harbour import Harbour, said, until
from tests.interop.oauth.calling import asks_for_login, connected, turned_back, visited, visitors
from tests.interop.oauth.realm import Realm, asked


async def test_a_token_at_its_end_is_renewed_before_it_is_sent(
    harbour: Harbour, realm: Realm
) -> None:
    realm.issues(lifetime=0)
    await realm.log_in()
    old = realm.must_keep()
    realm.issues(lifetime=3600)
    assert await visited(harbour, realm) == "you are in"
    assert len(realm.renewals()) == 1
    new = realm.must_keep()
    assert new.access != old.access
    assert new.refresh != old.refresh
    assert set(realm.tokens_sent()[2:]) == {new.access}


async def test_a_token_that_the_server_does_not_take_any_more_is_renewed_once(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    async with connected(harbour, realm) as connection:
        realm.end_tokens()
        calls = [connection.call("whoami", {}) for _ in range(5)]
        assert {said(each) for each in await asyncio.gather(*calls)} == {"you are in"}
    assert len(realm.renewals()) == 1
    assert realm.renewals()[0]["said"]["resource"] == realm.url


async def test_a_refusal_that_a_renewal_cured_is_not_told_of_what_follows(realm: Realm) -> None:
    await realm.log_in()
    watch = Watch()
    made = bearer_of(realm.row(), realm.vault, realm.secrets, watch)
    assert made is not None
    flow = made.async_auth_flow(httpx2.Request("POST", realm.url))
    with watch.asking() as answered:
        await anext(flow)
        watch.answered(401)
        await flow.asend(httpx2.Response(401))
        assert answered.status == 0
    await flow.aclose()


async def test_a_renewal_that_brings_no_new_token_for_renewing_keeps_the_old_one(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    old = realm.must_keep()
    realm.issues(rotates=False)
    for _ in range(2):
        realm.end_tokens()
        assert await visited(harbour, realm) == "you are in"
    assert realm.must_keep().refresh == old.refresh


async def test_a_server_of_old_that_is_its_own_issuer_is_logged_in_to_and_renewed(
    realm: Realm, issuer_port: int
) -> None:
    origin = f"http://127.0.0.1:{issuer_port}"
    old = realm.row(url=f"{origin}/origin/mcp")
    done = await login(old, realm.vault, realm.secrets, realm.browse, seconds=20)
    assert done.issuer == origin
    before = realm.vault.get(origin, old.url)
    assert before is not None
    assert before.announced == ""
    asked(f"{origin}/origin/end", {})
    made = bearer_of(old, realm.vault, realm.secrets, Watch())
    async with httpx2.AsyncClient(auth=made) as http:
        assert (await http.post(old.url)).status_code == 200
    after = realm.vault.get(origin, old.url)
    assert after is not None
    assert after.refresh != before.refresh


async def test_a_registered_client_proves_itself_when_it_renews(
    harbour: Harbour, realm: Realm
) -> None:
    client = {"client_id": "mine", "client_secret": "hush-hush-hush"}
    await realm.log_in()
    redirect = realm.seen("register")[0]["said"]["redirect_uris"][0]
    port = httpx2.URL(redirect).port or 0
    back = f"http://localhost:{port}/callback"
    asked(f"{realm.issuer}/client", {**client, "redirect_uris": [back]})
    await realm.log_in(OAuthClient("mine", "hush-hush-hush", callback_port=port))
    realm.end_tokens()
    assert await visited(harbour, realm) == "you are in"


async def test_a_refused_renewal_asks_for_a_login_and_is_not_tried_again(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    realm.end_tokens(renewal=True)
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert "invalid_grant" in str(fault)
    assert realm.kept() is None
    assert asks_for_login(await turned_back(harbour, realm))
    assert len(realm.renewals()) == 1


async def test_a_token_that_cannot_be_renewed_asks_for_a_login(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    realm.vault.put(msgspec.structs.replace(realm.must_keep(), refresh="", expires=1.0))
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert "is over" in str(fault)
    assert realm.renewals() == []


async def test_an_issuer_in_trouble_is_waited_for_and_the_login_stays(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    old = realm.must_keep()
    realm.end_tokens()
    realm.issues(token_status=503)
    fault = await turned_back(harbour, realm)
    assert fault.kind is ServerFaultKind.NOT_REACHED
    assert not fault.kind.lasting
    assert realm.kept() == old
    realm.issues(token_status=0)
    assert await visited(harbour, realm) == "you are in"


async def test_an_issuer_that_does_not_answer_holds_nobody(
    harbour: Harbour, realm: Realm, monkeypatch: pytest.MonkeyPatch
) -> None:
    await realm.log_in()
    realm.end_tokens()
    realm.issues(token_hangs=True)
    monkeypatch.setattr(bearer, "SETTLE_SECONDS", 0.2)
    fault = await turned_back(harbour, realm, startup_seconds=1.0)
    assert "was not ready within 1 s" in str(fault)
    assert len(realm.renewals()) == 1


async def test_an_issuer_that_promises_more_time_than_there_is_is_refused(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    realm.end_tokens()
    realm.issues(lifetime=10**400)
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert "more seconds than there are" in str(fault)


async def test_a_server_that_refuses_every_token_does_not_have_it_renewed_all_the_time(
    harbour: Harbour, realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    await realm.log_in()
    async with connected(harbour, realm) as connection:
        realm.server(judge=new_realm().issuer)
        for _ in range(3):
            with pytest.raises(ServerFault) as caught:
                await connection.call("whoami", {})
            assert asks_for_login(caught.value)
    assert len(realm.renewals()) == 1


async def test_a_token_for_renewing_does_not_follow_the_endpoint_to_another_place(
    harbour: Harbour, realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    await realm.log_in()
    realm.end_tokens()
    other = new_realm()
    realm.issues(token_redirect=other.issuer.replace("127.0.0.1", "localhost") + "/token")
    assert asks_for_login(await turned_back(harbour, realm))
    assert other.seen("token") == []
    assert realm.kept() is not None


async def test_two_processes_renew_a_login_once(realm: Realm) -> None:
    realm.issues(lifetime=0)
    await realm.log_in()
    realm.issues(lifetime=3600, waits_for=2)
    assert [out for out, _ in visitors(realm, 2)] == ["you are in\n"] * 2
    assert len(realm.renewals()) == 1


async def test_two_connections_of_one_process_renew_a_login_once(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    realm.end_tokens()
    realm.issues(waits_for=2)
    both = await asyncio.gather(visited(harbour, realm), visited(harbour, realm))
    assert both == ["you are in", "you are in"]
    assert len(realm.renewals()) == 1


async def test_a_renewal_is_kept_when_whoever_wanted_it_leaves_meanwhile(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    old = realm.must_keep()
    async with connected(harbour, realm) as connection:
        realm.end_tokens()
        realm.issues(waits_for=2)
        call = asyncio.ensure_future(connection.call("whoami", {}))
        await until(realm.renewals)
        call.cancel()
        await asyncio.wait((call,))
    new = realm.must_keep()
    assert new.refresh != old.refresh
    assert await visited(harbour, realm) == "you are in"
