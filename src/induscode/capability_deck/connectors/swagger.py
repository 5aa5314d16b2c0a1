"""Swagger 2.0: parameters that are their own schema, bodies and forms that are parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from induscode.capability_deck.connectors.document import Document
from induscode.capability_deck.connectors.limits import SUMMARY_CHARACTERS
from induscode.capability_deck.connectors.nodes import Node, listed, mapped, one_line, texted
from induscode.capability_deck.connectors.operation import Parameter, Place, RequestBody, Style

__all__ = ["swagger_body", "swagger_parameter", "swagger_servers"]

_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_JSON = "application/json"
_FORMATS = {"ssv": Style.SPACE, "tsv": Style.TAB, "pipes": Style.PIPE}
_NOT_SCHEMA = frozenset({"name", "in", "required", "description", "collectionFormat"})
_OURS = frozenset({"accept", "authorization", "content-type", "cookie", "host"})


def swagger_parameter(node: Node) -> Parameter | None:
    """None for what belongs to the body, or to whoever sends the request."""
    name = texted(node.get("name"))
    try:
        place = Place(texted(node.get("in")))
    except ValueError:
        return None
    if place is Place.HEADER and name.lower() in _OURS:
        return None
    layout = texted(node.get("collectionFormat"))
    plain = Style.FORM if place is Place.QUERY else Style.SIMPLE
    return Parameter(
        argument=name,
        name=name,
        place=place,
        schema=_schema(node),
        required=place is Place.PATH or node.get("required") is True,
        style=_FORMATS.get(layout, plain) if place is Place.QUERY else plain,
        explode=layout == "multi",
        description=one_line(node.get("description"), SUMMARY_CHARACTERS),
    )


def swagger_body(document: Document, parameters: Sequence[Node], node: Node) -> RequestBody | None:
    takes = listed(node.get("consumes")) or listed(document.root.get("consumes"))
    medias = [texted(each) for each in takes]
    for each in parameters:
        if each.get("in") == "body":
            return RequestBody(
                media=next((media for media in medias if "json" in media.lower()), _JSON),
                schema=mapped(each.get("schema")),
                required=each.get("required") is True,
                description=one_line(each.get("description"), SUMMARY_CHARACTERS),
            )
    fields = [each for each in parameters if each.get("in") == "formData"]
    return _form(fields, medias) if fields else None


def swagger_servers(root: Node) -> list[Node]:
    """`host`, `basePath` and `schemes` as servers of version 3."""
    host, path = texted(root.get("host")), texted(root.get("basePath"))
    schemes = [texted(each) for each in listed(root.get("schemes"))]
    scheme = "https" if not schemes or "https" in schemes else schemes[0]
    return [{"url": f"{scheme}://{host}{path}" if host else path or "/"}]


def _form(fields: Sequence[Node], medias: Sequence[str]) -> RequestBody:
    has_file = any(each.get("type") == "file" for each in fields)
    multipart = has_file or (_MULTIPART in medias and _FORM not in medias)
    required = [texted(each.get("name")) for each in fields if each.get("required") is True]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {texted(each.get("name")): _schema(each) for each in fields},
        "required": required,
    }
    encoding = {
        texted(each.get("name")): {
            "style": _FORMATS.get(texted(each.get("collectionFormat")), Style.FORM).value,
            "explode": each.get("collectionFormat") == "multi",
        }
        for each in fields
        if each.get("type") == "array"
    }
    media = _MULTIPART if multipart else _FORM
    return RequestBody(media, schema, required=bool(required), encoding=encoding)


def _schema(node: Node) -> Node:
    own = {key: value for key, value in node.items() if key not in _NOT_SCHEMA}
    if own.get("type") == "file":
        own = {**own, "type": "string", "format": "binary"}
    return own
