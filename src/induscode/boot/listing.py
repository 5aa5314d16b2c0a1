"""The features there would be, installed for looking at them: nothing is started or told."""

from __future__ import annotations

from functools import partial

from induscode.boot.addons.session import addons_of
from induscode.boot.assemble import policy_of
from induscode.boot.deck import deck_of
from induscode.boot.features import Features, Ground, install_features
from induscode.boot.framework import deck_context
from induscode.boot.invocation import Invocation
from induscode.boot.kept_features import kept_packages
from induscode.boot.machine import Machine
from induscode.boot.materials import Materials
from induscode.boot.mcp.configured import configured
from induscode.boot.mcp.ports import NO_SERVERS, Servers
from induscode.boot.outlet import Outlet
from induscode.boot.permission import SessionPermission
from induscode.boot.surroundings import Surroundings
from induscode.feature.diagnostic import FeatureInstallReport
from induscode.kernel.events import Event

__all__ = ["features_here", "listed_features"]

_NO_SESSION = "listing"


def features_here(around: Surroundings) -> Features:
    """Raises `ConfigError`."""
    machine = Machine(around, _NO_SESSION)
    permission = SessionPermission(policy_of(Invocation(), around))
    ctx = deck_context(around)
    outlet = Outlet(_nobody, around.clock, around.secrets, machine.spill)
    ground = Ground(
        config=around.config,
        grants=around.places.config,
        workspace=around.workspace,
        outlet=outlet,
        roots=partial(machine.roots, permission),
        ctx=ctx,
        deck=deck_of(Invocation(), ctx),
        addons=addons_of(around, machine, outlet.told),
        servers=_servers(around, machine, outlet),
        kept=kept_packages(Materials(around)),
    )
    return install_features(ground)


def _servers(around: Surroundings, machine: Machine, outlet: Outlet) -> Servers:
    """As the ledger knows them: none is started."""
    loaded = configured(around, None)
    if loaded is None:
        return NO_SERVERS
    from induscode.boot.mcp.asking import Telling
    from induscode.boot.mcp.news import News
    from induscode.boot.mcp.opening import open_servers

    telling = Telling(_nobody, outlet.answered)
    return open_servers(loaded, around, machine, News(_unheard, _unheard), telling)


def listed_features(around: Surroundings) -> list[FeatureInstallReport]:
    features = features_here(around)
    try:
        return features.registry.reports()
    finally:
        features.registry.close()


def _unheard(sentence: str) -> None:
    del sentence


def _nobody(event: Event) -> None:
    """Nobody listens: what there is to say is in the reports."""
    del event
