"""An operation of a service: what it takes, and how that is spelled."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct

from induscode.capability_deck.connectors.nodes import Node

__all__ = ["BODY", "Operation", "Parameter", "Place", "RequestBody", "Style"]

BODY = "body"
"""The argument that is sent as the body of a request."""


class Place(StrEnum):
    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"


class Style(StrEnum):
    """How a list or an object is spelled in a parameter. `tabDelimited` is Swagger's `tsv`."""

    FORM = "form"
    SPACE = "spaceDelimited"
    PIPE = "pipeDelimited"
    TAB = "tabDelimited"
    DEEP = "deepObject"
    SIMPLE = "simple"
    LABEL = "label"
    MATRIX = "matrix"


class Parameter(Struct, frozen=True):
    """`argument` is what the model calls it, `name` what the service does: they differ where two
    places use one name. `as_json`: its value is sent as a JSON text."""

    argument: str
    name: str
    place: Place
    schema: Node
    required: bool = False
    style: Style = Style.FORM
    explode: bool = False
    allow_reserved: bool = False
    as_json: bool = False
    description: str = ""


class RequestBody(Struct, frozen=True):
    """`encoding` says how fields of a form are spelled, where the document does."""

    media: str
    schema: Node
    required: bool = False
    encoding: Node = {}
    description: str = ""


class Operation(Struct, frozen=True):
    """`servers` are the document's, for this operation; `answers` are its statuses and what they
    mean."""

    slug: str
    method: str
    path: str
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    body: RequestBody | None = None
    servers: tuple[Any, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    deprecated: bool = False

    @property
    def ordered(self) -> tuple[Parameter, ...]:
        """The parameters, those first that must be given."""
        return tuple(sorted(self.parameters, key=lambda each: not each.required))
