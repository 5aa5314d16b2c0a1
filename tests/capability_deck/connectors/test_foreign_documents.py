"""Documents we did not write: every operation is found, shown and checked, and some are called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from induscode.capability_deck.connectors.document import parse_document
from induscode.capability_deck.connectors.reading import read_operations
from tests.capability_deck.connectors.service import DOCUMENTS, Desk, Service

NAMES = sorted(each.name for each in DOCUMENTS.iterdir() if each.suffix != ".md")
RICH = ("airflow.json", "docdb-elastic.json", "petstore-expanded.json")
"""Those with `$ref`, `allOf` and array parameters, all three."""


def declared(name: str) -> int:
    """How many operations a document has, counted by somebody else's parser."""
    text = (DOCUMENTS / name).read_text(encoding="utf-8")
    root = json.loads(text) if name.endswith(".json") else yaml.load(text, yaml.CSafeLoader)
    methods = {"get", "put", "post", "delete", "options", "head", "patch"}
    return sum(len(methods & item.keys()) for item in root["paths"].values())


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as running:
        yield running


def desk(tmp_path: Path, service: Service, name: str) -> Desk:
    table = {"openapi": str(DOCUMENTS / name), "base_url": service.origin}
    return Desk(tmp_path, {"x": table})


@pytest.mark.parametrize("name", RICH)
def test_the_documents_are_as_rich_as_they_should_be(name: str) -> None:
    text = (DOCUMENTS / name).read_text(encoding="utf-8")
    document = parse_document(text.encode())
    arrays = [
        parameter
        for operation in read_operations(document, "X_")
        for parameter in operation.parameters
        if document.resolved(parameter.schema).get("type") == "array"
    ]
    assert '"$ref"' in text
    assert '"allOf"' in text
    assert arrays


@pytest.mark.parametrize("name", NAMES)
async def test_every_operation_is_listed_shown_and_checked(
    tmp_path: Path, service: Service, name: str
) -> None:
    at = desk(tmp_path, service, name)
    document = parse_document((DOCUMENTS / name).read_bytes())
    operations = read_operations(document, "X_")
    assert len(operations) == declared(name)
    listed = await at.discover()
    found = re.findall(r"^(X_[A-Z0-9_]+)  ([A-Z]+) (/\S*)", listed, re.MULTILINE)
    assert found == [(each.slug, each.method, each.path) for each in operations[:30]]
    assert ("30 of " in listed) == (len(operations) > 30)
    for operation in operations:
        shown = await at.discover(slug=operation.slug)
        assert shown.startswith(f"{operation.slug}  {operation.method} {operation.path}")
        assert len(shown) < 20_000
        said = await at.refused(operation.slug, **{"no such argument": 1})
        assert operation.slug in said
    assert service.seen == []


def sample(document: Any, schema: Any, depth: int = 0) -> Any:
    """A value that fits a simple schema."""
    node = document.resolved(schema)
    if node.get("enum"):
        return node["enum"][0]
    for part in ("allOf", "oneOf", "anyOf"):
        if part in node and "properties" not in node:
            made = [sample(document, each, depth) for each in node[part]]
            return {k: v for m in made for k, v in m.items()} if part == "allOf" else made[0]
    match node.get("type"):
        case "integer" | "number":
            return max(node.get("minimum", 1), 1)
        case "boolean":
            return True
        case "array":
            return [sample(document, node.get("items", {}), depth + 1)]
        case "string":
            return "a" * max(node.get("minLength", 1), 1)
        case _:
            known = node.get("properties", {})
            wanted = node.get("required") or list(known)[: not depth]
            return {k: sample(document, known[k], depth + 1) for k in wanted if k in known}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "circular.json"])
async def test_every_operation_can_be_called_with_what_it_demands(
    tmp_path: Path, service: Service, name: str
) -> None:
    at = desk(tmp_path, service, name)
    document = parse_document((DOCUMENTS / name).read_bytes())
    called = 0
    for operation in read_operations(document, "X_"):
        arguments = {
            each.argument: sample(document, each.schema)
            for each in operation.parameters
            if each.required
        }
        if operation.body is not None and operation.body.required:
            arguments["body"] = sample(document, operation.body.schema)
        result = await at.call(action="execute", slug=operation.slug, arguments=arguments)
        called += not result.is_error
        if not result.is_error:
            assert service.last.method == operation.method
            pattern = "[^/?]+".join(map(re.escape, re.split(r"\{[^{}]+\}", operation.path)))
            assert re.fullmatch(rf"{pattern}(\?.*)?", service.last.target)
    assert called == len(service.seen)
    assert declared(name) - called <= 1  # one demands a field that it does not have


async def test_airflow(tmp_path: Path, service: Service) -> None:
    at = desk(tmp_path, service, "airflow.json")
    await at.execute("X_GET_DAGS", tags=["a b", "c"], limit=5)
    assert service.last.target == "/dags?limit=5&tags=a%20b&tags=c"
    await at.execute(
        "X_PATCH_DAG", dag_id="my/dag", update_mask=["is_paused", "x"], body={"is_paused": True}
    )
    assert service.last.target == "/dags/my%2Fdag?update_mask=is_paused,x"
    assert service.last.json == {"is_paused": True}
    assert "must be a null or a boolean" in await at.refused(
        "X_PATCH_DAG", dag_id="d", body={"is_paused": "yes"}
    )
    assert "X_POST_CLEAR_TASK_INSTANCES" in (await at.discover("clear task instances"))[:200]


async def test_figma_in_yaml_of_version_3_1(tmp_path: Path, service: Service) -> None:
    at = desk(tmp_path, service, "figma.yaml")
    await at.execute(
        "X_POST_COMMENT", file_key="K1", body={"message": "hi", "client_meta": {"x": 1, "y": 2}}
    )
    assert service.last.target == "/v1/files/K1/comments"
    assert "needs the argument `body.message`" in await at.refused(
        "X_POST_COMMENT", file_key="K1", body={}
    )
    assert "webhook" in (await at.discover("create webhook")).splitlines()[0].lower()


async def test_petstore_of_version_2(tmp_path: Path, service: Service) -> None:
    at = desk(tmp_path, service, "petstore-swagger.json")
    await at.execute("X_FIND_PETS_BY_STATUS", status=["available", "sold"])
    assert service.last.target == "/pet/findByStatus?status=available&status=sold"
    await at.execute("X_UPDATE_PET_WITH_FORM", petId=4, body={"name": "Rex & Co"})
    assert service.last.body == b"name=Rex%20%26%20Co"
    await at.execute("X_UPLOAD_FILE", petId=4, body={"file": "bytes"})
    assert service.last.headers["content-type"].startswith("multipart/form-data")
    pet = {"name": "Rex", "photoUrls": [], "category": {"id": 1}}
    await at.execute("X_ADD_PET", body=pet)
    assert service.last.json == pet
    assert "`body.photoUrls`" in await at.refused("X_ADD_PET", body={"name": "Rex"})


async def test_a_document_whose_schemas_contain_themselves(
    tmp_path: Path, service: Service
) -> None:
    at = desk(tmp_path, service, "circular.json")
    shown = await at.discover(slug="X_PUT_CIRCULAR")
    assert "which it stands in" in shown
    await at.execute("X_PUT_CIRCULAR", body={})
    assert service.last.method == "PUT"


@pytest.mark.parametrize(
    ("slug", "target"),
    [
        ("X_QUERY_FORM_NON_EXPLODED", "primitive=p&array=a,b&object=k,v"),
        ("X_QUERY_FORM_EXPLODED", "primitive=p&array=a&array=b&k=v"),
        ("X_QUERY_SPACE_DELIMITED_NON_EXPLODED", "array=a%20b&object=k%20v"),
        ("X_QUERY_PIPE_DELIMITED_NON_EXPLODED", "array=a%7Cb&object=k%7Cv"),
        ("X_QUERY_DEEP_OBJECT_NON_EXPLODED", "object[k]=v"),
        ("X_PATHS_MATRIX_EXPLODED", "/;primitive=p/;array=a;array=b/;k=v"),
        ("X_PATHS_LABEL_NON_EXPLODED", "/.p/.a,b/.k,v"),
        ("X_PATHS_SIMPLE_EXPLODED", "/p/a,b/k=v"),
    ],
)
async def test_every_style_as_a_foreign_document_declares_it(
    tmp_path: Path, service: Service, slug: str, target: str
) -> None:
    at = desk(tmp_path, service, "parameters-style.json")
    document = parse_document((DOCUMENTS / "parameters-style.json").read_bytes())
    operation = next(each for each in read_operations(document, "X_") if each.slug == slug)
    values: dict[str, Any] = {"primitive": "p", "array": ["a", "b"], "object": {"k": "v"}}
    names = {each.argument for each in operation.parameters}
    await at.execute(slug, **{name: value for name, value in values.items() if name in names})
    assert service.last.target.endswith(target)
