"""From what a server asks, with a flat JSON schema or an address, to a form.

The schema is MCP's subset of JSON Schema, and what libraries make of the same wishes. A keyword
that we could not check an answer against makes the whole unreadable: nothing is sent that was not
checked. Whatever the schema holds, reading it gives a form or raises `UnreadableForm`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast
from urllib.parse import urlsplit

from induscode.errors import AddonAuthorError
from induscode.kernel.form import (
    ChoiceKind,
    ChoicesKind,
    Form,
    FormField,
    FormKind,
    FormValue,
    NumberKind,
    Option,
    TextFormat,
    TextKind,
    YesNoKind,
)
from induscode.kernel.form_values import value_problem

__all__ = [
    "DESCRIPTION_CHARACTERS",
    "FIELDS_MOST",
    "MESSAGE_CHARACTERS",
    "NAME_CHARACTERS",
    "OPTIONS_MOST",
    "URL_CHARACTERS",
    "VALUE_CHARACTERS",
    "UnreadableForm",
    "form_of_schema",
    "form_of_url",
    "plain",
]

FIELDS_MOST = 50
OPTIONS_MOST = 200
MESSAGE_CHARACTERS = 4_000
DESCRIPTION_CHARACTERS = 1_000
NAME_CHARACTERS = 200
VALUE_CHARACTERS = 10_000
URL_CHARACTERS = 2_000
_LARGEST_BOUND = 2**63

_Schema = Mapping[str, Any]
_FORMATS: dict[str, TextFormat] = {
    "": "",
    "email": "email",
    "uri": "uri",
    "date": "date",
    "date-time": "date-time",
}
_NOTES = frozenset(
    {"title", "description", "default", "examples", "$comment", "deprecated", "type", "required"}
)
_WHOLE = frozenset(
    {"type", "properties", "required", "additionalProperties", "title", "description", "$schema"}
)


class UnreadableForm(AddonAuthorError):
    """What a server asks cannot be put to a person; the message is a clause about it."""


def form_of_url(number: str, by: str, message: str, url: str) -> Form:
    """Raises `UnreadableForm` for an address that hides where it leads."""
    if len(url) > URL_CHARACTERS:
        raise UnreadableForm(f"its address has more than {URL_CHARACTERS} characters")
    if not url.isprintable() or " " in url or "\\" in url:
        raise UnreadableForm("its address holds characters that no address has")
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port is not None else ""
        seen = parts.netloc if host.isascii() else host.encode("idna").decode() + port
    except ValueError:
        raise UnreadableForm("its address cannot be read") from None
    if parts.scheme not in {"https", "http"}:
        raise UnreadableForm("its address is neither https nor http")
    if not host:
        raise UnreadableForm("its address names no host")
    if parts.username is not None or parts.password is not None:
        raise UnreadableForm("its address holds a user name, which may hide the host")
    return Form(
        id=number,
        by=plain(by, NAME_CHARACTERS),
        message=plain(message, MESSAGE_CHARACTERS, lines=True),
        url=url,
        host=seen,
    )


def form_of_schema(number: str, by: str, message: str, schema: _Schema) -> Form:
    """Raises `UnreadableForm`."""
    _only(schema, _WHOLE, "the form")
    if schema.get("type", "object") != "object":
        raise UnreadableForm("its form is no object")
    properties = schema.get("properties", {})
    if not _is_object(properties):
        raise UnreadableForm("its `properties` are no object")
    if len(properties) > FIELDS_MOST:
        raise UnreadableForm(f"it has {len(properties)} fields, more than {FIELDS_MOST}")
    required = schema.get("required", [])
    if not _is_texts(required) or not set(required) <= properties.keys():
        raise UnreadableForm("its `required` is no list of its fields")
    return Form(
        id=number,
        by=plain(by, NAME_CHARACTERS),
        message=plain(message, MESSAGE_CHARACTERS, lines=True),
        fields=tuple(
            _field(name, each, required=name in required) for name, each in properties.items()
        ),
    )


def plain(text: str, most: int, *, lines: bool = False) -> str:
    """Printable text of at most `most` characters, with a mark for what is not, and for a cut; on
    one line unless said otherwise."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(_plain(character, lines=lines) for character in cut.replace("\r\n", "\n"))


def _plain(character: str, *, lines: bool) -> str:
    if character.isprintable() or (lines and character == "\n"):
        return character
    return " " if character.isspace() else "\ufffd"


def _field(name: str, schema: object, *, required: bool) -> FormField:
    if not _is_exact(name):
        raise UnreadableForm(f"it has a field without a usable name: {plain(name, 40)!r}")
    if not _is_object(schema):
        raise UnreadableForm(f"its field {name!r} is no schema")
    inner, or_null = _without_null(schema)
    kind = _kind(name, inner)
    return FormField(
        name=name,
        kind=kind,
        title=plain(_words(schema, "title") or name, NAME_CHARACTERS),
        description=plain(_words(schema, "description"), DESCRIPTION_CHARACTERS, lines=True),
        required=required and not or_null,
        default=_default(kind, schema.get("default")),
        or_null=required and or_null,
    )


def _without_null(schema: _Schema) -> tuple[_Schema, bool]:
    """The schema of a value, and whether null would do instead of one."""
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        others: list[object] = [kind for kind in cast("list[object]", kinds) if kind != "null"]
        return {**schema, "type": others[0] if len(others) == 1 else others}, True
    ways = schema.get("anyOf")
    if _is_list(ways) and {"type": "null"} in ways:
        others = [way for way in ways if way != {"type": "null"}]
        if len(others) == 1 and _is_object(others[0]):
            outer = {key: value for key, value in schema.items() if key != "anyOf"}
            return {**outer, **others[0]}, True
    return schema, False


def _kind(name: str, schema: _Schema) -> FormKind:
    where = f"its field {plain(name, NAME_CHARACTERS)!r}"
    options = _options(schema, where)
    kind = schema.get("type", "string" if options is not None else None)
    if options is not None and kind == "string":
        _only(schema, _NOTES | {"enum", "enumNames", "oneOf", "anyOf", "const"}, where)
        return ChoiceKind(options)
    match kind:
        case "string":
            return _text(schema, where)
        case "number" | "integer":
            return _number(schema, where, whole=kind == "integer")
        case "boolean":
            _only(schema, _NOTES, where)
            return YesNoKind()
        case "array":
            return _choices(schema, where)
        case _:
            raise UnreadableForm(f"{where} is no text, number, yes or no, or choice")


def _text(schema: _Schema, where: str) -> TextKind:
    _only(schema, _NOTES | {"format", "minLength", "maxLength"}, where)
    form = schema.get("format", "")
    if not isinstance(form, str) or form not in _FORMATS:
        raise UnreadableForm(f"{where} has a `format` that is not known here")
    shortest = _count(schema, "minLength", 0, where)
    longest = _count(schema, "maxLength", VALUE_CHARACTERS, where)
    if shortest > min(longest, VALUE_CHARACTERS):
        raise UnreadableForm(f"{where} takes no text of a length that is possible here")
    return TextKind(
        longest=min(longest, VALUE_CHARACTERS),
        shortest=shortest,
        format=_FORMATS[form],
    )


def _number(schema: _Schema, where: str, *, whole: bool) -> NumberKind:
    bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    _only(schema, _NOTES | frozenset(bounds), where)
    least, most, above, below = (_bound(schema, key, where) for key in bounds)
    return NumberKind(whole=whole, least=least, most=most, above=above, below=below)


def _choices(schema: _Schema, where: str) -> ChoicesKind:
    _only(schema, _NOTES | {"items", "minItems", "maxItems", "uniqueItems"}, where)
    items = schema.get("items")
    options = _options(items, where) if _is_object(items) else None
    if options is None or not _is_object(items) or items.get("type", "string") != "string":
        raise UnreadableForm(f"{where} is a list of something else than choices")
    _only(items, _NOTES | {"enum", "enumNames", "oneOf", "anyOf", "const"}, where)
    fewest = _count(schema, "minItems", 0, where)
    most = min(_count(schema, "maxItems", len(options), where), len(options))
    if fewest > most:
        raise UnreadableForm(f"{where} wants more choices than there are")
    return ChoicesKind(options, fewest, most)


def _options(schema: _Schema, where: str) -> tuple[Option, ...] | None:
    """What can be chosen, None where nothing is said of that."""
    given = [key for key in ("enum", "oneOf", "anyOf", "const") if key in schema]
    if not given:
        return None
    if len(given) > 1:
        raise UnreadableForm(f"{where} says in two ways what can be chosen")
    found = schema[given[0]]
    match given[0]:
        case "const":
            pairs = [(found, None)]
        case "enum" if _is_list(found):
            names = schema.get("enumNames")
            titles = names if _is_list(names) and len(names) == len(found) else [None] * len(found)
            pairs = list(zip(found, titles, strict=True))
        case _ if _is_list(found) and all(_is_object(each) for each in found):
            pairs = [_titled(cast("_Schema", each), where) for each in found]
        case _:
            raise UnreadableForm(f"{where} has a `{given[0]}` that is no list of choices")
    return _as_options(pairs, where)


def _titled(schema: _Schema, where: str) -> tuple[object, object]:
    _only(schema, frozenset({"const", "title", "description", "type"}), where)
    return schema.get("const"), schema.get("title")


def _as_options(pairs: Sequence[tuple[object, object]], where: str) -> tuple[Option, ...]:
    if not 0 < len(pairs) <= OPTIONS_MOST:
        raise UnreadableForm(f"{where} has no choices, or more than {OPTIONS_MOST}")
    made: list[Option] = []
    for value, title in pairs:
        if not isinstance(value, str) or not _is_exact(value):
            raise UnreadableForm(f"{where} has a choice that is no usable text")
        said = title if isinstance(title, str) and title.strip() else value
        made.append(Option(value, plain(said, NAME_CHARACTERS)))
    if len({option.value for option in made}) != len(made):
        raise UnreadableForm(f"{where} has a choice twice")
    return tuple(made)


def _default(kind: FormKind, value: object) -> FormValue | None:
    """A default that does not fit, or that could not be shown as it is, is none."""
    if value is None or value_problem(kind, value) is not None:
        return None
    if isinstance(value, str) and not value.isprintable():
        return None
    return cast("FormValue", value)


def _only(schema: _Schema, known: frozenset[str], where: str) -> None:
    for key in schema:
        if key not in known:
            raise UnreadableForm(f"{where} uses {plain(key, NAME_CHARACTERS)!r}, not known here")


def _count(schema: _Schema, key: str, otherwise: int, where: str) -> int:
    value = schema.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UnreadableForm(f"{where} has a `{key}` that is no count")
    return value


def _bound(schema: _Schema, key: str, where: str) -> float | None:
    value = schema.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_usable(value):
        raise UnreadableForm(f"{where} has a `{key}` that is no number")
    return value


def _is_usable(bound: float) -> bool:
    return abs(bound) <= _LARGEST_BOUND if isinstance(bound, int) else math.isfinite(bound)


def _words(schema: _Schema, key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) and value.strip() else ""


def _is_exact(text: str) -> bool:
    """Whether it can be shown as it is, on one line: it is sent back unchanged."""
    return 0 < len(text) <= NAME_CHARACTERS and text.isprintable()


def _is_object(value: object) -> TypeGuard[_Schema]:
    return isinstance(value, Mapping)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return _is_list(value) and all(isinstance(each, str) for each in value)
