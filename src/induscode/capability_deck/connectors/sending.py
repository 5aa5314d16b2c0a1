"""A call, spelled as a request: path, query, headers, cookies and body."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from induscode.capability_deck.connectors.http import Outgoing
from induscode.capability_deck.connectors.nodes import is_list, is_map, listed, mapped, texted
from induscode.capability_deck.connectors.operation import (
    BODY,
    Operation,
    Parameter,
    Place,
    RequestBody,
    Style,
)
from induscode.capability_deck.connectors.styles import (
    Pairs,
    encoded,
    in_cookie,
    in_header,
    in_path,
    in_query,
    plain,
)
from induscode.tools.web.address import WebAddress
from induscode.version import VERSION

__all__ = ["CannotSend", "spelled"]

_ACCEPT = "application/json, text/*;q=0.8, */*;q=0.5"
_STEPS = frozenset({".", ".."})
_IN_PATH = "/%:@!$&'()*+,;=-._~"
"""What a path may hold: its parameters are encoded before."""


class CannotSend(Exception):
    """These arguments cannot become a request; the text says which and why."""


def spelled(operation: Operation, base: WebAddress, arguments: Mapping[str, Any]) -> Outgoing:
    """The request below `base`, which decides its origin. `arguments` fit the operation's schema.
    Raises `CannotSend`."""
    path, _, literal = operation.path.partition("?")
    request = _Spelling(path, [literal] if literal else [])
    for parameter in operation.parameters:
        if parameter.argument in arguments:
            try:
                request.put(parameter, arguments[parameter.argument])
            except ValueError as error:
                raise CannotSend(_problem(operation, parameter.argument, error)) from None
    if any(unquote(step) in _STEPS for step in request.path.split("/")):
        raise CannotSend(f"The path of {operation.slug} has a step in it and is not called.")
    headers = request.headers
    if request.cookies:
        headers.append(("cookie", "; ".join(request.cookies)))
    content = _content(operation, arguments)
    if content is not None:
        headers.append(("content-type", content[0]))
    return Outgoing(
        method=operation.method,
        address=base,
        path=base.path.rstrip("/") + encoded(request.path, _IN_PATH),
        query="&".join(request.query),
        headers=tuple(headers),
        body=content[1] if content is not None else b"",
    )


class _Spelling:
    """A request that its parameters are put into, one by one."""

    def __init__(self, path: str, query: list[str]) -> None:
        self.path = path
        self.query = query
        self.headers = [("accept", _ACCEPT), ("user-agent", f"indus/{VERSION}")]
        self.cookies: list[str] = []

    def put(self, parameter: Parameter, value: object) -> None:
        """Raises ValueError for what cannot stand in its place."""
        match parameter.place:
            case Place.PATH:
                self.path = self.path.replace(f"{{{parameter.name}}}", _segment(parameter, value))
            case Place.QUERY:
                self.query += [f"{name}={each}" for name, each in in_query(parameter, value)]
            case Place.HEADER:
                self.headers.append((parameter.name, in_header(parameter, value)))
            case Place.COOKIE:
                self.cookies.append(in_cookie(parameter, value))


def _segment(parameter: Parameter, value: object) -> str:
    """Some servers read `%2F` as a slash, so that a step upwards is refused in any spelling."""
    text = in_path(parameter, value)
    if not text:
        raise ValueError("a part of a path cannot be empty")
    steps = unquote(text).replace("\\", "/").split("/")
    if any(step.partition(";")[0] in _STEPS for step in steps):
        raise ValueError("`.` and `..` are not taken as steps of a path")
    return text


def _content(operation: Operation, arguments: Mapping[str, Any]) -> tuple[str, bytes] | None:
    """Media type and bytes of the body, if there is one."""
    body = operation.body
    if body is None or BODY not in arguments:
        return None
    value = arguments[BODY]
    media = body.media.partition(";")[0].strip().lower()
    try:
        if media == "application/x-www-form-urlencoded" and is_map(value):
            return media, _form(body, mapped(value)).encode()
        if media == "multipart/form-data" and is_map(value):
            return _multipart(body, mapped(value))
        if "json" in media or not isinstance(value, str):
            return body.media, msgspec.json.encode(value)
        return body.media, value.encode()
    except ValueError as error:
        raise CannotSend(_problem(operation, BODY, error)) from None


def _form(body: RequestBody, fields: Mapping[str, Any]) -> str:
    pairs: Pairs = []
    for name, value in fields.items():
        how = mapped(body.encoding.get(name))
        style = next((each for each in Style if each == texted(how.get("style"))), Style.FORM)
        explode = how.get("explode")
        field = Parameter(
            argument=name,
            name=name,
            place=Place.QUERY,
            schema={},
            style=style,
            explode=explode if isinstance(explode, bool) else style in {Style.FORM, Style.DEEP},
            as_json=is_map(value) and "style" not in how,
        )
        pairs += in_query(field, value)
    return "&".join(f"{name}={value}" for name, value in pairs)


def _multipart(body: RequestBody, fields: Mapping[str, Any]) -> tuple[str, bytes]:
    boundary = f"indus-{secrets.token_hex(16)}"
    properties = mapped(body.schema.get("properties"))
    parts = bytearray()
    for name, value in fields.items():
        schema = mapped(properties.get(name))
        schema = mapped(schema.get("items")) or schema
        binary = schema.get("format") == "binary"
        for each in listed(value) if is_list(value) else [value]:
            parts += f"--{boundary}\r\n{_part(name, each, binary=binary)}\r\n".encode()
    parts += f"--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", bytes(parts)


def _part(name: str, value: object, *, binary: bool) -> str:
    quoted = name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
    head = f'Content-Disposition: form-data; name="{quoted}"'
    if binary:
        head += f'; filename="{quoted}"\r\nContent-Type: application/octet-stream'
    elif is_map(value) or is_list(value):
        head += "\r\nContent-Type: application/json"
    return f"{head}\r\n\r\n{plain(value)}"


def _problem(operation: Operation, argument: str, error: ValueError) -> str:
    reason = "it holds half a character" if isinstance(error, UnicodeError) else str(error)
    return f"The argument `{argument}` of {operation.slug} is not usable: {reason}."
