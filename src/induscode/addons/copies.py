"""Copies of what an addon is shown: what it does to them changes nothing of ours.

Only dicts and lists are made anew. Texts, and whatever else cannot be changed, are shared: a copy
costs by the number of values, not by their length.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from induscode.addons.contract import ChatPayload, Payload, ShellPayload, ToolPayload
from induscode.kernel.tool import ToolResult

__all__ = ["arguments_copy", "payload_copy", "result_copy", "same"]

_SHARED = frozenset({str, int, float, bool, type(None)})
_COMPARED = _SHARED | {bytes, msgspec.Raw}


def payload_copy(payload: Payload) -> Payload:
    match payload:
        case ToolPayload(name=name, args=args, call_id=call, result=result):
            kept = None if result is None else result_copy(result)
            return ToolPayload(name, arguments_copy(args), call, kept)
        case ChatPayload(params=params):
            return ChatPayload(arguments_copy(params))
        case ShellPayload(env=env):
            return ShellPayload(dict(env))
        case _:
            return payload


def arguments_copy(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value if type(value) in _SHARED else _unshared(value)
        for key, value in arguments.items()
    }


def result_copy(result: ToolResult) -> ToolResult:
    """Its blocks cannot be changed; its details can."""
    if result.details is None:
        return result
    return msgspec.structs.replace(result, details=arguments_copy(result.details))


def same(one: object, other: object) -> bool:
    """Whether both are the same JSON, where 1, 1.0 and true are three. What is of no type of ours
    is the same as nothing but itself: it is not asked."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    match one, other:
        case dict(), dict():
            first, second = cast("dict[Any, object]", one), cast("dict[Any, object]", other)
            return len(first) == len(second) and all(
                key in second and same(value, second[key]) for key, value in first.items()
            )
        case (list(), list()) | (tuple(), tuple()):
            left, right = cast("list[object]", one), cast("list[object]", other)
            return len(left) == len(right) and all(map(same, left, right))
        case msgspec.Struct(), msgspec.Struct():
            return all(same(getattr(one, f), getattr(other, f)) for f in one.__struct_fields__)
        case _:
            return type(one) in _COMPARED and one == other


def _unshared(value: Any) -> Any:
    if type(value) is dict:
        return arguments_copy(cast("dict[str, Any]", value))
    if type(value) is list:
        members = cast("list[Any]", value)
        return [one if type(one) in _SHARED else _unshared(one) for one in members]
    return msgspec.json.decode(msgspec.json.encode(value))  # no JSON of ours: at least a copy
