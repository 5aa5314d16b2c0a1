"""The way to a service: TLS whose authority is configured, and proxies."""

from __future__ import annotations

import json
import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.capability_deck.connectors.service import Desk, Service, answer, shop
from tests.fakes.proxy import Proxy

KEY = "sk-live-0123456789abcdef"


def desk(tmp_path: Path, base: str, environ: dict[str, str]) -> Desk:
    (tmp_path / "api.json").write_text(json.dumps(shop(ping={"get": {"operationId": "ping"}})))
    auth = {"type": "bearer", "value_env": "K"}
    table: dict[str, Any] = {"openapi": "api.json", "base_url": base, "auth": auth}
    return Desk(tmp_path, {"api": table}, environ={"K": KEY, **environ})


def secured(tmp_path: Path, name: str) -> tuple[ssl.SSLContext, dict[str, str]]:
    """A server's certificate for `name`, and the variable that makes a client trust it."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return context, {"SSL_CERT_FILE": str(tmp_path / "ca.pem")}


async def test_a_service_is_called_over_tls(tmp_path: Path) -> None:
    context, trusted = secured(tmp_path, "127.0.0.1")
    with Service(tls=context) as service:
        await desk(tmp_path, service.origin, trusted).execute("API_PING")
        assert service.last.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("name", ["127.0.0.1", "other.example"])
async def test_a_certificate_that_is_not_trusted_or_not_the_hosts_ends_the_call(
    tmp_path: Path, name: str
) -> None:
    context, trusted = secured(tmp_path, name)
    with Service(tls=context) as service:
        environ = {} if name == "127.0.0.1" else trusted
        said = await desk(tmp_path, service.origin, environ).refused("API_PING")
        assert "the certificate of 127.0.0.1" in said
        assert service.seen == []


async def test_a_proxy_of_the_environment_is_used(tmp_path: Path) -> None:
    with Service() as service, Proxy({"api.example": service.port}) as proxy:
        environ = {"http_proxy": f"http://{proxy.address}"}
        await desk(tmp_path, "http://api.example", environ).execute("API_PING")
        assert [each.target for each in proxy.asked] == ["http://api.example/ping"]
        assert service.last.headers["host"] == "api.example"


async def test_a_tunnel_shows_the_proxy_no_credential(tmp_path: Path) -> None:
    context, trusted = secured(tmp_path, "api.example")
    with Service(tls=context) as service, Proxy({"api.example": service.port}) as proxy:
        environ = {"https_proxy": f"http://{proxy.address}", **trusted}
        await desk(tmp_path, "https://api.example", environ).execute("API_PING")
        assert [each.method for each in proxy.asked] == ["CONNECT"]
        assert KEY not in str(proxy.asked)
        assert service.last.target == "/ping"


async def test_a_proxy_that_cannot_be_used_is_told_without_its_password(tmp_path: Path) -> None:
    at = desk(tmp_path, "http://api.example", {"http_proxy": "socks5://u:hunter2@x"})
    said = await at.refused("API_PING")
    assert "http_proxy" in said
    assert "hunter2" not in said


async def test_a_document_is_fetched_where_it_moved_to_but_never_from_https_to_http(
    tmp_path: Path,
) -> None:
    context, trusted = secured(tmp_path, "127.0.0.1")
    document = shop(ping={"get": {"operationId": "ping"}})
    with Service(lambda _: answer(document)) as plain, Service(tls=context) as secure:
        moved = answer({}, 302, location=f"{plain.origin}/spec")
        with Service(lambda _: moved) as first:
            table = {"net": {"openapi": f"{first.origin}/spec"}}
            assert "NET_PING" in await Desk(tmp_path, table).discover()
        asked = len(plain.seen)
        secure.answering = lambda _: moved
        table = {"net": {"openapi": f"{secure.origin}/spec"}}
        said = await Desk(tmp_path, table, environ=trusted).refused("NET_PING")
        assert f"{secure.origin}/spec answers 302" in said
        assert len(plain.seen) == asked
