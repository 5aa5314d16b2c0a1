"""A feature may object to a rewind; what it decided is in the log, and no file is touched."""

from __future__ import annotations

import pytest

from induscode.boot.invocation import Invocation
from induscode.boot.rewriting import check_rewind
from induscode.boot.surroundings import surroundings
from induscode.errors import UserError
from induscode.feature.diagnostic import FeatureDiagnostic
from induscode.feature.hook_views import Continue, DenyWithSyntheticError, EmitDiagnosticRecord
from induscode.feature.points import HookPoint
from induscode.kernel.events import Event
from induscode.sdk.opening import _package
from tests.channels.place import Place
from tests.features.sessions import SAY, Hook, entries, hooked, ran

POINT = HookPoint.BEFORE_REWRITE


async def asked(place: Place, hook: Hook) -> list[Event]:
    await ran(place, SAY)
    around = surroundings(Invocation(cwd=str(place.workspace)), place.environ)
    log, _ = around.store.open(around.store.find("last", around.workspace))
    events: list[Event] = []
    try:
        await check_rewind(around, log, events.append, [_package(hooked(hook, POINT))])
    finally:
        log.close()
    return events


async def test_a_feature_that_objects_stops_the_rewind(place: Place) -> None:
    hook = Hook(DenyWithSyntheticError("not while I count"))
    with pytest.raises(UserError, match="a feature stopped the rewind"):
        await asked(place, hook)
    (note,) = entries(place, "hook")
    assert (note["point"], note["decision"]) == ("before-rewrite", "deny")
    assert "not while I count" in note["reason"]
    assert [event.what for event in hook.seen] == ["rewind"]


async def test_a_feature_that_agrees_does_not(place: Place) -> None:
    await asked(place, Hook(Continue()))
    assert entries(place, "hook") == []


async def test_a_feature_that_only_remarks_does_not(place: Place) -> None:
    remark = EmitDiagnosticRecord(FeatureDiagnostic("noted"))
    await asked(place, Hook(remark))
    assert [entry["decision"] for entry in entries(place, "hook")] == ["diagnostic"]
