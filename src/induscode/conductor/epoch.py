"""When the prefix of the prompt may change, and what is recorded when it does.

An epoch begins for a listed cause (input, resume, approval, compaction, a change of model or
tools). Then, and only then, briefing, tools, model, mode and installed features are compared with
what the log says, and only what differs becomes entries. The clock in the briefing is taken anew
when something else changed; it is no cause itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from induscode.conductor.ports import BoundTool, Bridged, BriefSpan, ModelSetting, Setup
from induscode.kernel.jsontext import clean_text, digest
from induscode.session.blobs import BlobStore
from induscode.session.bridged import GoneTool
from induscode.session.entries import (
    FORMAT_VERSION,
    Amendment,
    Bridge,
    Briefing,
    Install,
    KnownEntry,
    ModeChange,
    ModelChoice,
    Operation,
    SessionStart,
    StoredSpan,
    ToolRow,
    Toolset,
)
from induscode.session.state import SessionState

__all__ = ["begin_epoch", "model_entries"]

_INLINE_SPAN = 1024
_BRIDGE = "builtin:mcp"
_NOT_HERE = "its server is not part of this session"


def begin_epoch(
    state: SessionState,
    setup: Setup,
    setting: ModelSetting,
    blobs: BlobStore,
    *,
    session: str,
    cause: str,
) -> list[KnownEntry]:
    """The entries that bring the log up to date with how the session is set up now."""
    entries: list[KnownEntry] = []
    if state.start is None:
        entries.append(
            SessionStart(
                format=FORMAT_VERSION,
                session=session,
                workspace=setup.workspace,
                cwd=setup.cwd,
                indus=setup.version,
                delegator=setup.delegator,
            )
        )
    news = [feature for feature in setup.features if state.features.get(feature.id) != feature]
    if news:
        entries.append(Install(features=news))
    if state.mode != setup.mode:
        entries.append(ModeChange(mode=setup.mode, reason=cause))
    entries.extend(model_entries(state, setting, cause))
    entries.extend(_bridge(state, setup.bridged, cause))
    entries.extend(_toolset(state, setup.tools, blobs, cause))
    spans = setup.briefing([bound.tool for bound in setup.tools])
    entries.extend(_briefing(state, spans, blobs, cause))
    return entries


def model_entries(state: SessionState, setting: ModelSetting, cause: str) -> list[KnownEntry]:
    """The change of model, if it is one, and what must not be shown to the new one."""
    known = state.model
    choice = ModelChoice(
        provider=setting.name,
        model=setting.model,
        wire=setting.provider.wire,
        parameters=setting.parameters,
        reason=setting.cause or cause,
    )
    if known is not None and _same_model(known, choice):
        return []
    entries: list[KnownEntry] = [choice]
    moved = known is not None and (known.wire, known.model) != (choice.wire, choice.model)
    if moved and state.thinking_answers:
        # Another model may not be shown this one's signed reasoning.
        drops = [Operation(op="omit", target=answer) for answer in state.thinking_answers]
        entries.append(Amendment(operations=drops))
    return entries


def _same_model(known: ModelChoice, choice: ModelChoice) -> bool:
    return (known.provider, known.model, known.wire, known.parameters) == (
        choice.provider,
        choice.model,
        choice.wire,
        choice.parameters,
    )


def _bridge(state: SessionState, bridged: Bridged, cause: str) -> list[KnownEntry]:
    names = {tool.name for tool in bridged.live}
    live = [tool for tool in bridged.live if state.bridged.get(tool.name) != tool]
    gone = [
        GoneTool(name, bridged.held.get(name, _NOT_HERE))
        for name in state.bridged
        if name not in names
    ]
    if not live and not gone:
        return []
    return [Bridge(ledger=bridged.ledger, live=live, gone=gone, cause=cause, by=_BRIDGE)]


def _toolset(
    state: SessionState, tools: Sequence[BoundTool], blobs: BlobStore, cause: str
) -> list[KnownEntry]:
    definitions = [
        blobs.fit(
            msgspec.json.encode(
                {
                    "name": bound.tool.name,
                    "description": clean_text(bound.tool.description)[0],
                    "parameters": bound.tool.parameters,
                }
            )
        )
        for bound in tools
    ]
    data = b"[" + b",".join(definitions) + b"]"
    rows = [
        ToolRow(bound.tool.name, bound.by, digest(definition), len(definition))
        for bound, definition in zip(tools, definitions, strict=True)
    ]
    known = state.toolset
    if known is not None and known.sha256 == digest(data) and known.tools == rows:
        return []
    return [Toolset(sha256=blobs.put(data), tools=rows, cause=cause)]


def _briefing(
    state: SessionState, spans: Sequence[BriefSpan], blobs: BlobStore, cause: str
) -> list[KnownEntry]:
    stored = [_stored(span, blobs) for span in spans]
    if state.briefing is not None and _shape(state.briefing.spans) == _shape(stored):
        return []
    kept = [
        span
        if len(span.text or "") <= _INLINE_SPAN
        else msgspec.structs.replace(span, text=None, sha256=blobs.put((span.text or "").encode()))
        for span in stored
    ]
    return [Briefing(spans=kept, cause=cause)]


def _stored(span: BriefSpan, blobs: BlobStore) -> StoredSpan:
    data = blobs.fit(clean_text(span.text)[0].encode())
    return StoredSpan(
        name=span.name,
        by=span.by,
        sha256=digest(data),
        size=len(data),
        text=data.decode(),
        source=span.source,
        parts=list(span.parts),
        lasting="" if span.lasting is None else digest(clean_text(span.lasting)[0].encode()),
    )


def _shape(spans: list[StoredSpan]) -> list[tuple[object, ...]]:
    """What is compared: all but where a text is kept, and the clock in it."""
    return [
        (span.name, span.by, span.lasting or span.sha256, span.source, span.parts) for span in spans
    ]
