"""Gates that outlive a broken feature: what it guarded stays shut, and says why.

A feature that guarded tool calls and is still there, but cannot run (broken, changed and not
granted anew, its hook left out), must not leave the door open. Taking the feature away ends it.
"""

from __future__ import annotations

from induscode.conductor.shut_gate import ShutGate
from induscode.errors import ConfigError
from induscode.feature.hook import FailurePolicy
from induscode.feature.hosting.grant_store import GrantStore, StandingGate
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.feature.points import HookPoint

__all__ = ["shut_gates"]

_OURS = "builtin"


def shut_gates(registry: FeatureRegistry, store: GrantStore) -> tuple[ShutGate, ...]:
    """The gates that stay shut in this session; those that stand now are remembered. Without a
    usable store nothing is known of earlier gates; whoever needs its grants is denied anyway."""
    try:
        return tuple(_settled(registry, store))
    except ConfigError:
        return ()


def _settled(registry: FeatureRegistry, store: GrantStore) -> list[ShutGate]:
    shut: list[ShutGate] = []
    for feature in registry.known:
        if feature.descriptor.id.source == _OURS:
            continue
        standing = _standing(feature)
        known = store.all().get(feature.id)
        missing = [gate for gate in known.gates if gate not in standing] if known else []
        broken = not feature.enabled or len(standing) < len(_declared(feature))
        if missing and broken:
            shut += [ShutGate(feature.id, gate.tools, _why(feature, gate)) for gate in missing]
        elif standing or missing:
            store.remember_gates(feature.id, feature.record.label, tuple(standing))
    for unreadable in registry.unreadable:
        for name, grant in store.all().items():
            if grant.label == unreadable.label:
                why = "its descriptor cannot be read"
                shut += [ShutGate(name, gate.tools, f"{gate.hook}: {why}") for gate in grant.gates]
    return shut


def _declared(feature: InstalledFeature) -> list[StandingGate]:
    return [
        StandingGate(hook.name, hook.tools)
        for hook in feature.descriptor.declared_hooks
        if hook.point is HookPoint.PRE_TOOL_CALL and hook.failure is FailurePolicy.DENY
    ]


def _standing(feature: InstalledFeature) -> list[StandingGate]:
    if not feature.enabled:
        return []
    return [gate for gate in _declared(feature) if gate.hook in feature.draft.hooks]


def _why(feature: InstalledFeature, gate: StandingGate) -> str:
    """What the host noted when it installed the feature, or left out its hook."""
    if feature.enabled:
        reasons = [one.reason for one in feature.draft.skipped if one.name == gate.hook]
    else:
        reasons = [one.message for one in feature.record.diagnostics if one.by == "host"]
    return f"{gate.hook} cannot run: {reasons[0] if reasons else 'it is not declared any more'}"
