"""How values of parameters are spelled: every style of OpenAPI, percent-encoded.

A value never leaves its place: what separates is encoded inside of it, in a path the slash too.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import msgspec

from induscode.capability_deck.connectors.nodes import is_list, is_map, listed, mapped
from induscode.capability_deck.connectors.operation import Parameter, Style

__all__ = ["Pairs", "encoded", "in_cookie", "in_header", "in_path", "in_query", "plain"]

Pairs = list[tuple[str, str]]
"""Encoded names and values."""

_RESERVED = ":/?@!$'()*,;[]"
"""What `allowReserved` leaves as it is. `#`, `&`, `+` and `=` would change what a query says."""
_BETWEEN = {Style.FORM: ",", Style.SPACE: "%20", Style.PIPE: "%7C", Style.TAB: "%09"}


def plain(value: object) -> str:
    """A single value as text: what is no text is spelled as JSON spells it."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def encoded(text: str, safe: str = "") -> str:
    """Percent-encoded as a component. Half a character (a lone surrogate) raises ValueError."""
    return quote(text, safe=safe, errors="strict")


def in_query(parameter: Parameter, value: object) -> Pairs:
    safe = _RESERVED if parameter.allow_reserved else ""
    name = encoded(parameter.name, "[]")
    if parameter.as_json:
        return [(name, encoded(msgspec.json.encode(value).decode(), safe))]
    if not (is_list(value) or is_map(value)):
        return [(name, encoded(plain(value), safe))]
    if parameter.style is Style.DEEP:
        return list(_deep(name, value, safe))
    between = _BETWEEN.get(parameter.style, ",")
    if is_list(value):
        items = [encoded(plain(each), safe) for each in listed(value)]
        if parameter.explode:
            return [(name, each) for each in items]
        return [(name, between.join(items))] if items else []
    fields = _fields(value, safe)
    if parameter.explode and parameter.style is Style.FORM:
        return fields
    return [(name, between.join(part for pair in fields for part in pair))] if fields else []


def in_path(parameter: Parameter, value: object) -> str:
    if parameter.as_json:
        return encoded(msgspec.json.encode(value).decode())
    lead = {Style.LABEL: ".", Style.MATRIX: ";"}.get(parameter.style, "")
    between = lead if parameter.explode and lead else ","
    name = encoded(parameter.name)
    matrix = parameter.style is Style.MATRIX
    if is_list(value):
        items = [encoded(plain(each)) for each in listed(value)]
        if matrix and parameter.explode:
            items = [f"{name}={each}" for each in items]
    elif is_map(value):
        fields = _fields(value)
        items = [f"{key}={each}" for key, each in fields]
        if not parameter.explode:
            items = [part for pair in fields for part in pair]
    else:
        items = [encoded(plain(value))]
    single = not (parameter.explode and (is_list(value) or is_map(value)))
    return lead + (f"{name}=" if matrix and single else "") + between.join(items)


def in_header(parameter: Parameter, value: object) -> str:
    """Not encoded: a header is text. Raises ValueError for what cannot stand in one."""
    if parameter.as_json:
        text = msgspec.json.encode(value).decode()
    elif is_list(value):
        text = ",".join(plain(each) for each in listed(value))
    elif is_map(value):
        between = "=" if parameter.explode else ","
        text = ",".join(f"{key}{between}{plain(each)}" for key, each in mapped(value).items())
    else:
        text = plain(value)
    if not (text.isascii() and text.isprintable()):
        raise ValueError("a header takes one line of ASCII characters")
    return text.strip()


def in_cookie(parameter: Parameter, value: object) -> str:
    return "&".join(f"{name}={each}" for name, each in in_query(parameter, value))


def _deep(name: str, value: object, safe: str) -> Iterator[tuple[str, str]]:
    """`name[key]`, and `name[0]` for lists, as deep as the value goes."""
    if is_map(value):
        for key, each in mapped(value).items():
            yield from _deep(f"{name}[{encoded(key)}]", each, safe)
    elif is_list(value):
        for at, each in enumerate(listed(value)):
            yield from _deep(f"{name}[{at}]", each, safe)
    else:
        yield name, encoded(plain(value), safe)


def _fields(value: object, safe: str = "") -> Pairs:
    return [(encoded(key), encoded(plain(each), safe)) for key, each in mapped(value).items()]
