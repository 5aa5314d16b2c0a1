"""Logins in sessions: sent to whom they are for, renewed without a word, never asked for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import msgspec
import pytest

from induscode.capability_deck.mcp_config.servers import OAuthClient, Transport
from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.fleet import Fleet
from induscode.interop.oauth.bearer import bearer_of
from induscode.interop.standing import ServerState
from induscode.interop.watch import Watch
from tests.interop.harbour import SECONDS, Harbour, said, state, until
from tests.interop.oauth.realm import Realm, asked

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


async def test_a_row_with_its_own_header_uses_no_login(harbour: Harbour, realm: Realm) -> None:
    await realm.log_in()
    before = len(realm.tokens_sent())
    fault = await turned_back(harbour, realm, headers={"authorization": "Bearer of-my-own"})
    assert fault.hint == "check the headers of its row"
    assert set(realm.tokens_sent()[before:]) == {"of-my-own"}


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


async def test_what_a_tool_answers_after_a_renewal_is_not_told_as_a_refusal(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    async with connected(harbour, realm) as connection:
        realm.end_tokens()
        with pytest.raises(ServerFault) as caught:
            await connection.read("no://such/resource")
        assert caught.value.kind is ServerFaultKind.FAILED


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


async def test_what_a_login_does_not_allow_is_asked_for_by_the_next_one(
    harbour: Harbour, realm: Realm
) -> None:
    realm.server(scope="read")
    await realm.log_in()
    async with connected(harbour, realm) as connection:
        realm.server(needs="write")
        with pytest.raises(ServerFault) as caught:
            await connection.call("whoami", {})
        assert asks_for_login(caught.value)
        assert "does not allow 'write'" in str(caught.value)
        await realm.log_in()
        assert httpx2.URL(realm.visits[-1].address).params["scope"] == "read write"
        assert said(await connection.call("whoami", {})) == "you are in"
    assert realm.renewals() == []


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
    realm.vault.put(msgspec.structs.replace(realm.must_keep(), resource=clear.url))
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


async def test_a_server_of_events_is_logged_in_to_like_any_other(
    harbour: Harbour, realm: Realm
) -> None:
    await realm.log_in()
    before = len(realm.tokens_sent())
    with pytest.raises(ServerFault):
        await visited(harbour, realm, transport=Transport.SSE)
    assert set(realm.tokens_sent()[before:]) == {realm.must_keep().access}


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
