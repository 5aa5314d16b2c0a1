"""The arguments of an operation as one JSON schema, by which a call is checked.

Schemas of OpenAPI become schemas of JSON Schema 2020-12: `nullable` and the old exclusive bounds
are translated, what only the service may set is not demanded, annotations are left out. Everything
a schema refers to is brought along under a name of its own, once, so that a schema may contain
itself. `oneOf` is checked as `anyOf`: documents often mean no more, and the service decides anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from induscode.capability_deck.connectors.document import Document, Version
from induscode.capability_deck.connectors.limits import DOCUMENT_DEPTH
from induscode.capability_deck.connectors.nodes import Node, listed, mapped, texted
from induscode.capability_deck.connectors.operation import BODY, Operation
from induscode.tools.schema import checker

__all__ = ["Check", "argument_check"]

Check = Callable[[Mapping[str, Any]], str | None]

_TYPES = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_LISTS = {"allOf": "allOf", "anyOf": "anyOf", "oneOf": "anyOf", "prefixItems": "prefixItems"}
_SINGLE = (
    "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_KEPT = (
    "const", "dependentRequired", "maxContains", "maxItems", "maxLength", "maxProperties",
    "maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf",
    "pattern", "uniqueItems",
)  # fmt: skip
_BOUNDS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
_COMPOSED = frozenset({"allOf", "anyOf", "const", "enum", "if", "not"})
_ANYTHING: dict[str, Any] = {}


def argument_check(document: Document, operation: Operation) -> Check:
    """What finds the first thing that is wrong with arguments, as a sentence; None when they fit.

    A document whose schema is itself not valid is not the model's fault: then patterns are left
    unchecked, and if that does not help, everything but the names.
    """
    for make in (_everything, _without_patterns, _names_only):
        try:
            check = checker(operation.slug, make(document, operation))
        except ValueError:
            continue
        return _telling_body_fields(document, operation, check)
    return lambda _: None


def _everything(document: Document, operation: Operation) -> dict[str, Any]:
    return _with_schemas(_Bundle(document, _MAPS, _KEPT), document, operation)


def _without_patterns(document: Document, operation: Operation) -> dict[str, Any]:
    maps = tuple(key for key in _MAPS if key != "patternProperties")
    kept = tuple(key for key in _KEPT if key != "pattern")
    return _with_schemas(_Bundle(document, maps, kept), document, operation)


def _with_schemas(bundle: _Bundle, document: Document, operation: Operation) -> dict[str, Any]:
    properties = {each.argument: bundle.converted(each.schema) for each in operation.parameters}
    if operation.body is not None:
        properties[BODY] = bundle.converted(operation.body.schema)
    return {**_names_only(document, operation), "properties": properties, "$defs": bundle.taken()}


def _names_only(document: Document, operation: Operation) -> dict[str, Any]:
    del document
    names = [each.argument for each in operation.ordered]
    required = [each.argument for each in operation.ordered if each.required]
    if operation.body is not None:
        names.append(BODY)
        required += [BODY] if operation.body.required else []
    return {
        "type": "object",
        "properties": dict.fromkeys(names, _ANYTHING),
        "required": required,
        "additionalProperties": False,
    }


def _telling_body_fields(document: Document, operation: Operation, check: Check) -> Check:
    """A model that puts the fields of a body beside it is told where they belong."""
    if operation.body is None:
        return check
    fields = mapped(document.resolved(operation.body.schema).get("properties"))
    own = {each.argument for each in operation.parameters} | {BODY}

    def problem(arguments: Mapping[str, Any]) -> str | None:
        astray = [name for name in arguments if name not in own and name in fields]
        if astray:
            names = ", ".join(f"`{name}`" for name in astray)
            return f"{operation.slug} takes {names} inside the argument `{BODY}`."
        return check(arguments)

    return problem


class _Bundle:
    """Translates schemas, and what they refer to, as far as `maps` and `kept` name keywords."""

    def __init__(self, document: Document, maps: tuple[str, ...], kept: tuple[str, ...]) -> None:
        self._document = document
        self._maps = maps
        self._kept = kept
        self._names: dict[str, str] = {}
        self._waiting: list[str] = []
        self._siblings = document.version is Version.OPENAPI_3_1

    def taken(self) -> dict[str, Any]:
        """Everything that was referred to, by the names that stand in what was converted."""
        found: dict[str, Any] = {}
        while self._waiting:
            reference = self._waiting.pop()
            found[self._names[reference]] = self.converted(self._document.target(reference))
        return found

    def converted(self, schema: object, depth: int = 0) -> Any:
        if isinstance(schema, bool):
            return schema
        node = mapped(schema)
        if depth > DOCUMENT_DEPTH:
            return _ANYTHING
        if "$ref" in node:
            reference = {"$ref": self._name(node["$ref"])}
            rest = {key: value for key, value in node.items() if key != "$ref"}
            if not (rest and self._siblings):
                return reference
            return {"allOf": [reference, self.converted(rest, depth + 1)]}
        return self._nullable(node, self._plain(node, depth))

    def _name(self, reference: object) -> str:
        text = texted(reference)
        if text not in self._names:
            self._names[text] = f"s{len(self._names)}"
            self._waiting.append(text)
        return f"#/$defs/{self._names[text]}"

    def _plain(self, node: Node, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {key: node[key] for key in self._kept if node.get(key) is not None}
        for key in self._maps:
            if key in node:
                found[key] = {
                    name: self.converted(each, depth + 1)
                    for name, each in mapped(node[key]).items()
                }
        for key in _SINGLE:
            if isinstance(node.get(key), dict | bool):
                found[key] = self.converted(node[key], depth + 1)
        for key, ours in _LISTS.items():
            members = [self.converted(each, depth + 1) for each in listed(node.get(key))]
            if members and ours in found:
                found["allOf"] = [*found.get("allOf", []), {ours: members}]
            elif members:
                found[ours] = members
        if listed(node.get("enum")):
            found["enum"] = node["enum"]
        self._bounds(node, found)
        self._types(node, found)
        self._required(node, found)
        return found

    def _bounds(self, node: Node, found: dict[str, Any]) -> None:
        for bound, exclusive in _BOUNDS:
            value = node.get(exclusive)
            if value is True and bound in found:
                found[exclusive] = found.pop(bound)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                found[exclusive] = value

    def _types(self, node: Node, found: dict[str, Any]) -> None:
        named = node.get("type")
        kinds = [kind for kind in (listed(named) or [named]) if kind in _TYPES]
        if kinds:
            found["type"] = kinds

    def _required(self, node: Node, found: dict[str, Any]) -> None:
        properties = mapped(node.get("properties"))
        required = [
            name
            for name in listed(node.get("required"))
            if isinstance(name, str)
            and self._document.resolved(properties.get(name)).get("readOnly") is not True
        ]
        if required:
            found["required"] = list(dict.fromkeys(required))

    def _nullable(self, node: Node, found: dict[str, Any]) -> dict[str, Any]:
        if node.get("nullable") is not True and node.get("x-nullable") is not True:
            return found
        if "type" in found and not _COMPOSED & found.keys():
            return {**found, "type": [*found["type"], "null"]}
        return {"anyOf": [found, {"type": "null"}]}
