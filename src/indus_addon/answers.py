"""What a handler returns, in the form in which it is answered. What is unclear is an error, so that
the host decides on the safe side."""

from __future__ import annotations

from typing import Any, cast

__all__ = ["entered", "left", "said", "tool_result"]


def said(kind: str, outcome: Any) -> dict[str, Any] | None:
    """Of a handler of an event."""
    if kind == "observe":
        return None
    if kind == "transform":
        return None if outcome is None else {"payload": outcome}
    if outcome is None:
        return {"stop": False}
    if isinstance(outcome, str):
        return {"stop": True, "reason": outcome}
    raise TypeError(f"a gate returns a reason or None, not {outcome!r}")


def entered(outcome: Any) -> dict[str, Any]:
    if outcome is None:
        return {"action": "continue"}
    if isinstance(outcome, str):
        return {"action": "block", "reason": outcome}
    if isinstance(outcome, dict):
        return {"action": "rewrite", "args": outcome}
    raise TypeError(f"`enter` returns arguments, a reason or None, not {outcome!r}")


def left(outcome: Any) -> dict[str, Any]:
    if outcome is None:
        return {"action": "continue"}
    return {"action": "rewrite", "result": tool_result(outcome)}


def tool_result(outcome: Any) -> dict[str, Any]:
    if isinstance(outcome, str):
        return {"content": [{"type": "text", "text": outcome}]}
    if isinstance(outcome, dict):
        return cast("dict[str, Any]", outcome)
    raise TypeError(f"a result is a text, or a dictionary with `content`, not {outcome!r}")
