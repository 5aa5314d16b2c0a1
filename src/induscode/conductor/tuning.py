"""Other parameters of a request, as a hook wants them: checked, and reduced to what changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw

from induscode.feature.limits import PARAMETERS_BYTES
from induscode.kernel.jsontext import canonical
from induscode.kernel.request import EFFORTS, Parameters

__all__ = ["changes_of", "shown"]

_OF_THE_REQUEST = frozenset({"messages", "model", "stream", "system", "tools"})


def shown(parameters: Parameters) -> dict[str, Any]:
    """All of them by name, as a hook sees them."""
    extra = {name: msgspec.json.decode(raw) for name, raw in parameters.extra.items()}
    return {"max_output": parameters.max_output, "thinking": parameters.thinking, **extra}


def changes_of(wanted: Mapping[str, Any], now: Parameters) -> dict[str, Raw] | str:
    """Those that are not so already, as they are recorded; or a sentence about one that cannot
    be. A field of the provider's own is null when it is taken away."""
    has = shown(now)
    changes: dict[str, Raw] = {}
    for name, value in wanted.items():
        if why := _problem(name, value):
            return f"the parameter {name!r} {why}"
        try:
            written = canonical(value)
        except (TypeError, ValueError, RecursionError) as error:
            return f"the parameter {name!r} has no value that JSON can say: {error}"
        if written != canonical(has.get(name)):
            changes[name] = Raw(written)
    size = sum(len(name) + len(bytes(raw)) for name, raw in changes.items())
    if size > PARAMETERS_BYTES:
        return f"the parameters have {size} bytes; at most {PARAMETERS_BYTES} are taken"
    return changes


def _problem(name: str, value: object) -> str:
    match name, value:
        case "max_output", bool():
            return f"must be a whole number of at least 1, not {value!r}"
        case "max_output", int() if value > 0:
            return ""
        case "max_output", _:
            return f"must be a whole number of at least 1, not {value!r}"
        case "thinking", str() if value in EFFORTS:
            return ""
        case "thinking", _:
            return f"must be one of {', '.join(EFFORTS)}, not {value!r}"
        case _ if name in _OF_THE_REQUEST:
            return "is part of every request and cannot be set"
        case _ if not (name and name.isascii() and name.isprintable()):
            return "is no name of a field"
        case _:
            return ""
