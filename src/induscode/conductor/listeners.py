"""Everything that hears hooks in one session, made in one place."""

from __future__ import annotations

from msgspec import Struct

from induscode.conductor.decisions import Decisions
from induscode.conductor.environment_hooks import EnvironmentHooks
from induscode.conductor.hooks import Hooks
from induscode.conductor.recorder import Recorder
from induscode.conductor.shaping import Shaping
from induscode.conductor.tool_hooks import ToolHooks
from induscode.conductor.turn_hooks import TurnHooks
from induscode.conductor.wording import Wording
from induscode.session.blobs import BlobStore

__all__ = ["Listeners", "listening"]


class Listeners(Struct, frozen=True):
    """At turns and sessions, to texts, before requests, around calls, before commands."""

    turn: TurnHooks
    wording: Wording
    shaping: Shaping
    tool: ToolHooks
    environment: EnvironmentHooks


def listening(
    hooks: Hooks, decisions: Decisions, recorder: Recorder, blobs: BlobStore
) -> Listeners:
    return Listeners(
        turn=TurnHooks(hooks, decisions),
        wording=Wording(hooks, decisions, recorder, blobs),
        shaping=Shaping(hooks, decisions, recorder, blobs),
        tool=ToolHooks(hooks, decisions, recorder.secrets),
        environment=EnvironmentHooks(hooks, decisions, recorder.secrets),
    )
