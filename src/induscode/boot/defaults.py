"""Which model a run has when nobody chose one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

__all__ = ["LOCAL", "DefaultModel", "choose_default"]

LOCAL = "local/smollm2"
_FAVOURITES = {
    "anthropic": "anthropic/claude-sonnet-4-5",
    "openai": "openai/gpt-5",
    "gemini": "gemini/gemini-2.5-pro",
}
_NOTICE = (
    f"no key is configured, so {LOCAL} answers: a model of 135 million parameters that can read a"
    " file and say a sentence about it, not write code; for a real one: indus login anthropic,"
    " or -m PROVIDER/MODEL"
)


class DefaultModel(Struct, frozen=True):
    """`notice` is for the user, empty when there is nothing to say."""

    model: str
    notice: str = ""


def choose_default(configured: str, *, keyed: Sequence[str], installed: bool) -> DefaultModel:
    """`configured` is what our defaults say; `keyed` are the providers that have a key;
    `installed` says whether the local model is there.

    A provider with a key comes first; with no key at all the local model steps in, if it can.
    """
    for provider, favourite in _FAVOURITES.items():
        if provider in keyed:
            return DefaultModel(favourite)
    if keyed or not installed:
        return DefaultModel(configured)
    return DefaultModel(LOCAL, _NOTICE)
