"""Credentials: sent as configured, to whom they belong, and never shown."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.capability_deck.connectors.service import Reply, Seen, Service, answer, shop
from tests.capability_deck.connectors.shelf import KEY, TEXT, desk


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as running:
        yield running


@pytest.mark.parametrize(
    ("auth", "header", "value"),
    [
        ({"type": "bearer", "value_env": "K"}, "authorization", f"Bearer {KEY}"),
        (
            {"type": "basic", "value_env": "K", "user": "ann"},
            "authorization",
            f"Basic {base64.b64encode(f'ann:{KEY}'.encode()).decode()}",
        ),
        ({"type": "header", "name": "X-API-Key", "value_env": "K"}, "x-api-key", KEY),
        (
            {"type": "header", "name": "Authorization", "prefix": "Token ", "value_env": "K"},
            "authorization",
            f"Token {KEY}",
        ),
    ],
)
async def test_a_credential_travels_in_its_header(
    tmp_path: Path, service: Service, auth: dict[str, str], header: str, value: str
) -> None:
    at = desk(tmp_path, service, auth=auth, environ={"K": f" {KEY}\n"})
    await at.execute("SHOP_ITEMS_GET", id="1")
    assert service.last.headers[header] == value
    assert at.hidden == [("key of shop", KEY)]


async def test_a_credential_travels_in_the_query_and_comes_from_the_keys_that_are_kept(
    tmp_path: Path, service: Service
) -> None:
    auth = {"type": "query", "name": "api_key", "secret": "shop"}
    at = desk(tmp_path, service, auth=auth, secrets={"shop": "a&b=0123456789"})
    await at.execute("SHOP_ITEMS_GET", id="1", fields=["x"])
    assert service.last.target == "/v2/items/1?fields=x&api_key=a%26b%3D0123456789"


async def test_a_parameter_that_carries_the_credential_is_no_argument(
    tmp_path: Path, service: Service
) -> None:
    declared = [
        {"name": "api_key", "in": "query", "required": True, "schema": TEXT},
        {"name": "Authorization", "in": "header", "required": True, "schema": TEXT},
    ]
    document = shop(me={"get": {"operationId": "me", "parameters": declared}})
    auth = {"type": "query", "name": "api_key", "value_env": "K"}
    at = desk(tmp_path, service, document, auth=auth, environ={"K": KEY})
    await at.execute("SHOP_ME")
    assert service.last.target == f"/v2/me?api_key={KEY}"
    assert "has no argument `api_key`" in await at.refused("SHOP_ME", api_key="mine")
    assert "api_key" not in await at.discover(slug="SHOP_ME")


@pytest.mark.parametrize(
    ("auth", "environ", "told"),
    [
        ({"type": "bearer", "value_env": "K"}, {}, "the variable K has no value; set it"),
        ({"type": "bearer", "secret": "shop"}, {}, "run: indus login shop"),
        ({"type": "bearer", "value_env": "K"}, {"K": "two\nlines"}, "one line of ASCII"),
        ({"type": "basic", "value_env": "K"}, {"K": "nouser"}, "has no user"),
    ],
)
async def test_a_missing_or_unusable_credential_is_told_and_nothing_is_sent(
    tmp_path: Path, service: Service, auth: dict[str, str], environ: dict[str, str], told: str
) -> None:
    said = await desk(tmp_path, service, auth=auth, environ=environ).refused(
        "SHOP_ITEMS_GET", id="1"
    )
    assert told in said
    assert "nouser" not in said
    assert service.seen == []


@pytest.mark.parametrize("key", [KEY, "abc", 'q"uote\\d-0123456789'])
async def test_a_service_that_repeats_the_credential_does_not_show_it(
    tmp_path: Path, service: Service, key: str
) -> None:
    def echo(seen: Seen) -> Reply:
        told = {"you sent": seen.headers["authorization"], "plain": key}
        return answer(told, 200 if seen.method == "GET" else 400, link=f"<https://x/?k={key}>")

    service.answering = echo
    auth = {"type": "basic", "value_env": "K", "user": "ann"}
    at = desk(tmp_path, service, auth=auth, environ={"K": key})
    good = await at.execute("SHOP_ITEMS_GET", id="1")
    bad = await at.refused("SHOP_ITEMS_PUT", id="1", body={"name": "x"})
    coded = base64.b64encode(f"ann:{key}".encode()).decode().rstrip("=")
    for said in (good, bad):
        assert key not in said
        assert json.dumps(key)[1:-1] not in said
        assert coded not in said
        assert "[redacted: key of shop]" in said


async def test_a_redirect_on_the_same_origin_is_followed_with_the_credential(
    tmp_path: Path, service: Service
) -> None:
    def move(seen: Seen) -> Reply:
        return (
            answer({"ok": 1}) if "moved" in seen.target else answer({}, 302, location="/moved?x=1")
        )

    service.answering = move
    auth = {"type": "bearer", "value_env": "K"}
    at = desk(tmp_path, service, auth=auth, environ={"K": KEY})
    assert '"ok": 1' in await at.execute("SHOP_ITEMS_GET", id="1")
    assert service.last.target == "/moved?x=1"
    assert service.last.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("kind", ["bearer", "query"])
async def test_a_redirect_to_another_origin_is_not_followed(
    tmp_path: Path, service: Service, kind: str
) -> None:
    with Service() as elsewhere:
        service.answering = lambda _: answer({}, 302, location=f"{elsewhere.origin}/steal")
        name = {"name": "k"} if kind == "query" else {}
        auth = {"type": kind, "value_env": "K", **name}
        at = desk(tmp_path, service, auth=auth, environ={"K": KEY})
        said = await at.refused("SHOP_ITEMS_GET", id="1")
        assert "answered 302" in said
        assert f"location: {elsewhere.origin}/steal" in said
        assert elsewhere.seen == []
