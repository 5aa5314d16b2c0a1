"""What encoders make of parameters and system spans alike. Part of released formats: a change here
is a new version of every encoder that uses it."""

from __future__ import annotations

from collections.abc import Iterable

from induscode.errors import RequestRejected
from induscode.kernel.request import Parameters, Span

__all__ = ["extra_fields", "max_tokens", "system_text", "thinking_budget", "thinking_level"]

_BUDGETS = {"low": 2048, "medium": 8192, "high": 24576}


def thinking_level(parameters: Parameters) -> str:
    """The effort asked for, empty when there is to be none. Raises `RequestRejected`."""
    level = parameters.thinking
    if level == "off":
        return ""
    if level not in _BUDGETS:
        known = ", ".join(["off", *_BUDGETS])
        raise RequestRejected(f"there is no thinking level {level!r}", hint=f"use one of {known}")
    return level


def thinking_budget(parameters: Parameters) -> int:
    """The effort in tokens, for providers that count them."""
    level = thinking_level(parameters)
    return _BUDGETS[level] if level else 0


def max_tokens(parameters: Parameters, budget: int) -> int:
    """Thinking counts as output, so an answer keeps its room beside it."""
    asked = parameters.max_output
    return asked if asked > budget else asked + budget


def extra_fields(parameters: Parameters, ours: frozenset[str]) -> dict[str, bytes]:
    """The provider's own fields, sorted. Raises `RequestRejected` for one of `ours`: what a model
    sees comes from the log alone."""
    clash = sorted(ours & parameters.extra.keys())
    if clash:
        raise RequestRejected(
            f"the parameter {clash[0]!r} is part of every request and cannot be set",
            hint="remove it from the extra parameters",
        )
    return {name: bytes(parameters.extra[name]) for name in sorted(parameters.extra)}


def system_text(spans: Iterable[Span]) -> str:
    return "\n\n".join([span.text for span in spans if span.text])
