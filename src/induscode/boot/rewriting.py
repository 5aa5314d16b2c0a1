"""Asking the features of a session before its history or its files are taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from induscode.boot.addons.session import addons_of
from induscode.boot.assemble import policy_of
from induscode.boot.deck import deck_of
from induscode.boot.features import Ground, install_features
from induscode.boot.framework import deck_context
from induscode.boot.invocation import Invocation
from induscode.boot.machine import Machine
from induscode.boot.outlet import Outlet
from induscode.boot.permission import SessionPermission
from induscode.boot.secrets import clean_events
from induscode.boot.surroundings import Surroundings
from induscode.conductor.decisions import Decisions
from induscode.conductor.recorder import Recorder
from induscode.conductor.turn_hooks import TurnHooks
from induscode.errors import UserError
from induscode.feature.registry import Package
from induscode.kernel.events import Event
from induscode.session.log import SessionLog

__all__ = ["check_rewind"]

_PATIENCE = 2.0


async def check_rewind(
    around: Surroundings,
    log: SessionLog,
    emit: Callable[[Event], None],
    brought: Sequence[Package] = (),
) -> None:
    """Raises `UserError` when a feature objects; what it decided is in the log. No model is needed
    for this, and an addon is started only when it is to be heard."""
    invocation = Invocation()
    emit = clean_events(emit, around.secrets)
    machine = Machine(around, log.session)
    permission = SessionPermission(policy_of(invocation, around))
    ctx = deck_context(around)
    outlet = Outlet(emit, around.clock, around.secrets, machine.spill)
    features = install_features(
        Ground(
            config=around.config,
            grants=around.places.config,
            workspace=around.workspace,
            outlet=outlet,
            roots=partial(machine.roots, permission),
            ctx=ctx,
            deck=deck_of(invocation, ctx),
            brought=brought,
            addons=addons_of(around, machine, outlet.told),
        )
    )
    try:
        recorder = Recorder(log, emit, around.clock, patience=_PATIENCE, secrets=around.secrets)
        decisions = Decisions(recorder, emit, around.clock)
        hooks = TurnHooks(features.hooks, decisions)
        if not await hooks.may_rewrite("rewind"):
            raise UserError("a feature stopped the rewind", hint="see: indus feature list")
    finally:
        await features.supervisor.close()
        await features.close()
        await machine.close()
