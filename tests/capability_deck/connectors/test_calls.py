"""Calls of a service on loopback: what it is sent, and what the model is told of its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck.connectors.http import Patience
from induscode.capability_deck.connectors.limits import ANSWER_BYTES, ERROR_CHARACTERS
from induscode.errors import Cancelled
from induscode.kernel.content import plain_text
from tests.capability_deck.connectors.service import Reply, Service, answer, shop
from tests.capability_deck.connectors.shelf import KEY, TEXT, desk


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as running:
        yield running


async def test_a_call_sends_path_query_header_and_cookie_and_returns_json_laid_out(
    tmp_path: Path, service: Service
) -> None:
    service.answering = lambda _: answer({"name": "chair", "price": 3})
    said = await desk(tmp_path, service).execute(
        "SHOP_ITEMS_GET", id="a/b c", fields=["x", "y&z"], **{"X-Trace": "t1", "sid": "s;1"}
    )
    assert said == '200 OK\n{\n "name": "chair",\n "price": 3\n}'
    seen = service.last
    assert (seen.method, seen.target) == ("GET", "/v2/items/a%2Fb%20c?fields=x&fields=y%26z")
    assert seen.headers["x-trace"] == "t1"
    assert seen.headers["cookie"] == "sid=s%3B1"


async def test_a_body_is_sent_as_json_and_what_only_the_service_sets_is_not_demanded(
    tmp_path: Path, service: Service
) -> None:
    await desk(tmp_path, service).execute(
        "SHOP_ITEMS_PUT", id="1", body={"name": "é", "size": None}
    )
    assert service.last.json == {"name": "é", "size": None}
    assert service.last.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("slug", "arguments", "told"),
    [
        ("SHOP_ITEMS_GET", {}, "needs the argument `id`"),
        ("SHOP_ITEMS_GET", {"id": 5}, "`id` of SHOP_ITEMS_GET must be a string"),
        ("SHOP_ITEMS_GET", {"id": "1", "field": ["x"]}, "Did you mean `fields`?"),
        ("SHOP_ITEMS_GET", {"id": "1", "fields": "x"}, "must be an array"),
        ("SHOP_ITEMS_GET", {"id": ""}, "cannot be empty"),
        ("SHOP_ITEMS_GET", {"id": "1", "X-Trace": "a\r\nb: c"}, "one line of ASCII"),
        ("SHOP_ITEMS_GET", {"id": "\ud800"}, "half a character"),
        ("SHOP_ITEMS_PUT", {"id": "1"}, "needs the argument `body`"),
        ("SHOP_ITEMS_PUT", {"id": "1", "name": "x"}, "takes `name` inside the argument `body`"),
        ("SHOP_ITEMS_PUT", {"id": "1", "body": {"size": 1}}, "needs the argument `body.name`"),
        ("SHOP_ITEMS_PUT", {"id": "1", "body": {"name": "x", "size": "big"}}, "`body.size`"),
        ("SHOP_ITEM_GET", {}, "Did you mean SHOP_ITEMS_GET"),
        ("SHED_ITEMS_GET", {}, "There is no operation SHED_ITEMS_GET. Connectors: shop."),
    ],
)
async def test_a_wrong_call_is_told_in_a_sentence_and_never_sent(
    tmp_path: Path, service: Service, slug: str, arguments: dict[str, Any], told: str
) -> None:
    assert told in await desk(tmp_path, service).refused(slug, **arguments)
    assert service.seen == []


@pytest.mark.parametrize("value", ["..", ".", "../x", "a/../../x", "..\\x", "x/..", "..;v=1"])
async def test_a_path_parameter_cannot_step_out_of_its_segment(
    tmp_path: Path, service: Service, value: str
) -> None:
    assert "steps of a path" in await desk(tmp_path, service).refused("SHOP_ITEMS_GET", id=value)
    assert service.seen == []


@pytest.mark.parametrize("path", ["x__..__{a}", "x__%2e%2E__{a}", "x__.__{a}"])
async def test_a_document_cannot_put_steps_into_a_path(
    tmp_path: Path, service: Service, path: str
) -> None:
    document = shop(**{path: {"get": {"operationId": "up"}}})
    assert "has a step in it" in await desk(tmp_path, service, document).refused("SHOP_UP", a="x")
    assert service.seen == []


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (404, {"message": "no such item"}, "the service answered 404 Not Found."),
        (422, {"errors": ["name is taken"]}, "name is taken"),
        (401, {"message": "bad key"}, "The user must check the variable K"),
        (429, {}, "Wait before the next call."),
        (500, {"trace": "boom"}, "boom"),
    ],
)
async def test_an_error_of_the_service_is_a_result_the_model_can_act_on(
    tmp_path: Path, service: Service, status: int, body: object, told: str
) -> None:
    service.answering = lambda _: answer(body, status, **{"retry-after": "7"})
    auth = {"type": "bearer", "value_env": "K"}
    at = desk(tmp_path, service, auth=auth, environ={"K": KEY})
    result = await at.call(action="execute", slug="SHOP_ITEMS_GET", arguments={"id": "1"})
    assert result.is_error
    assert result.details == {"kind": "service", "slug": "SHOP_ITEMS_GET", "status": status}
    said = plain_text(result.content)
    assert told in said
    assert "retry-after: 7" in said


async def test_a_long_error_body_is_cut_and_told_so_after_it_was_cleaned(
    tmp_path: Path, service: Service
) -> None:
    filler = "x" * (ERROR_CHARACTERS - 5)
    service.answering = lambda _: Reply(
        500, f"{filler}top-secret and more".encode(), kind="text/plain"
    )
    at = desk(tmp_path, service, clean=lambda text: text.replace("top-secret", "[gone]"))
    said = await at.refused("SHOP_ITEMS_GET", id="1")
    assert "[gon" in said
    assert "top-s" not in said
    assert "more characters ...]" in said


async def test_what_is_not_text_is_described_and_what_nobody_sees_is_taken_out(
    tmp_path: Path, service: Service
) -> None:
    at = desk(tmp_path, service)
    service.answering = lambda _: Reply(body=b"\x89PNG" * 10, kind="image/png")
    assert "[40 bytes of image/png, not shown]" in await at.execute("SHOP_ITEMS_GET", id="1")
    service.answering = lambda _: Reply(body="a\x1b[2Jb\u202ec".encode(), kind="text/plain")
    assert (await at.execute("SHOP_ITEMS_GET", id="1")).endswith("\na[2Jbc")
    service.answering = lambda _: Reply(
        body="é".encode("latin-1"), kind="text/plain; charset=latin-1"
    )
    assert (await at.execute("SHOP_ITEMS_GET", id="1")).endswith("é")


async def test_an_endless_answer_is_cut(tmp_path: Path, service: Service) -> None:
    service.answering = lambda _: Reply(body=b"y" * (ANSWER_BYTES + 10), kind="text/plain")
    at = desk(tmp_path, service)
    await at.execute("SHOP_ITEMS_GET", id="1")
    assert at.spilled[0].endswith("[... cut after 4 MB ...]")


async def test_a_request_that_changes_something_is_never_sent_twice(
    tmp_path: Path, service: Service
) -> None:
    service.answering = lambda _: answer({}, 307, location="/again")
    said = await desk(tmp_path, service).refused("SHOP_ITEMS_PUT", id="1", body={"name": "x"})
    assert "which is not followed" in said
    assert len(service.seen) == 1


async def test_a_service_that_redirects_in_circles_is_given_up(
    tmp_path: Path, service: Service
) -> None:
    service.answering = lambda _: answer({}, 302, location="/round")
    assert "in circles" in await desk(tmp_path, service).refused("SHOP_ITEMS_GET", id="1")


async def test_a_cancelled_call_ends_at_once(tmp_path: Path, service: Service) -> None:
    service.answering = lambda _: Reply(hold=service.release, length=False)
    at = desk(tmp_path, service)
    running = asyncio.create_task(at.execute("SHOP_ITEMS_GET", id="1"))
    await asyncio.to_thread(service.arrived.wait, 10)
    at.cancel.cancel()
    with pytest.raises(Cancelled):
        await asyncio.wait_for(running, 5)


@pytest.mark.parametrize(
    ("patience", "told"),
    [(Patience(idle=0.2), "sent nothing for 0.2 s"), (Patience(whole=0.2), "within 0.2 s")],
)
async def test_a_silent_service_is_given_up(
    tmp_path: Path, service: Service, patience: Patience, told: str
) -> None:
    service.answering = lambda _: Reply(hold=service.release, length=False)
    said = await desk(tmp_path, service, patience=patience).refused("SHOP_ITEMS_GET", id="1")
    assert told in said


async def test_an_unreachable_service_is_told_with_what_to_check(tmp_path: Path) -> None:
    with Service() as gone:
        pass
    result = await desk(tmp_path, gone).call(
        action="execute", slug="SHOP_ITEMS_GET", arguments={"id": "1"}
    )
    assert result.is_error
    assert result.details == {"kind": "backend", "slug": "SHOP_ITEMS_GET"}
    assert "refuses the connection; check your network" in plain_text(result.content)


async def test_forms_and_multipart_bodies_are_encoded(tmp_path: Path, service: Service) -> None:
    fields = {
        "type": "object",
        "properties": {"a": TEXT, "list": {"type": "array"}, "deep": {"type": "object"},
                       "file": {"type": "string", "format": "binary"}},
    }  # fmt: skip
    form = {"schema": fields, "encoding": {"deep": {"style": "deepObject", "explode": True}}}
    document = shop(
        form={"post": {"operationId": "form", "requestBody": {
            "content": {"application/x-www-form-urlencoded": form}}}},
        parts={"post": {"operationId": "parts", "requestBody": {
            "content": {"multipart/form-data": {"schema": fields}}}}},
        text={"post": {"operationId": "text", "requestBody": {
            "content": {"text/plain": {"schema": TEXT}}}}},
    )  # fmt: skip
    at = desk(tmp_path, service, document)
    await at.execute("SHOP_FORM", body={"a": "x&y", "list": [1, 2], "deep": {"k": {"l": True}}})
    assert service.last.body == b"a=x%26y&list=1&list=2&deep[k][l]=true"
    await at.execute("SHOP_PARTS", body={"a": "x", "file": "data", "deep": {"k": 1}})
    kind, _, boundary = service.last.headers["content-type"].partition("; boundary=")
    assert kind == "multipart/form-data"
    octets = "Content-Type: application/octet-stream"
    name = "Content-Disposition: form-data; name="
    assert service.last.body.decode().split(f"--{boundary}") == [
        "",
        f'\r\n{name}"a"\r\n\r\nx\r\n',
        f'\r\n{name}"file"; filename="file"\r\n{octets}\r\n\r\ndata\r\n',
        f'\r\n{name}"deep"\r\nContent-Type: application/json\r\n\r\n{{"k":1}}\r\n',
        "--\r\n",
    ]
    await at.execute("SHOP_TEXT", body="plain é")
    assert service.last.body == "plain é".encode()
