"""An OpenAPI document: JSON or YAML, of version 2.0, 3.0 or 3.1, with its references.

References are followed inside the document only. What one leads to that is not there, or that is
in another file, counts as empty.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, cast
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from induscode.capability_deck.connectors.limits import (
    ALIAS_NODES,
    DOCUMENT_BYTES,
    DOCUMENT_DEPTH,
    YAML_BYTES,
)
from induscode.capability_deck.connectors.nodes import Node, mapped
from induscode.kernel.yamltext import load_yaml

__all__ = ["Document", "Version", "parse_document"]

_CHAIN = 50
_KIBI = 1024
_MARK = b"\xef\xbb\xbf"


class Version(Enum):
    SWAGGER_2 = "2.0"
    OPENAPI_3_0 = "3.0"
    OPENAPI_3_1 = "3.1"


class Document(Struct, frozen=True):
    root: Node
    version: Version

    def target(self, reference: object) -> Node:
        """What a reference leads to, through further ones; empty when it leads nowhere."""
        found: Node = {}
        for _ in range(_CHAIN):
            if not isinstance(reference, str):
                return found
            found = mapped(self._at(reference))
            reference = found.get("$ref")
        return {}

    def resolved(self, node: object) -> Node:
        """`node`, or what it refers to."""
        found = mapped(node)
        return self.target(found["$ref"]) if "$ref" in found else found

    def _at(self, reference: str) -> Any:
        if reference == "#":
            return self.root
        if not reference.startswith("#/"):
            return None
        at: Any = self.root
        for step in unquote(reference[2:]).split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(at, list):
                items = cast("list[Any]", at)
                at = items[int(key)] if key.isdecimal() and int(key[:9]) < len(items) else None
            else:
                at = mapped(at).get(key)
        return at


def parse_document(data: bytes) -> Document:
    """Raises ValueError with the reason."""
    if len(data) > DOCUMENT_BYTES:
        raise ValueError(f"longer than {DOCUMENT_BYTES // _KIBI**2} MB")
    data = data.removeprefix(_MARK)
    root = mapped(_json(data) if data.lstrip()[:1] in {b"{", b"["} else _yaml(data))
    swagger, openapi = str(root.get("swagger", "")), str(root.get("openapi", ""))
    if swagger.startswith("2."):
        return Document(root, Version.SWAGGER_2)
    if openapi.startswith("3.0"):
        return Document(root, Version.OPENAPI_3_0)
    if openapi.startswith("3."):
        return Document(root, Version.OPENAPI_3_1)
    raise ValueError("neither `openapi: 3.x` nor `swagger: '2.0'` stands in it")


def _json(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    except RecursionError:
        raise ValueError("nested too deep") from None


def _yaml(data: bytes) -> Any:
    if len(data) > YAML_BYTES:
        raise ValueError(f"YAML longer than {YAML_BYTES // _KIBI**2} MB; convert it to JSON")
    try:
        return load_yaml(data.decode(), depth=DOCUMENT_DEPTH, values=ALIAS_NODES)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
