"""Gates that outlive a broken feature: what it guarded stays shut, and says why.

A feature that guarded something and is still there, but cannot run (broken, changed and not granted
anew, its hook left out), must not leave the door open. Taking the feature away ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from induscode.conductor.hooks import Hooks
from induscode.conductor.shut_gate import ShutGate, ShutInput, ShutRewrite
from induscode.errors import ConfigError
from induscode.feature.hook import FailurePolicy
from induscode.feature.hosting.grant_store import GrantStore, StandingGate
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.feature.points import HookPoint

__all__ = ["with_shut_gates"]

_OURS = "builtin"
_GUARDED = (HookPoint.PRE_TOOL_CALL, HookPoint.INPUT_SUBMIT, HookPoint.BEFORE_REWRITE)
Shut = ShutGate | ShutInput | ShutRewrite


def with_shut_gates(hooks: Hooks, registry: FeatureRegistry, store: GrantStore) -> Hooks:
    """The hooks, and before them the gates that stay shut in this session; those that stand now are
    remembered. Without a usable store nothing is known of earlier gates; whoever needs its grants
    is denied anyway."""
    try:
        shut = list(_settled(registry, store))
    except ConfigError:
        return hooks
    if not shut:
        return hooks
    return replace(
        hooks,
        tool=(*(one for one in shut if isinstance(one, ShutGate)), *hooks.tool),
        input=(*(one for one in shut if isinstance(one, ShutInput)), *hooks.input),
        rewrite=(*(one for one in shut if isinstance(one, ShutRewrite)), *hooks.rewrite),
    )


def _settled(registry: FeatureRegistry, store: GrantStore) -> Iterator[Shut]:
    for feature in registry.known:
        if feature.descriptor.id.source == _OURS:
            continue
        standing = _standing(feature)
        known = store.of(feature.id)
        missing = [gate for gate in known.gates if gate not in standing] if known else []
        broken = not feature.enabled or len(standing) < len(_declared(feature))
        if missing and broken:
            yield from (_shut(feature.id, gate, _why(feature, gate)) for gate in missing)
        elif standing or missing:
            store.remember_gates(feature.id, feature.record.label, tuple(standing))
    for unreadable in registry.unreadable:
        for name, grant in store.here().items():
            if grant.label == unreadable.label:
                why = _first(note.message for note in unreadable.report().diagnostics)
                yield from (_shut(name, gate, f"{gate.hook}: {why}") for gate in grant.gates)


def _shut(feature: str, gate: StandingGate, why: str) -> Shut:
    match gate.point:
        case HookPoint.INPUT_SUBMIT:
            return ShutInput(feature, why)
        case HookPoint.BEFORE_REWRITE:
            return ShutRewrite(feature, why)
        case _:
            return ShutGate(feature, gate.tools, why)


def _declared(feature: InstalledFeature) -> list[StandingGate]:
    return [
        StandingGate(hook.name, hook.tools, hook.point)
        for hook in feature.descriptor.declared_hooks
        if hook.point in _GUARDED and hook.failure is FailurePolicy.DENY
    ]


def _standing(feature: InstalledFeature) -> list[StandingGate]:
    if not feature.enabled:
        return []
    return [gate for gate in _declared(feature) if gate.hook in feature.draft.hooks]


def _why(feature: InstalledFeature, gate: StandingGate) -> str:
    """What the host noted when it installed the feature, or left out its hook."""
    if feature.enabled:
        reasons = (one.reason for one in feature.draft.skipped if one.name == gate.hook)
    else:
        reasons = (one.message for one in feature.record.diagnostics if one.by == "host")
    return f"{gate.hook} cannot run: {_first(reasons, 'it is not declared any more')}"


def _first(reasons: Iterable[str], otherwise: str = "its descriptor cannot be read") -> str:
    return next(iter(reasons), otherwise)
