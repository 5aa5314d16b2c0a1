"""How amendments change the parameters of a request."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from induscode.kernel.request import Parameters

__all__ = ["amended"]

_NULL = b"null"


def amended(parameters: Parameters, changes: dict[str, Raw]) -> Parameters:
    """`max_output` and `thinking` are ours; any other name is a field of the provider's body, which
    null takes away. Raises `msgspec.DecodeError` when one of ours has a value of another type."""
    if not changes:
        return parameters
    extra = dict(parameters.extra)
    max_output, thinking = parameters.max_output, parameters.thinking
    for name, raw in changes.items():
        match name:
            case "max_output":
                max_output = msgspec.json.decode(raw, type=int)
            case "thinking":
                thinking = msgspec.json.decode(raw, type=str)
            case _ if bytes(raw) == _NULL:
                extra.pop(name, None)
            case _:
                extra[name] = raw
    return Parameters(max_output=max_output, thinking=thinking, extra=extra)
