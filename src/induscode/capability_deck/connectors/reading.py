"""The operations of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from induscode.capability_deck.connectors.document import Document, Version
from induscode.capability_deck.connectors.limits import DESCRIPTION_CHARACTERS, SUMMARY_CHARACTERS
from induscode.capability_deck.connectors.nodes import Node, listed, mapped, one_line, texted
from induscode.capability_deck.connectors.operation import (
    BODY,
    Operation,
    Parameter,
    Place,
    RequestBody,
    Style,
)
from induscode.capability_deck.connectors.slugs import Slugs
from induscode.capability_deck.connectors.swagger import swagger_body, swagger_parameter

__all__ = ["read_operations"]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_IN_PATH = re.compile(r"\{([^{}]+)\}")
_STYLES = {
    Place.PATH: (Style.SIMPLE, Style.LABEL, Style.MATRIX),
    Place.QUERY: (Style.FORM, Style.SPACE, Style.PIPE, Style.DEEP),
    Place.HEADER: (Style.SIMPLE,),
    Place.COOKIE: (Style.FORM,),
}
"""The styles of each place, the one first that counts unless another is named."""
_NOT_ARGUMENTS = frozenset({
    "accept", "authorization", "connection", "content-length", "content-type", "cookie", "expect",
    "host", "te", "trailer", "transfer-encoding", "upgrade", "proxy-authorization",
})  # fmt: skip
"""Headers that a document cannot make an argument: the standard says so of three, and the others
belong to whoever sends the request."""
_MEDIA = (
    re.compile(r"application/json\b"),
    re.compile(r"[^;]*\+json\b"),
    re.compile(r"\*/\*"),
    re.compile(r"application/x-www-form-urlencoded\b"),
    re.compile(r"multipart/form-data\b"),
    re.compile(r"text/"),
)
"""What is sent where a service takes several, best first."""


def read_operations(document: Document, prefix: str) -> tuple[Operation, ...]:
    """In the document's order. `prefix` is what their slugs begin with."""
    slugs = Slugs(prefix)
    return tuple(
        _operation(document, slugs, method, path, item, mapped(item[method]))
        for path, raw in mapped(document.root.get("paths")).items()
        if path.startswith("/") and (item := document.resolved(raw))
        for method in _METHODS
        if isinstance(item.get(method), dict)
    )


def _operation(
    document: Document, slugs: Slugs, method: str, path: str, item: Node, node: Node
) -> Operation:
    path = path.partition("#")[0]
    raw = list(_parameters(document, item, node))
    if document.version is Version.SWAGGER_2:
        parameters = [found for each in raw if (found := swagger_parameter(each)) is not None]
        body = swagger_body(document, raw, node)
    else:
        parameters = [found for each in raw if (found := _parameter(each)) is not None]
        body = _body(document.resolved(node.get("requestBody")))
    return Operation(
        slug=slugs.next(texted(node.get("operationId")), method, path),
        method=method.upper(),
        path=path,
        summary=one_line(node.get("summary") or node.get("description"), SUMMARY_CHARACTERS),
        description=one_line(node.get("description"), DESCRIPTION_CHARACTERS),
        tags=tuple(one_line(tag, SUMMARY_CHARACTERS) for tag in listed(node.get("tags"))),
        parameters=_named(_fitting(path, parameters), has_body=body is not None),
        body=body,
        servers=tuple(listed(node.get("servers")) or listed(item.get("servers"))),
        answers=tuple(_answers(document, node)),
        deprecated=node.get("deprecated") is True,
    )


def _parameters(document: Document, item: Node, node: Node) -> Iterator[Node]:
    """Those of the path and of the operation, which replaces what has the same name and place."""
    found: dict[tuple[str, str], Node] = {}
    for raw in (*listed(item.get("parameters")), *listed(node.get("parameters"))):
        parameter = document.resolved(raw)
        name, place = texted(parameter.get("name")), texted(parameter.get("in"))
        if name and place:
            found[name, place] = parameter
    yield from found.values()


def _parameter(node: Node) -> Parameter | None:
    name = texted(node.get("name"))
    try:
        place = Place(texted(node.get("in")))
    except ValueError:
        return None
    if place is Place.HEADER and name.lower() in _NOT_ARGUMENTS:
        return None
    content = mapped(node.get("content"))
    schema = next((mapped(each).get("schema") for each in content.values()), node.get("schema"))
    named = texted(node.get("style"))
    style = next((each for each in _STYLES[place] if each == named), _STYLES[place][0])
    explode = node.get("explode")
    return Parameter(
        argument=name,
        name=name,
        place=place,
        schema=mapped(schema),
        required=place is Place.PATH or node.get("required") is True,
        style=style,
        explode=explode if isinstance(explode, bool) else style in {Style.FORM, Style.DEEP},
        allow_reserved=node.get("allowReserved") is True,
        as_json=bool(content),
        description=one_line(node.get("description"), SUMMARY_CHARACTERS),
    )


def _body(node: Node) -> RequestBody | None:
    content = mapped(node.get("content"))
    media = _preferred(list(content))
    if media is None:
        return None
    chosen = mapped(content[media])
    return RequestBody(
        media="application/json" if media == "*/*" else media,
        schema=mapped(chosen.get("schema")),
        required=node.get("required") is True,
        encoding=mapped(chosen.get("encoding")),
        description=one_line(node.get("description"), SUMMARY_CHARACTERS),
    )


def _preferred(offered: list[str]) -> str | None:
    for wanted in _MEDIA:
        for media in offered:
            if wanted.match(media.lower()):
                return media
    return offered[0] if offered else None


def _fitting(path: str, parameters: list[Parameter]) -> list[Parameter]:
    """Without those of the path that it has no room for, and with those that nobody declared."""
    places = list(dict.fromkeys(_IN_PATH.findall(path)))
    kept = [each for each in parameters if each.place is not Place.PATH or each.name in places]
    declared = {each.name for each in kept if each.place is Place.PATH}
    missing = [
        Parameter(name, name, Place.PATH, {"type": "string"}, required=True, style=Style.SIMPLE)
        for name in places
        if name not in declared
    ]
    return [*missing, *kept]


def _named(parameters: list[Parameter], *, has_body: bool) -> tuple[Parameter, ...]:
    """Two of one name are told apart by their places, and none is called as the body is."""
    names = [each.name for each in parameters] + [BODY] * has_body
    return tuple(
        replace(each, argument=f"{each.place}.{each.name}") if names.count(each.name) > 1 else each
        for each in parameters
    )


def _answers(document: Document, node: Node) -> Iterator[tuple[str, str]]:
    answers: Any = mapped(node.get("responses"))
    for status, answer in answers.items():
        yield (
            str(status),
            one_line(document.resolved(answer).get("description"), SUMMARY_CHARACTERS),
        )
