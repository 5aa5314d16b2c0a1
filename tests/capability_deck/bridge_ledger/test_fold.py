"""The fold: whatever happened, in whatever order it is told."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from induscode.capability_deck import (
    BridgeCapability,
    BridgeEntry,
    BridgeKey,
    BridgeLedger,
    BridgeOp,
    EnrollRequest,
    LedgerSnapshot,
    bridge_key,
    reduce_ledger,
)
from induscode.capability_deck.bridge_ledger.events import BridgeVerdict, LedgerEvent, VerdictOp
from tests.capability_deck.bridge_ledger.samples import AT, LAUNCH, logs, numbered, tool, tools
from tests.requirements import requirement


def enrolled(key: str, what: BridgeCapability, seq: int) -> BridgeEntry:
    return BridgeEntry(BridgeOp.ENROLL, bridge_key(key), what.server, what, seq, AT)


def retired(key: str, seq: int) -> BridgeEntry:
    return BridgeEntry(BridgeOp.RETIRE, bridge_key(key), "git", None, seq, AT)


@requirement("ledger.ops-closed")
def test_a_server_enrols_and_retires_and_nothing_else() -> None:
    assert [str(op) for op in BridgeOp] == ["enroll", "retire"]
    assert [str(op) for op in VerdictOp] == ["quarantine", "approve"]


@requirement("ledger.entry-fields", "ledger.snapshot-fields")
def test_an_entry_and_a_snapshot_have_the_documented_fields() -> None:
    assert BridgeEntry.__struct_fields__ == ("op", "key", "server", "capability", "seq", "at")
    assert LedgerSnapshot.__struct_fields__[:3] == ("live", "by_server", "high_water")
    ledger = BridgeLedger.empty().enroll(EnrollRequest(tool(), "git"), AT)
    (entry,) = ledger.log
    assert isinstance(entry, BridgeEntry)
    assert ledger.snapshot.live == {entry.key: tool()}
    assert (ledger.snapshot.by_server, ledger.snapshot.high_water) == ({"git": 1}, 1)
    gone = ledger.retire(entry.key, "git", AT).log[-1]
    assert isinstance(gone, BridgeEntry)
    assert gone.capability is None


@requirement("ledger.reduce.sorted-by-seq")
@given(logs, st.randoms(use_true_random=False))
def test_any_order_of_the_same_events_comes_to_the_same(
    log: list[LedgerEvent], chance: random.Random
) -> None:
    shuffled = log[:]
    chance.shuffle(shuffled)
    one, other = reduce_ledger(log), reduce_ledger(shuffled)
    assert one == other
    assert list(one.live) == list(other.live)


@requirement("ledger.reduce.sorted-by-seq")
def test_two_events_with_one_number_come_to_the_same_in_either_order() -> None:
    one, other = tool(description="One."), tool(description="Other.")
    log = [enrolled("bk_1", one, 1), enrolled("bk_1", other, 1)]
    assert reduce_ledger(log) == reduce_ledger(log[::-1])
    assert BridgeLedger.empty().extended(log).snapshot == reduce_ledger(log[::-1])
    assert BridgeLedger.empty().extended(log[::-1]).snapshot == reduce_ledger(log)


@requirement("ledger.reduce.pure-total")
@given(logs)
def test_the_fold_takes_any_events_and_changes_none_of_them(log: list[LedgerEvent]) -> None:
    before = log[:]
    snapshot = reduce_ledger(log)
    assert log == before
    assert all(one is other for one, other in zip(log, before, strict=True))
    assert reduce_ledger(iter(log)) == snapshot
    assert snapshot.high_water == max([0, *(event.seq for event in log)])


@requirement("ledger.reduce.counts-derived")
@given(logs)
def test_the_counts_are_those_of_the_live_tools(log: list[LedgerEvent]) -> None:
    snapshot = reduce_ledger(log)
    assert snapshot.by_server == Counter(each.server for each in snapshot.live.values())


@requirement("decision.new-key-retires-old")
@given(logs)
def test_no_two_tools_that_are_enrolled_share_a_name(log: list[LedgerEvent]) -> None:
    names = [each.name for each in reduce_ledger(log).enrolled.values()]
    assert len(names) == len(set(names))


@given(logs)
def test_what_is_enrolled_is_live_or_held_in_one_order(log: list[LedgerEvent]) -> None:
    found = reduce_ledger(log)
    assert [key for key in found.enrolled if key in found.live] == list(found.live)
    assert [key for key in found.enrolled if key in found.held] == list(found.held)
    assert set(found.live) | set(found.held) == set(found.enrolled)
    assert not set(found.live) & set(found.held)
    assert all(found.held.values())


@given(numbered)
def test_nothing_that_was_judged_is_live_but_exactly_what_was_approved(
    log: list[LedgerEvent],
) -> None:
    """A plain account of the rule, beside the fold's own: the last verdict on a name decides."""
    latest: dict[str, BridgeVerdict] = {}
    for event in sorted(log, key=lambda event: event.seq):
        if isinstance(event, BridgeVerdict):
            latest[event.name] = event
    found = reduce_ledger(log)
    for key, each in found.enrolled.items():
        last = latest.get(each.name)
        fine = last is None or (
            last.op is VerdictOp.APPROVE
            and (last.definition, last.launch) == (each.definition.digest, each.launch)
        )
        assert (key in found.live) == fine


@given(logs, st.integers(0, 16))
def test_a_ledger_that_goes_on_comes_to_what_the_whole_log_does(
    log: list[LedgerEvent], cut: int
) -> None:
    ledger = BridgeLedger.from_log(log[:cut]).extended(log[cut:])
    whole = BridgeLedger.from_log(log)
    assert ledger == whole
    assert list(ledger.snapshot.live) == list(whole.snapshot.live)


@requirement("ledger.reduce.later-wins")
def test_on_a_repeated_key_the_higher_number_decides() -> None:
    old, new = tool(description="Old."), tool(description="New.")
    for log in (
        [enrolled("bk_1", old, 1), enrolled("bk_1", new, 2)],
        [enrolled("bk_1", new, 2), enrolled("bk_1", old, 1)],
    ):
        assert reduce_ledger(log).live == {"bk_1": new}
    assert reduce_ledger([retired("bk_1", 1), enrolled("bk_1", old, 2)]).live == {"bk_1": old}
    assert reduce_ledger([retired("bk_1", 2), enrolled("bk_1", old, 1)]).live == {}


@requirement("ledger.reduce.stable-order")
@given(st.lists(tools, unique_by=lambda each: each.name, min_size=1), st.data())
def test_retiring_one_tool_leaves_the_others_in_their_order(
    offered: list[BridgeCapability], data: st.DataObject
) -> None:
    ledger = BridgeLedger.empty()
    for each in offered:
        ledger = ledger.enroll(EnrollRequest(each, each.server), AT)
    order = list(ledger.snapshot.live)
    gone: BridgeKey = data.draw(st.sampled_from(order))
    after = ledger.retire(gone, "git", AT)
    assert list(after.snapshot.live) == [key for key in order if key != gone]


def test_a_tool_that_was_held_comes_back_to_its_place() -> None:
    first, second = tool("git", "log"), tool("git", "status")
    ledger = BridgeLedger.empty()
    for each in (first, second):
        ledger = ledger.enroll(EnrollRequest(each, "git"), AT)
    held = ledger.quarantine(first, "it looks odd", AT)
    assert held.live_capabilities() == [second]
    assert list(held.snapshot.held.values()) == ["it looks odd"]
    assert held.snapshot.by_server == {"git": 1}
    assert held.approve(first, AT).live_capabilities() == [first, second]


def test_a_quarantine_outlives_retiring_reconnecting_and_another_schema() -> None:
    offered = tool()
    ledger = BridgeLedger.empty().enroll(EnrollRequest(offered, "git"), AT)
    ledger = ledger.quarantine(offered, "it looks odd", AT).withdraw_server("git", AT)
    assert ledger.enroll(EnrollRequest(offered, "git"), AT).live_capabilities() == []
    other = tool(parameters={"type": "object"})
    assert ledger.enroll(EnrollRequest(other, "git"), AT).live_capabilities() == []


@requirement("decision.approval-digest")
def test_an_approval_covers_one_definition_launched_one_way() -> None:
    seen = tool()
    ledger = BridgeLedger.empty().approve(seen, AT)
    assert ledger.enroll(EnrollRequest(seen, "git"), AT).live_capabilities() == [seen]
    for other in (tool(description="Other."), tool(launch="b" * 64), tool(parameters=None)):
        assert ledger.enroll(EnrollRequest(other, "git"), AT).live_capabilities() == []


def test_approving_what_has_changed_meanwhile_leaves_the_change_held() -> None:
    shown, swapped = tool(description="Shown."), tool(description="Swapped.")
    ledger = BridgeLedger.empty().enroll(EnrollRequest(shown, "git"), AT)
    ledger = ledger.quarantine(shown, "new", AT).enroll(EnrollRequest(swapped, "git"), AT)
    assert ledger.approve(shown, AT).live_capabilities() == []
    assert ledger.approve(swapped, AT).live_capabilities() == [swapped]


def test_a_verdict_on_a_tool_that_is_not_there_is_recorded_and_shows_nothing() -> None:
    ledger = BridgeLedger.empty().quarantine(tool(), "why", AT).approve(tool(), AT)
    assert len(ledger.log) == 2
    assert (ledger.snapshot.live, ledger.snapshot.held) == ({}, {})
    assert ledger.snapshot.approved["git__status"].launch == LAUNCH
