"""What a component says that it contributes."""

from __future__ import annotations

import msgspec

from induscode.addons.offers import Offers
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.kernel.jsontext import JsonProblem, parse_object

__all__ = ["parsed"]


def parsed(text: str) -> Offers:
    """Raises `WasmFault`, naming the field."""
    try:
        found = msgspec.convert(parse_object(text)[1], Offers)
        found.check_spoken()
        if found.tasks:
            raise JsonProblem("tasks: a component has none, it runs only while it is called")
    except ValueError as error:  # of JSON, of its shape, or of a capability
        raise WasmFault(
            WasmFaultKind.BAD_ANSWER,
            f"register: {error}",
            hint="the world indus:addon@1.0.0 has its shape",
        ) from None
    return found
