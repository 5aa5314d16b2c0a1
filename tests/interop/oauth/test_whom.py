"""To whom a login is sent: the server that it is for, the issuer that gave it, nobody else."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import msgspec

from induscode.interop.oauth.bearer import bearer_of
from induscode.interop.watch import Watch
from tests.interop.harbour import Harbour
from tests.interop.oauth.calling import asks_for_login, turned_back, visited, visitors
from tests.interop.oauth.realm import Realm


async def test_a_row_with_its_own_header_uses_no_login(harbour: Harbour, realm: Realm) -> None:
    await realm.log_in()
    before = len(realm.tokens_sent())
    fault = await turned_back(harbour, realm, headers={"authorization": "Bearer of-my-own"})
    assert fault.hint == "check the headers of its row"
    assert set(realm.tokens_sent()[before:]) == {"of-my-own"}


async def test_a_server_that_names_another_issuer_now_gets_nothing_of_the_old_one(
    harbour: Harbour, realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    await realm.log_in()
    other = new_realm()
    realm.server(issuers=[other.issuer])
    before = len(realm.tokens_sent())
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert f"its issuer is {other.issuer} now" in str(fault)
    assert set(realm.tokens_sent()[before:]) == {""}
    assert other.seen("token") == realm.renewals() == []


async def test_a_server_that_does_not_name_its_issuer_any_more_gets_nothing(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    realm.server(tells=False)
    before = len(realm.tokens_sent())
    assert asks_for_login(await turned_back(harbour, realm))
    assert set(realm.tokens_sent()[before:]) == {""}


async def test_a_server_that_calls_itself_another_now_gets_nothing(
    harbour: Harbour, realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    await realm.log_in()
    realm.server(resource=new_realm().url)
    before = len(realm.tokens_sent())
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert "is about" in str(fault)
    assert set(realm.tokens_sent()[before:]) == {""}


async def test_a_login_goes_to_the_server_and_to_no_other_place(realm: Realm) -> None:
    await realm.log_in()
    bearer = bearer_of(realm.row(), realm.vault, realm.secrets, Watch())
    assert bearer is not None
    sent = {}
    for url in (realm.url, realm.issuer, realm.url.replace("127.0.0.1", "localhost")):
        request = await anext(bearer.async_auth_flow(httpx2.Request("POST", url)))
        sent[url] = request.headers.get("authorization")
    assert list(sent.values()) == [f"Bearer {realm.must_keep().access}", None, None]


async def test_a_login_is_not_sent_in_the_clear(realm: Realm) -> None:
    await realm.log_in()
    clear = realm.row(url="http://mcp.example/mcp")
    kept = msgspec.structs.replace(realm.must_keep(), resource=clear.url, announced="")
    realm.vault.put(kept)
    bearer = bearer_of(clear, realm.vault, realm.secrets, Watch())
    assert bearer is not None
    request = await anext(bearer.async_auth_flow(httpx2.Request("POST", clear.url)))
    assert "authorization" not in request.headers


async def test_an_issuer_that_calls_itself_something_else_now_is_not_given_the_token_for_renewing(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    realm.end_tokens()
    realm.issues(issuer="http://127.0.0.1:1/other")
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert "issuer mismatch" in str(fault)
    assert realm.renewals() == []


async def test_an_issuer_whose_endpoint_is_in_the_clear_is_not_given_the_token_for_renewing(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    realm.end_tokens()
    realm.issues(endpoints="http://issuer.example/x")
    fault = await turned_back(harbour, realm)
    assert asks_for_login(fault)
    assert "not https" in str(fault)


async def test_a_server_that_names_the_issuer_of_another_is_sent_nothing(
    harbour: Harbour, realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    await realm.log_in()
    thief = new_realm()
    thief.server(issuers=[realm.issuer], judge=realm.issuer)
    assert asks_for_login(await turned_back(harbour, thief))
    assert set(thief.tokens_sent()) == {""}


async def test_tokens_are_secrets_from_the_moment_they_are_known(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    old = realm.must_keep()
    realm.end_tokens()
    await visited(harbour, realm)
    new = realm.must_keep()
    for each in (old.access, old.refresh, new.access, new.refresh):
        assert each not in harbour.secrets.text(f"it is {each}.")


async def test_nothing_of_a_login_is_printed_whatever_happens(realm: Realm) -> None:
    await realm.log_in()
    known = [realm.must_keep()]
    realm.end_tokens()
    printed = "".join(visitors(realm, 1)[0])
    known.append(realm.must_keep())
    realm.end_tokens(renewal=True)
    printed += "".join(visitors(realm, 1)[0])
    assert "you are in" in printed
    assert "indus mcp login far" in printed
    for each in known:
        for secret in each.secrets():
            assert secret not in printed
