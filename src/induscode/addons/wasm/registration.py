"""What a component says that it contributes."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from induscode.addons.contract import HookEvent, HookKind
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import CONTRIBUTIONS_MOST
from induscode.kernel.jsontext import JsonProblem, parse_object

__all__ = ["Interceptor", "OfferedCommand", "OfferedTool", "Registration", "Subscription", "parsed"]

Handler = Annotated[int, Meta(ge=0, lt=2**32)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class Subscription(Struct, frozen=True, forbid_unknown_fields=True):
    handler: Handler
    event: HookEvent
    kind: HookKind


class Interceptor(Struct, frozen=True, forbid_unknown_fields=True):
    """Without a `tool` it is about every tool."""

    handler: Handler
    tool: Name | None = None
    enter: bool = False
    exit: bool = False


class OfferedCommand(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    summary: str = ""


class OfferedTool(Struct, frozen=True, forbid_unknown_fields=True):
    """`parameters` is a JSON schema of type object."""

    name: Name
    description: str
    parameters: dict[str, Any]


_Most = Meta(max_length=CONTRIBUTIONS_MOST)


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    id: Name | None = None
    version: Name | None = None
    subscriptions: Annotated[tuple[Subscription, ...], _Most] = ()
    interceptors: Annotated[tuple[Interceptor, ...], _Most] = ()
    commands: Annotated[tuple[OfferedCommand, ...], _Most] = ()
    tools: Annotated[tuple[OfferedTool, ...], _Most] = ()


def parsed(text: str) -> Registration:
    """Raises `WasmFault`, naming the field."""
    try:
        return msgspec.convert(parse_object(text)[1], Registration)
    except (JsonProblem, msgspec.ValidationError) as error:
        raise WasmFault(
            WasmFaultKind.BAD_ANSWER,
            f"register: {error}",
            hint="see the world in indus:addon@1.0.0 for its shape",
        ) from None
