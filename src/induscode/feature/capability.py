"""What a feature may ask the host for, what it was granted, and what it was denied.

A request is not a grant: a descriptor requests, the host grants. Every kind here has an operation
that fails without it; a kind that enforces nothing does not belong here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, get_args

import msgspec
from msgspec import Struct

from induscode.feature.lending import Lease, lent
from induscode.feature.points import HookPoint

__all__ = [
    "AnyCapability",
    "CapabilityDenial",
    "CapabilityGrantSet",
    "CapabilityRequest",
    "ContributeCommand",
    "ContributeFragment",
    "ContributeHook",
    "ContributeTool",
    "Delegation",
    "EmitAlert",
    "EmitDiagnostic",
    "EmitModelNotification",
    "FeatureState",
    "GrantPort",
    "HostCapability",
    "InheritEnvironment",
    "MemoryStore",
    "Network",
    "NetworkPurpose",
    "RunBackgroundTask",
    "ScopedFs",
    "SecretRef",
    "SendMessage",
    "SetModel",
    "SetThinking",
    "ShapeEnvironment",
    "WorkItemStore",
    "parse_capability",
]


class NetworkPurpose(StrEnum):
    """Why a feature wants the network: each is granted by itself."""

    FETCH = "fetch"
    SEARCH = "search"
    CONNECTOR = "connector"
    TELEMETRY = "telemetry"


class HostCapability(Struct, frozen=True, tag_field="kind"):
    """An authority of the host. Flags say how much of it; `covers` compares them."""

    def covers(self, other: HostCapability) -> bool:
        """Whether holding this is enough for `other`: the same kind and object, no fewer flags."""
        if type(other) is not type(self):
            return False
        for field in self.__struct_fields__:
            mine, wanted = getattr(self, field), getattr(other, field)
            if isinstance(mine, bool):
                if wanted and not mine:
                    return False
            elif mine != wanted:
                return False
        return True

    def text(self) -> str:
        """In words for people and command lines, e.g. `scoped-fs(read, write)`."""
        details: list[str] = []
        for field in self.__struct_fields__:
            value = getattr(self, field)
            if value is True:
                details.append(field)
            elif value is not False:
                details.append(str(value))
        kind = str(self.__struct_config__.tag)
        return f"{kind}({', '.join(details)})" if details else kind


class ContributeTool(HostCapability, frozen=True, tag="contribute-tool"):
    name: str


class ContributeHook(HostCapability, frozen=True, tag="contribute-hook"):
    point: HookPoint


class ContributeCommand(HostCapability, frozen=True, tag="contribute-command"):
    name: str


class ContributeFragment(HostCapability, frozen=True, tag="contribute-fragment"):
    """A piece of the system prompt."""

    slot: str


class RunBackgroundTask(HostCapability, frozen=True, tag="run-background-task"):
    pass


class EmitModelNotification(HostCapability, frozen=True, tag="emit-model-notification"):
    pass


class EmitAlert(HostCapability, frozen=True, tag="emit-alert"):
    pass


class EmitDiagnostic(HostCapability, frozen=True, tag="emit-diagnostic"):
    pass


class ScopedFs(HostCapability, frozen=True, tag="scoped-fs"):
    """Files of the workspace; `execute` runs commands there. Every use passes the gate too."""

    read: bool = False
    write: bool = False
    execute: bool = False


class WorkItemStore(HostCapability, frozen=True, tag="work-item-store"):
    read: bool = False
    write: bool = False


class MemoryStore(HostCapability, frozen=True, tag="memory-store"):
    read: bool = False
    write: bool = False


class Delegation(HostCapability, frozen=True, tag="delegation"):
    spawn: bool = False
    message: bool = False
    restore: bool = False


class Network(HostCapability, frozen=True, tag="network"):
    purpose: NetworkPurpose


class SecretRef(HostCapability, frozen=True, tag="secret-ref"):
    """One secret, by its name; never its value."""

    id: str


class FeatureState(HostCapability, frozen=True, tag="feature-state"):
    """A durable directory of the feature's own."""


class SendMessage(HostCapability, frozen=True, tag="send-message"):
    """Put a text into the turn that runs, in front of the model."""


class SetModel(HostCapability, frozen=True, tag="set-model"):
    """Choose the model of the inputs to come."""


class SetThinking(HostCapability, frozen=True, tag="set-thinking"):
    """Choose how much the model thinks, for the inputs to come."""


class ShapeEnvironment(HostCapability, frozen=True, tag="shape-environment"):
    """Set or take away one variable of the commands that run."""

    name: str


class InheritEnvironment(HostCapability, frozen=True, tag="inherit-environment"):
    """One variable of ours, by its name, for the feature's own process."""

    name: str


AnyCapability = (
    ContributeTool
    | ContributeHook
    | ContributeCommand
    | ContributeFragment
    | RunBackgroundTask
    | EmitModelNotification
    | EmitAlert
    | EmitDiagnostic
    | ScopedFs
    | WorkItemStore
    | MemoryStore
    | Delegation
    | Network
    | SecretRef
    | FeatureState
    | SendMessage
    | SetModel
    | SetThinking
    | ShapeEnvironment
    | InheritEnvironment
)


_KINDS: dict[str, type[AnyCapability]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnyCapability)
}


def parse_capability(text: str) -> AnyCapability:
    """What `HostCapability.text` wrote. Raises ValueError, saying what there is."""
    name, bracket, rest = text.strip().partition("(")
    kind = _KINDS.get(name.strip())
    if kind is None:
        raise ValueError(f"{name.strip()!r} is no capability; there are {', '.join(_KINDS)}")
    if bracket and not rest.endswith(")"):
        raise ValueError(f"{text!r}: the closing ')' is missing")
    words = [word.strip() for word in rest[:-1].split(",") if word.strip()] if bracket else []
    return _made(kind, words)


def _made(kind: type[AnyCapability], words: list[str]) -> AnyCapability:
    names = kind.__struct_fields__
    flags = all(isinstance(default, bool) for default in kind.__struct_defaults__)
    if names and kind.__struct_defaults__ and flags:
        strange = [word for word in words if word not in names]
        if strange or not words:
            raise ValueError(f"say which of {', '.join(names)}, in brackets")
        fields: dict[str, object] = dict.fromkeys(words, True)
    elif len(words) != len(names):
        wanted = ", ".join(names) or "nothing"
        raise ValueError(f"in brackets stands {wanted}")
    else:
        fields = dict(zip(names, words, strict=True))
    tagged = {"kind": kind.__struct_config__.tag, **fields}
    try:
        return msgspec.convert(tagged, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


class CapabilityRequest(Struct, frozen=True):
    """`reason` is shown to the person who grants it. Without a required one the feature is not
    installed; without an optional one only what needs it is left out."""

    capability: AnyCapability
    reason: str
    is_required: bool = True

    @classmethod
    def required(cls, capability: AnyCapability, reason: str) -> CapabilityRequest:
        return cls(capability, reason, is_required=True)

    @classmethod
    def optional(cls, capability: AnyCapability, reason: str) -> CapabilityRequest:
        return cls(capability, reason, is_required=False)


class CapabilityDenial(Struct, frozen=True):
    """What was not given, and why not."""

    capability: AnyCapability
    reason: str


class GrantPort(Protocol):
    """What the host keeps behind a grant set: asked anew each time, so that a withdrawal counts at
    once."""

    def denial(self, capability: AnyCapability) -> str | None:
        """Why it may not be used now, None when it may."""
        ...


class CapabilityGrantSet:
    """What a feature holds now. A view: it can be asked, not changed."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[GrantPort]) -> None:
        self.lease = lease

    def allows(self, capability: AnyCapability) -> bool:
        return self.denial(capability) is None

    def denial(self, capability: AnyCapability) -> CapabilityDenial | None:
        why = lent(self.lease).denial(capability)
        return None if why is None else CapabilityDenial(capability, why)
