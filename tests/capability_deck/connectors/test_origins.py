"""Who is called, and who gets the credential: never whom a document chooses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck.connectors.subject import calls_service
from induscode.capability_deck.contract import DeckContext
from induscode.policy.subject import NoSubject, SessionSubject, UrlSubject
from tests.capability_deck.connectors.service import Desk, Service, answer, shop

KEY = "sk-live-0123456789abcdef"
AUTH = {"type": "bearer", "value_env": "K"}


def document(servers: Any, operation_servers: Any = None) -> dict[str, Any]:
    node: dict[str, Any] = {"operationId": "ping"}
    if operation_servers is not None:
        node["servers"] = operation_servers
    return {**shop(ping={"get": node}), "servers": servers}


def at(tmp_path: Path, spec: object, table: dict[str, Any]) -> Desk:
    (tmp_path / "api.json").write_text(json.dumps(spec))
    return Desk(tmp_path, {"api": {"openapi": "api.json", **table}}, environ={"K": KEY})


async def test_with_a_base_url_the_servers_of_the_document_are_not_asked(tmp_path: Path) -> None:
    with Service() as service, Service() as thief:
        spec = document([{"url": f"{thief.origin}/v1"}])
        desk = at(tmp_path, spec, {"base_url": f"{service.origin}/v9", "auth": AUTH})
        await desk.execute("API_PING")
        assert service.last.target == "/v9/ping"
        assert thief.seen == []


async def test_an_operation_with_a_server_elsewhere_is_refused_and_says_what_to_configure(
    tmp_path: Path,
) -> None:
    with Service() as service, Service() as thief:
        spec = document([], [{"url": f"{thief.origin}/v1"}])
        desk = at(tmp_path, spec, {"base_url": service.origin, "auth": AUTH})
        said = await desk.refused("API_PING")
        assert f"is at {thief.origin}, which is not {service.origin}" in said
        assert KEY not in said
        assert thief.seen == service.seen == []


async def test_an_operation_with_a_server_on_the_same_origin_is_called_there(
    tmp_path: Path,
) -> None:
    with Service() as service:
        desk = at(tmp_path, document([], [{"url": "/up"}]), {"base_url": f"{service.origin}/v1"})
        await desk.execute("API_PING")
        assert service.last.target == "/up/ping"


@pytest.mark.parametrize("auth", [{}, {"auth": AUTH}])
async def test_a_fetched_document_is_called_on_its_own_origin_and_on_no_other(
    tmp_path: Path, auth: dict[str, Any]
) -> None:
    with Service() as service, Service() as thief:
        spec = document([{"url": "/v3"}])
        service.answering = lambda seen: answer(spec if "spec" in seen.target else {})
        table = {"net": {"openapi": f"{service.origin}/spec", **auth}}
        await Desk(tmp_path, table, environ={"K": KEY}).execute("NET_PING")
        assert service.last.target == "/v3/ping"
        assert service.seen[0].headers.get("authorization") is None
        assert service.last.headers.get("authorization") == (f"Bearer {KEY}" if auth else None)
        spec["servers"] = [{"url": f"{thief.origin}/v3"}]
        said = await Desk(tmp_path, table, environ={"K": KEY}).refused("NET_PING")
        assert f'write base_url = "{thief.origin}/v3"' in said
        assert thief.seen == []


async def test_a_local_document_without_a_credential_is_called_where_it_says(
    tmp_path: Path,
) -> None:
    with Service() as service:
        port = service.origin.rpartition(":")[2]
        server = {
            "url": "http://{host}:{port}/{base}",
            "variables": {"host": {"default": "127.0.0.1"}, "port": {"default": port},
                          "base": {"default": "v4"}},
        }  # fmt: skip
        desk = at(tmp_path, document([server]), {})
        await desk.execute("API_PING")
        assert service.last.target == "/v4/ping"


@pytest.mark.parametrize("servers", [[], [{"url": "/v1"}], [{"url": "https://{x}"}], [{"url": 7}]])
async def test_a_local_document_that_does_not_say_where_asks_for_a_base_url(
    tmp_path: Path, servers: Any
) -> None:
    said = await at(tmp_path, document(servers), {}).refused("API_PING")
    assert "does not say where its service is" in said
    assert "write it, like base_url" in said


async def test_swagger_2_says_where_in_its_own_words(tmp_path: Path) -> None:
    with Service() as service:
        spec = {
            "swagger": "2.0",
            "host": service.origin.removeprefix("http://"),
            "basePath": "/v5",
            "schemes": ["http"],
            "paths": {"/ping": {"get": {"operationId": "ping"}}},
        }
        await at(tmp_path, spec, {}).execute("API_PING")
        assert service.last.target == "/v5/ping"


def subject(desk: Desk, **arguments: Any) -> object:
    return calls_service(arguments, desk.deck)


def test_the_gate_learns_the_host_before_anything_is_sent(tmp_path: Path) -> None:
    based = at(tmp_path, document([]), {"base_url": "https://API.Example.com/v1"})
    assert subject(based, action="execute", slug="API_PING") == UrlSubject("api.example.com")
    local = at(tmp_path, document([{"url": "https://own.example.com"}]), {})
    assert subject(local, action="execute", slug="API_PING") == UrlSubject("own.example.com")
    fetched = Desk(tmp_path, {"net": {"openapi": "https://docs.example.com/spec.json"}})
    assert subject(fetched, action="execute", slug="NET_X") == UrlSubject("docs.example.com")
    assert subject(local, action="discover") == SessionSubject()
    for arguments in ({"slug": "API_NO"}, {"slug": "NO"}, {"slug": 5}, {}):
        assert subject(local, action="execute", **arguments) == NoSubject()
    bare = DeckContext(tmp_path)
    assert calls_service({"action": "execute", "slug": "API_PING"}, bare) == NoSubject()
