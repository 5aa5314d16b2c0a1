"""Which model a run has when nobody chose one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

__all__ = ["LOCAL", "DefaultModel", "choose_default"]

LOCAL = "local/smollm2"
_NOTICE = (
    f"no key is configured, so {LOCAL} answers: a model of 135 million parameters that can read a"
    " file and say a sentence about it, not write code; for a real one: indus login anthropic,"
    " or -m PROVIDER/MODEL"
)


class DefaultModel(Struct, frozen=True):
    """`notice` is for the user, empty when there is nothing to say."""

    model: str
    notice: str = ""


def choose_default(
    configured: str, *, chosen: bool, keyed: Sequence[str], installed: bool
) -> DefaultModel:
    """`configured` is the model of the configuration, and `chosen` whether somebody set it (a
    file, the environment, a flag) rather than our defaults; `keyed` are the providers that have a
    key; `installed` says whether the local model is there.

    A choice is never overruled. Without one, a provider with a key keeps the default that is its
    own; with no key at all the local model steps in, if it can.
    """
    if chosen or keyed or not installed:
        return DefaultModel(configured)
    return DefaultModel(LOCAL, _NOTICE)
