"""What a component says that it contributes."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from induscode.addons.offers import Most, Name, Offers
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.feature.capability import CapabilityRequest, parse_capability
from induscode.feature.limits import TEXT_CHARACTERS
from induscode.kernel.jsontext import parse_object

__all__ = ["Registration", "WantedCapability", "parsed"]


class WantedCapability(Struct, frozen=True, forbid_unknown_fields=True):
    """`name` as people write it, e.g. `scoped-fs(execute)`."""

    name: str
    reason: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARACTERS)]
    required: bool = True

    def request(self) -> CapabilityRequest:
        """Raises ValueError for what is no capability."""
        return CapabilityRequest(parse_capability(self.name), self.reason, self.required)


class Registration(Offers, frozen=True, forbid_unknown_fields=True):
    id: Name | None = None
    version: Name | None = None
    capabilities: Annotated[tuple[WantedCapability, ...], Most] = ()

    def requests(self) -> tuple[CapabilityRequest, ...]:
        return tuple(wanted.request() for wanted in self.capabilities)


def parsed(text: str) -> Registration:
    """Raises `WasmFault`, naming the field."""
    try:
        found = msgspec.convert(parse_object(text)[1], Registration)
        found.check()
        found.requests()
    except ValueError as error:  # of JSON, of its shape, or of a capability
        raise WasmFault(
            WasmFaultKind.BAD_ANSWER,
            f"register: {error}",
            hint="the world indus:addon@1.0.0 has its shape",
        ) from None
    return found
