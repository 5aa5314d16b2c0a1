"""What a model is shown of operations: a ranked list, and one of them with its whole schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from induscode.capability_deck.connectors.document import Document
from induscode.capability_deck.connectors.limits import (
    DESCRIPTION_CHARACTERS,
    ENUM_VALUES,
    LISTED_ARGUMENTS,
    SCHEMA_CHARACTERS,
    SCHEMA_DEPTH,
    SCHEMA_NODES,
    SUMMARY_CHARACTERS,
)
from induscode.capability_deck.connectors.nodes import (
    Node,
    is_list,
    listed,
    mapped,
    one_line,
    texted,
)
from induscode.capability_deck.connectors.operation import BODY, Operation

__all__ = ["listed_operation", "ranked", "shown_operation"]

_WORD = re.compile(r"[a-z0-9]+")
_EMPTY = frozenset({"a", "an", "the", "of", "for", "to", "in", "on", "by", "with", "and", "or"})
_MAPS = ("properties", "patternProperties")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not")
_KEPT = (
    "type", "format", "const", "default", "nullable", "readOnly", "required", "pattern", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
    "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
)  # fmt: skip


def ranked(operations: Sequence[Operation], query: str) -> list[Operation]:
    """Those that fit words of the query, the best first; all of them when there are no words."""
    words = [word for word in _words(query) if word not in _EMPTY]
    if not words:
        return list(operations)
    scored = [(_score(each, words), each) for each in operations]
    found = [pair for pair in scored if pair[0] > 0]
    return [each for _, each in sorted(found, key=lambda pair: (-pair[0], len(pair[1].slug)))]


def _words(text: str) -> list[str]:
    """In lower case and in the singular, as far as that is a matter of an `s`."""
    return [word.removesuffix("s") or word for word in _WORD.findall(text.lower())]


def _score(operation: Operation, words: Sequence[str]) -> float:
    """How many of the words fit counts most, then where: slug, then path and summary, then text."""
    fields = (
        (4.0, operation.slug),
        (3.0, operation.path),
        (3.0, operation.summary),
        (2.0, f"{operation.method} {' '.join(operation.tags)}"),
        (1.0, operation.description),
    )
    score = 0.0
    texts = [(weight, _words(text)) for weight, text in fields]
    for word in words:
        fits = [weight * _fit(word, text) for weight, text in texts]
        score += max(fits) + sum(fits) / 100 + (20 if any(fits) else 0)
    return score - (5 if operation.deprecated and score else 0)


def _fit(word: str, words: Sequence[str]) -> float:
    if word in words:
        return 1.0
    return 0.6 if len(word) > 1 and any(each.startswith(word) for each in words) else 0.0


def listed_operation(document: Document, operation: Operation) -> str:
    """Three lines at most."""
    deprecated = " (deprecated)" if operation.deprecated else ""
    lines = [f"{operation.slug}  {operation.method} {operation.path}{deprecated}"]
    if operation.summary:
        lines.append(f"  {operation.summary}")
    arguments = [
        f"{each.argument}{'' if each.required else '?'}: {_kind(document, each.schema)}"
        for each in operation.ordered
    ]
    if operation.body is not None:
        mark = "" if operation.body.required else "?"
        body = f"{BODY}{mark}: {_kind(document, operation.body.schema)}"
        required = sum(each.required for each in operation.parameters)
        arguments.insert(required if operation.body.required else len(arguments), body)
    left = len(arguments) - LISTED_ARGUMENTS
    more = f", and {left} more" if left > 0 else ""
    if arguments:
        lines.append(f"  arguments: {', '.join(arguments[:LISTED_ARGUMENTS])}{more}")
    return "\n".join(lines)


def _kind(document: Document, schema: Node) -> str:
    """A type in a word or two."""
    node = document.resolved(schema)
    kind = node.get("type")
    if is_list(kind):
        return " or ".join(str(each) for each in listed(kind))
    if kind == "array":
        return (
            f"array of {_kind(document, mapped(node.get('items')))}" if "items" in node else "array"
        )
    if kind:
        return str(kind)
    return "object" if "properties" in node or "allOf" in node else "any"


def shown_operation(document: Document, operation: Operation) -> str:
    lines = [listed_operation(document, operation).partition("\n")[0]]
    told = operation.description or operation.summary
    if told:
        lines.append(one_line(told, DESCRIPTION_CHARACTERS))
    if operation.body is not None:
        lines.append(f"{BODY} is sent as {operation.body.media}")
    lines += ["arguments:", _schema_text(document, operation)]
    if operation.answers:
        lines.append("answers:")
        lines += [f"  {status}: {meaning}" for status, meaning in operation.answers]
    return "\n".join(lines)


def _schema_text(document: Document, operation: Operation) -> str:
    """As deep as there is room for, and told so where there is none."""
    text = ""
    for depth in range(SCHEMA_DEPTH, 0, -1):
        text = _spelled(_arguments(document, operation, depth))
        if len(text) <= SCHEMA_CHARACTERS:
            return text
    return f"{text[:SCHEMA_CHARACTERS]}\n[... cut: the schema has {len(text):,} characters ...]"


def _spelled(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()


def _arguments(document: Document, operation: Operation, depth: int) -> dict[str, Any]:
    inline = _Inline(document)
    properties: dict[str, Any] = {}
    for each in operation.ordered:
        schema = inline.shown(each.schema, depth)
        told = {"description": each.description} if each.description else {}
        properties[each.argument] = {"in": each.place.value, **schema, **told}
    required = [each.argument for each in operation.ordered if each.required]
    if operation.body is not None:
        properties[BODY] = inline.shown(operation.body.schema, depth)
        required += [BODY] if operation.body.required else []
    return {"type": "object", "properties": properties, "required": required}


class _Inline:
    """Writes references out, as deep as asked and never a schema inside itself."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._seen = 0

    def shown(self, schema: object, depth: int, inside: tuple[str, ...] = ()) -> Any:
        if isinstance(schema, bool):
            return schema
        node = mapped(schema)
        reference = texted(node.get("$ref"))
        self._seen += 1
        name = reference.rpartition("/")[2]
        if reference in inside:
            return {"as": f"{name}, which it stands in"}
        if depth <= 0 or self._seen > SCHEMA_NODES:
            return {"more": name or _kind(self._document, node)}
        if reference:
            return self.shown(self._document.target(reference), depth, (*inside, reference))
        return self._written(node, depth - 1, inside)

    def _written(self, node: Node, depth: int, inside: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {key: node[key] for key in _KEPT if key in node}
        told = one_line(node.get("description"), SUMMARY_CHARACTERS)
        if told:
            found["description"] = told
        values = listed(node.get("enum"))
        if values:
            found["enum"] = [*values[:ENUM_VALUES]]
            if len(values) > ENUM_VALUES:
                found["enum"].append(f"... {len(values) - ENUM_VALUES} more")
        for key in _MAPS:
            if mapped(node.get(key)):
                found[key] = {
                    name: self.shown(each, depth, inside)
                    for name, each in mapped(node[key]).items()
                }
        for key in _LISTS:
            if listed(node.get(key)):
                found[key] = [self.shown(each, depth, inside) for each in listed(node[key])]
        for key in _SINGLE:
            if isinstance(node.get(key), dict | bool):
                found[key] = self.shown(node[key], depth, inside)
        return found
