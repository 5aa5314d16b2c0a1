"""A person's way to a login, and everything that must turn them back."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import httpx2
import pytest

from induscode.capability_deck.mcp_config.servers import OAuthClient
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.oauth.login import Visit, login
from tests.interop.harbour import answers, free_port
from tests.interop.oauth.realm import Realm, asked


async def refused(realm: Realm, **more) -> str:
    """What a login is told that fails; nothing is kept then."""
    with pytest.raises(ServerFault) as caught:
        await realm.log_in(**more)
    assert realm.kept() is None
    return str(caught.value)


async def test_a_login_is_kept_under_its_issuer_and_its_server(realm: Realm) -> None:
    done = await realm.log_in()
    assert done.issuer == realm.issuer
    kept = realm.must_keep()
    assert (kept.issuer, kept.resource) == (realm.issuer, realm.url)
    assert kept.access.startswith("at-")
    assert kept.refresh.startswith("rt-")
    assert realm.tokens_sent() == ["", kept.access]


async def test_the_issuer_is_asked_with_pkce_a_state_and_the_resource(realm: Realm) -> None:
    await realm.log_in()
    query = dict(httpx2.URL(realm.visits[0].address).params)
    assert query["code_challenge_method"] == "S256"
    assert query["resource"] == realm.url
    assert len(query["state"]) > 20
    (exchange,) = realm.seen("token")
    assert exchange["said"]["resource"] == realm.url
    assert query["redirect_uri"].startswith("http://127.0.0.1:")


async def test_the_browser_ends_at_a_plain_page_that_repeats_nothing(realm: Realm) -> None:
    await realm.log_in()
    (page,) = realm.pages
    assert page.status_code == 200
    assert "terminal" in page.text
    code = page.url.params["code"]
    assert code not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


async def test_nothing_listens_any_more_after_a_login(realm: Realm) -> None:
    await realm.log_in()
    assert not answers(realm.pages[0].url.port or 0)


async def test_metadata_of_openid_will_do(realm: Realm) -> None:
    realm.issues(well_known=".well-known/openid-configuration")
    assert (await realm.log_in()).issuer == realm.issuer


async def test_a_server_that_refuses_nothing_at_first_can_be_logged_in_to(realm: Realm) -> None:
    realm.server(open=True)
    await realm.log_in()
    assert realm.tokens_sent()[-1] == realm.must_keep().access


async def test_a_server_that_only_publishes_where_to_look_is_found(realm: Realm) -> None:
    realm.server(hint=False)
    await realm.log_in()
    assert realm.must_keep().announced.endswith("/mcp")


async def test_scopes_of_the_row_win_over_those_of_the_server(realm: Realm) -> None:
    realm.server(scope="all of it")
    await realm.log_in()
    await realm.log_in(OAuthClient(scopes="read write"))
    asked_for = [httpx2.URL(each.address).params["scope"] for each in realm.visits]
    assert asked_for == ["all of it", "read write"]


@pytest.mark.parametrize("methods", [None, ["client_secret_post"]], ids=["header", "form"])
async def test_a_client_that_a_person_registered_is_used(
    realm: Realm, methods: list[str] | None
) -> None:
    port = free_port()
    client = {"client_id": "mine", "client_secret": "hush-hush-hush"}
    back = f"http://localhost:{port}/callback"
    asked(f"{realm.issuer}/client", {**client, "redirect_uris": [back]})
    realm.issues(auth_methods=methods)
    await realm.log_in(OAuthClient("mine", "hush-hush-hush", callback_port=port))
    assert realm.seen("register") == []
    assert realm.must_keep().client_id == "mine"
    assert "hush-hush-hush" not in realm.secrets.text("it is hush-hush-hush")


async def test_headers_of_the_row_go_to_the_server_and_to_nobody_else(
    realm: Realm, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[httpx2.Request] = []
    send = httpx2.AsyncClient._send_single_request

    async def noted(self: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return await send(self, request)

    monkeypatch.setattr(httpx2.AsyncClient, "_send_single_request", noted)
    await realm.log_in(headers={"x-api-key": "of the gateway"})
    to = {str(each.url) for each in sent if "x-api-key" in each.headers}
    assert to == {realm.url}


async def test_an_answer_with_another_state_is_refused(realm: Realm) -> None:
    realm.issues(state="wrong")
    assert "state is not ours" in await refused(realm)
    assert realm.seen("token") == []


@pytest.mark.parametrize(("iss", "promised"), [("wrong", True), ("wrong", False), ("none", True)])
async def test_an_answer_of_another_issuer_or_of_none_where_one_was_promised_is_refused(
    realm: Realm, iss: str, *, promised: bool
) -> None:
    realm.issues(iss=iss, promises_iss=promised)
    assert "iss" in await refused(realm)
    assert realm.seen("token") == []


async def test_an_issuer_that_never_promised_to_name_itself_may_leave_it_out(realm: Realm) -> None:
    realm.issues(iss="none", promises_iss=False)
    await realm.log_in()


async def test_an_issuer_that_calls_itself_something_else_is_refused(realm: Realm) -> None:
    realm.issues(issuer="http://127.0.0.1:1/other")
    assert "issuer mismatch" in await refused(realm)
    assert realm.visits == []


@pytest.mark.parametrize("methods", [None, ["plain"]])
async def test_an_issuer_without_pkce_is_refused(realm: Realm, methods: list[str] | None) -> None:
    realm.issues(methods=methods)
    assert "PKCE" in await refused(realm)
    assert realm.visits == []


async def test_an_issuer_that_says_no_is_quoted(realm: Realm) -> None:
    realm.issues(authorize="deny")
    assert "access_denied: the person said no" in await refused(realm)


async def test_a_refusal_in_the_name_of_another_issuer_is_not_quoted(realm: Realm) -> None:
    realm.issues(authorize="deny", iss="wrong")
    told = await refused(realm)
    assert "iss mismatch" in told
    assert "access_denied" not in told


async def test_an_issuer_that_says_nothing_of_itself_is_refused(realm: Realm) -> None:
    realm.issues(well_known="nowhere")
    assert "says nothing of itself" in await refused(realm, oauth=OAuthClient("mine"))
    assert realm.visits == []


async def test_a_server_that_claims_to_be_another_is_refused(
    realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    realm.server(resource=new_realm().url)
    assert "does not match" in await refused(realm)
    assert realm.visits == []


async def test_a_server_that_names_the_issuer_of_another_gets_no_token_of_it(
    realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    await realm.log_in()
    realm.issues(resources=[realm.place])
    thief = new_realm()
    thief.server(issuers=[realm.issuer], judge=realm.issuer)
    assert "invalid_target" in await refused(thief)
    assert thief.tokens_sent() == [""]


async def test_an_issuer_in_the_clear_is_refused_unless_it_is_this_machine(realm: Realm) -> None:
    realm.server(issuers=["http://issuer.example/x"])
    assert "not https" in await refused(realm)
    realm.server(issuers=[realm.issuer])
    realm.issues(endpoints="http://issuer.example/x")
    assert "not https" in await refused(realm)
    assert "login in the clear" in await refused(realm, oauth=OAuthClient("mine"))
    assert realm.visits == []


async def test_a_server_in_the_clear_is_refused(realm: Realm) -> None:
    assert "not https" in await refused(realm, url="http://mcp.example/mcp")


async def test_a_code_does_not_follow_the_token_endpoint_to_another_place(
    realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    other = new_realm()
    realm.issues(token_redirect=other.issuer.replace("127.0.0.1", "localhost") + "/token")
    assert "redirected" in await refused(realm)
    assert other.seen("token") == []


async def test_a_token_that_the_server_refuses_is_not_kept(realm: Realm) -> None:
    realm.server(judge=f"{realm.issuer}x")
    assert "401" in await refused(realm)


async def test_a_server_without_any_login_says_so(realm: Realm) -> None:
    realm.server(issuers=[])
    assert "says nothing of a login; give its row" in await refused(realm)


async def test_an_issuer_that_registers_nobody_says_what_to_do(realm: Realm) -> None:
    realm.issues(registers=False)
    assert "oauth.clientId" in await refused(realm)


async def test_nobody_is_waited_for_for_ever_and_the_old_login_stays(realm: Realm) -> None:
    await realm.log_in()
    before = realm.must_keep()
    ports: list[int] = []

    async def look_away(visit: Visit) -> None:
        back = httpx2.URL(httpx2.URL(visit.address).params["redirect_uri"])
        ports.append(back.port or 0)

    with pytest.raises(ServerFault) as caught:
        await login(realm.row(), realm.vault, realm.secrets, look_away, seconds=1)
    assert "nobody logged in within 1 s" in str(caught.value)
    assert realm.kept() == before
    assert not answers(ports[0])


async def test_a_login_that_is_stopped_leaves_nothing_behind(realm: Realm) -> None:
    shown: asyncio.Future[Visit] = asyncio.get_running_loop().create_future()

    async def show(visit: Visit) -> None:
        shown.set_result(visit)

    task = asyncio.ensure_future(login(realm.row(), realm.vault, realm.secrets, show))
    back = httpx2.URL(httpx2.URL((await shown).address).params["redirect_uri"])
    assert answers(back.port or 0)
    task.cancel()
    await asyncio.wait((task,))
    assert task.cancelled()
    assert not answers(back.port or 0)


async def test_what_is_no_answer_does_not_end_the_wait(realm: Realm) -> None:
    pages: list[int] = []

    async def stumble(visit: Visit) -> None:
        back = httpx2.URL(visit.address).params["redirect_uri"]
        async with httpx2.AsyncClient() as browser:
            asked = [
                await browser.get(httpx2.URL(back).join(wrong))
                for wrong in ("/other?code=a", "/callback", "/callback?code=a&code=b")
            ]
            asked.append(await browser.post(f"{back}?code=a&state=b"))
        pages.extend(each.status_code for each in asked)
        await realm.browse(visit)

    await login(realm.row(), realm.vault, realm.secrets, stumble, seconds=20)
    assert pages == [404, 404, 404, 404]


async def test_a_login_at_another_issuer_shows_the_old_one_and_replaces_it(
    realm: Realm, new_realm: Callable[[], Realm]
) -> None:
    await realm.log_in()
    other = new_realm()
    realm.server(issuers=[other.issuer], judge=other.issuer)
    await realm.log_in()
    assert realm.visits[-1].before == realm.issuer
    assert realm.vault.issuers(realm.url) == (other.issuer,)


async def test_an_address_that_cannot_be_reached_is_said_to_be_so(realm: Realm) -> None:
    with pytest.raises(ServerFault) as caught:
        await realm.log_in(url=f"http://127.0.0.1:{free_port()}/mcp")
    assert caught.value.kind is ServerFaultKind.NOT_REACHED


async def test_an_answer_that_makes_no_sense_is_said_to_be_none(realm: Realm) -> None:
    realm.issues(lifetime=10**400)
    assert "answer is none" in await refused(realm)


async def test_a_port_that_somebody_else_has_is_told(realm: Realm) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "already in use" in await refused(realm, oauth=OAuthClient(callback_port=port))
