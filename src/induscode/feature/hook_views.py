"""What a hook sees, and what it may answer: frozen views, closed decisions."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from induscode.feature.diagnostic import FeatureDiagnostic

__all__ = [
    "AmendRequest",
    "Continue",
    "DenyWithSyntheticError",
    "EmitDiagnosticRecord",
    "PublicBeforeRewriteDecision",
    "PublicBeforeRewriteEvent",
    "PublicInputSubmitDecision",
    "PublicInputSubmitEvent",
    "PublicPostAssistantEvent",
    "PublicPostToolCallDecision",
    "PublicPostToolCallEvent",
    "PublicPreRequestDecision",
    "PublicPreRequestEvent",
    "PublicPreToolCallDecision",
    "PublicPreToolCallEvent",
    "PublicSessionEvent",
    "PublicTurnEndEvent",
    "ReplaceResult",
    "RewriteArguments",
]


class Continue(Struct, frozen=True, tag="continue"):
    """Nothing to object."""


class DenyWithSyntheticError(Struct, frozen=True, tag="deny"):
    """What was about to happen does not; the message says why, to the model where it asked."""

    message: str


class EmitDiagnosticRecord(Struct, frozen=True, tag="diagnostic"):
    """Go on, and record this for the host."""

    diagnostic: FeatureDiagnostic


class RewriteArguments(Struct, frozen=True, tag="rewrite"):
    """Other arguments; they are validated and pass the host's permission again."""

    arguments: dict[str, Any]


class ReplaceResult(Struct, frozen=True, tag="replace"):
    """Another text in place of what the tool returned."""

    text: str
    is_error: bool = False


class AmendRequest(Struct, frozen=True, tag="amend"):
    """Changes to what the model sees of earlier entries: texts by entry id, `None` leaves one out.
    They become an amendment entry."""

    texts: dict[str, str | None]


PublicPreToolCallDecision = (
    Continue | DenyWithSyntheticError | RewriteArguments | EmitDiagnosticRecord
)
PublicPostToolCallDecision = (
    Continue | DenyWithSyntheticError | ReplaceResult | EmitDiagnosticRecord
)
PublicInputSubmitDecision = Continue | DenyWithSyntheticError | EmitDiagnosticRecord
PublicPreRequestDecision = Continue | DenyWithSyntheticError | AmendRequest | EmitDiagnosticRecord
PublicBeforeRewriteDecision = Continue | DenyWithSyntheticError | EmitDiagnosticRecord


class PublicPreToolCallEvent(Struct, frozen=True):
    """A call that the host permits. `arguments` is a fresh copy each time it is asked for."""

    call: str
    tool: str
    arguments_json: str

    @property
    def arguments(self) -> dict[str, Any]:
        return msgspec.json.decode(self.arguments_json, type=dict[str, Any])


class PublicPostToolCallEvent(Struct, frozen=True):
    call: str
    tool: str
    arguments_json: str
    text: str
    is_error: bool

    @property
    def arguments(self) -> dict[str, Any]:
        return msgspec.json.decode(self.arguments_json, type=dict[str, Any])


class PublicInputSubmitEvent(Struct, frozen=True):
    text: str


class PublicPreRequestEvent(Struct, frozen=True):
    """What the model is about to be asked: `texts` by the id of the entry that put them there."""

    model: str
    texts: tuple[tuple[str, str, str], ...]
    """(entry id, role, text), in order."""


class PublicPostAssistantEvent(Struct, frozen=True):
    text: str
    calls: int


class PublicTurnEndEvent(Struct, frozen=True):
    text: str


class PublicBeforeRewriteEvent(Struct, frozen=True):
    what: Literal["compaction", "rewind", "fork"]


class PublicSessionEvent(Struct, frozen=True):
    session: str
    resumed: bool = False
