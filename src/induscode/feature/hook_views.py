"""What a hook sees, and what it may answer: frozen views, closed decisions."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from induscode.feature.diagnostic import FeatureDiagnostic
from induscode.kernel.content import SaidBlock

__all__ = [
    "AmendParameters",
    "AmendRequest",
    "Continue",
    "DenyWithSyntheticError",
    "EmitDiagnosticRecord",
    "PublicBeforeRewriteDecision",
    "PublicBeforeRewriteEvent",
    "PublicInputSubmitDecision",
    "PublicInputSubmitEvent",
    "PublicObserverDecision",
    "PublicPostAssistantDecision",
    "PublicPostAssistantEvent",
    "PublicPostToolCallDecision",
    "PublicPostToolCallEvent",
    "PublicPreRequestDecision",
    "PublicPreRequestEvent",
    "PublicPreToolCallDecision",
    "PublicPreToolCallEvent",
    "PublicRequestParametersDecision",
    "PublicRequestParametersEvent",
    "PublicSessionEvent",
    "PublicShellEnvironmentDecision",
    "PublicShellEnvironmentEvent",
    "PublicSummaryDecision",
    "PublicSummaryEvent",
    "PublicTurnEndEvent",
    "PublicTurnStartEvent",
    "ReplaceAnswer",
    "ReplaceResult",
    "ReplaceSummary",
    "RewriteArguments",
    "RewriteInput",
    "SetEnvironment",
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
    """Another text in place of what the tool returned; or other `content`, where that is more than
    a text."""

    text: str = ""
    is_error: bool = False
    content: tuple[SaidBlock, ...] = ()


class RewriteInput(Struct, frozen=True, tag="rewrite-input"):
    """Another text for the model in the place of what the person said; the person's own words stay
    in the log."""

    text: str


class AmendRequest(Struct, frozen=True, tag="amend"):
    """Changes to what the model sees: other `texts` of earlier entries by their id, `None` leaves
    one out; `added` come after all that it sees now. They become an amendment entry, and hold from
    then on; what the model sees so already is not done again."""

    texts: dict[str, str | None] = {}
    added: tuple[str, ...] = ()


class AmendParameters(Struct, frozen=True, tag="amend-parameters"):
    """Other values for fields of the request, from here on; `None` takes a field of the provider's
    own away. What is so already is not recorded again."""

    parameters: dict[str, Any]


class ReplaceAnswer(Struct, frozen=True, tag="replace-answer"):
    """Another text in the place of what the model said. Its calls and its thinking stay."""

    text: str


class ReplaceSummary(Struct, frozen=True, tag="replace-summary"):
    """Another summary of what was condensed."""

    text: str


class SetEnvironment(Struct, frozen=True, tag="set-environment"):
    """Other values for variables of a command, `None` takes one away. Each name needs the grant
    `shape-environment(NAME)`; some no feature may touch."""

    values: dict[str, str | None]


PublicPreToolCallDecision = (
    Continue | DenyWithSyntheticError | RewriteArguments | EmitDiagnosticRecord
)
PublicPostToolCallDecision = (
    Continue | DenyWithSyntheticError | ReplaceResult | EmitDiagnosticRecord
)
PublicInputSubmitDecision = Continue | DenyWithSyntheticError | RewriteInput | EmitDiagnosticRecord
PublicPreRequestDecision = Continue | DenyWithSyntheticError | AmendRequest | EmitDiagnosticRecord
PublicRequestParametersDecision = Continue | AmendParameters | EmitDiagnosticRecord
PublicPostAssistantDecision = Continue | ReplaceAnswer | EmitDiagnosticRecord | None
PublicShellEnvironmentDecision = Continue | SetEnvironment | EmitDiagnosticRecord
PublicBeforeRewriteDecision = Continue | DenyWithSyntheticError | EmitDiagnosticRecord
PublicSummaryDecision = Continue | ReplaceSummary | EmitDiagnosticRecord
PublicObserverDecision = Continue | EmitDiagnosticRecord | None


class PublicPreToolCallEvent(Struct, frozen=True):
    """A call that the host permits. `arguments` is a fresh copy each time it is asked for."""

    call: str
    tool: str
    arguments_json: str

    @property
    def arguments(self) -> dict[str, Any]:
        return msgspec.json.decode(self.arguments_json, type=dict[str, Any])


class PublicPostToolCallEvent(Struct, frozen=True):
    """How a call ended; `text` is what can be read of its `content`. `error` says how the call
    itself failed, where no tool answered: it raised or was stopped. The text is then the host's."""

    call: str
    tool: str
    arguments_json: str
    text: str
    is_error: bool
    error: str | None = None
    content: tuple[SaidBlock, ...] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        return msgspec.json.decode(self.arguments_json, type=dict[str, Any])


class PublicInputSubmitEvent(Struct, frozen=True):
    text: str


class PublicTurnStartEvent(Struct, frozen=True):
    """`text` is what was said, as the model will read it: empty when a turn that broke off goes on
    (`resumed`)."""

    session: str
    text: str
    resumed: bool = False


class PublicPreRequestEvent(Struct, frozen=True):
    """What the model is about to be asked: `texts` by the id of the entry that put them there, also
    those that hooks put there, and results of calls."""

    model: str
    texts: tuple[tuple[str, str, str], ...]
    """(entry id, role, text), in order."""


class PublicRequestParametersEvent(Struct, frozen=True):
    """How the model is about to be asked. `parameters` is a fresh copy each time it is asked for:
    `max_output`, `thinking`, and the provider's own fields by their names."""

    model: str
    parameters_json: str

    @property
    def parameters(self) -> dict[str, Any]:
        return msgspec.json.decode(self.parameters_json, type=dict[str, Any])


class PublicPostAssistantEvent(Struct, frozen=True):
    """What the model said, and how many calls it makes; `entry` is the id of the answer."""

    text: str
    calls: int
    entry: str = ""


class PublicShellEnvironmentEvent(Struct, frozen=True):
    """A command is about to start. `environment` is all that it would find; it is a copy."""

    tool: str
    call: str
    environment: dict[str, str]


class PublicTurnEndEvent(Struct, frozen=True):
    text: str
    session: str = ""


class PublicBeforeRewriteEvent(Struct, frozen=True):
    """`reason` says why the conversation is condensed."""

    what: Literal["compaction", "rewind", "fork"]
    reason: str = ""


class PublicSummaryEvent(Struct, frozen=True):
    """The conversation is condensed for this reason, to this summary."""

    reason: str
    summary: str


class PublicSessionEvent(Struct, frozen=True):
    session: str
    resumed: bool = False
