"""What the gate answers. Each verdict says which rule decided and from which layer it came."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

__all__ = ["Allow", "Ask", "Deny", "Layer", "Verdict"]


class Layer(StrEnum):
    """Where a rule was written. A workspace may only narrow: its allow rules are ignored."""

    FLAG = "flag"
    USER = "user config"
    WORKSPACE = "workspace"
    SESSION = "this session"
    TURN = "this turn"
    ALWAYS = "always"
    MODE = "mode"
    BUILTIN = "built-in"


class Allow(Struct, frozen=True, tag="allow"):
    rule: str
    layer: Layer


class Ask(Struct, frozen=True, tag="ask"):
    """`question` says why a person must decide; the whole call is shown beside it."""

    question: str
    rule: str
    layer: Layer


class Deny(Struct, frozen=True, tag="deny"):
    """`reason` is a sentence for the model."""

    reason: str
    rule: str
    layer: Layer


Verdict = Allow | Ask | Deny
