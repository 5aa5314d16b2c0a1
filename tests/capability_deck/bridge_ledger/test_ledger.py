"""The ledger as a value."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given

from induscode.capability_deck import (
    BridgeEntry,
    BridgeLedger,
    BridgeOp,
    DeckFault,
    EnrollRequest,
    bridge_key,
    bridge_ledger_from_log,
    bridge_tool_counts,
    bridge_tool_names,
    bridge_ulid_key,
    empty_bridge_ledger,
    enroll_bridge_card,
    live_capabilities,
    live_capabilities_for_server,
    reduce_ledger,
    retire,
    withdraw_server,
)
from induscode.capability_deck.bridge_ledger.events import LedgerEvent
from tests.capability_deck.bridge_ledger.samples import AT, logs, tool
from tests.requirements import requirement


def stocked() -> BridgeLedger:
    ledger = empty_bridge_ledger()
    for server, name in (("git", "status"), ("fs", "read"), ("git", "log")):
        ledger = enroll_bridge_card(ledger, EnrollRequest(tool(server, name), server), AT)
    return ledger


def ops(ledger: BridgeLedger) -> list[str]:
    return [event.op for event in ledger.log]


@requirement("deck.surface-rust.ledger-methods")
def test_a_ledger_has_the_documented_methods() -> None:
    names = "empty from_log enroll retire withdraw_server live_capabilities"
    for name in (*names.split(), "live_capabilities_for_server", "quarantine", "approve"):
        assert callable(getattr(BridgeLedger, name))


@requirement("ledger.empty")
def test_the_first_event_of_an_empty_ledger_has_the_number_1() -> None:
    ledger = BridgeLedger.empty()
    assert (ledger.log, ledger.next_seq, ledger.snapshot.high_water) == ((), 1, 0)
    assert [event.seq for event in stocked().log] == [1, 2, 3]
    assert stocked().next_seq == 4


@requirement("ledger.immutable")
def test_every_transition_gives_another_ledger() -> None:
    ledger = stocked()
    live, log = dict(ledger.snapshot.live), ledger.log
    offered = tool("web", "get")
    changes = [
        ledger.enroll(EnrollRequest(offered, "web"), AT),
        ledger.retire(next(iter(live)), "git", AT),
        ledger.withdraw_server("git", AT),
        ledger.quarantine(tool(), "why", AT),
        ledger.approve(tool(description="Other."), AT),
    ]
    assert (ledger.snapshot.live, ledger.log, ledger.next_seq) == (live, log, 4)
    assert all(changed != ledger for changed in changes)
    with pytest.raises(TypeError):
        ledger.snapshot.live[bridge_key("bk_1")] = offered  # type: ignore[index]
    with pytest.raises(AttributeError):
        ledger.next_seq = 1  # type: ignore[misc]


@requirement("ledger.from-log", "ledger.from-log-deterministic")
@given(logs)
def test_a_ledger_is_made_again_from_its_log(log: list[LedgerEvent]) -> None:
    ledger = bridge_ledger_from_log(log)
    assert ledger.snapshot == reduce_ledger(log)
    assert ledger.next_seq == ledger.snapshot.high_water + 1
    assert ledger == BridgeLedger.from_log(log)
    after = ledger.retire(bridge_key("bk_1"), "git", AT)
    assert after.log[-1].seq == ledger.snapshot.high_water + 1


@requirement("ledger.enroll-upserts", "ledger.idempotent-reconnect")
def test_a_server_that_comes_back_with_the_same_tools_duplicates_nothing() -> None:
    ledger = stocked()
    again = ledger
    for server, name in (("git", "log"), ("git", "status")):
        offered = tool(server, name, description="Newer.")
        again = again.enroll(EnrollRequest(offered, server), AT)
    assert list(again.snapshot.live) == list(ledger.snapshot.live)
    assert bridge_tool_names(again) == bridge_tool_names(ledger)
    assert again.live_capabilities()[0].description == "Newer."
    assert len(again.log) == 5


@requirement("decision.new-key-retires-old")
def test_a_new_key_under_a_name_that_is_taken_retires_the_old_one_on_record() -> None:
    ledger = stocked()
    old = next(iter(ledger.snapshot.live))
    changed = tool(parameters={"type": "object"})
    after = ledger.enroll(EnrollRequest(changed, "git"), AT)
    assert ops(after)[3:] == ["retire", "enroll"]
    assert after.log[3].key == old
    assert bridge_tool_names(after) == ["fs__read", "git__log", "git__status"]
    key = bridge_ulid_key()
    twice = after.enroll(EnrollRequest(changed, "git", key), AT)
    assert list(twice.snapshot.live)[-1] == key
    assert twice.snapshot.by_server == {"fs": 1, "git": 2}


@requirement("ledger.retire-drops", "ledger.retire-unknown")
def test_retiring_drops_a_key_and_an_unknown_one_is_only_recorded() -> None:
    ledger = stocked()
    first = next(iter(ledger.snapshot.live))
    after = retire(ledger, first, "git", AT)
    assert first not in after.snapshot.live
    assert len(after.snapshot.live) == 2
    unknown = retire(after, bridge_key("bk_nobody"), "git", AT)
    assert unknown.snapshot.live == after.snapshot.live
    gone = unknown.log[-1]
    assert isinstance(gone, BridgeEntry)
    assert (gone.op, gone.key, gone.seq) == (BridgeOp.RETIRE, "bk_nobody", 5)


@requirement("ledger.withdraw-server")
def test_withdrawing_a_server_retires_each_of_its_tools_and_no_other() -> None:
    ledger = stocked()
    after = withdraw_server(ledger, "git", AT)
    assert ops(after)[3:] == ["retire", "retire"]
    assert bridge_tool_names(after) == ["fs__read"]
    assert withdraw_server(after, "git", AT) is after


def test_withdrawing_a_server_takes_along_what_is_held() -> None:
    ledger = stocked().quarantine(tool(), "why", AT).withdraw_server("git", AT)
    assert (ledger.snapshot.held, list(ledger.snapshot.by_server)) == ({}, ["fs"])


@requirement("ledger.live-capabilities", "ledger.live-for-server")
def test_live_tools_are_listed_for_all_servers_or_for_one() -> None:
    ledger = stocked()
    assert live_capabilities(ledger) == list(ledger.snapshot.live.values())
    assert [each.name for each in live_capabilities_for_server(ledger, "git")] == [
        "git__status",
        "git__log",
    ]
    assert live_capabilities_for_server(ledger, "nobody") == []


@requirement("ledger.status.names-and-counts")
def test_names_and_counts_are_known_without_any_server() -> None:
    ledger = stocked()
    assert bridge_tool_names(ledger) == ["git__status", "fs__read", "git__log"]
    assert bridge_tool_counts(ledger) == {"git": 2, "fs": 1}


@requirement("ledger.audit-time")
def test_an_event_has_the_time_in_utc() -> None:
    before = datetime.now(UTC)
    ledger = enroll_bridge_card(empty_bridge_ledger(), EnrollRequest(tool(), "git"))
    ledger = withdraw_server(retire(ledger, bridge_key("bk_1"), "git"), "git")
    for event in ledger.log:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event.at)
        assert abs((datetime.fromisoformat(event.at) - before).total_seconds()) < 60


def test_a_tool_is_not_enrolled_under_another_server() -> None:
    with pytest.raises(DeckFault, match="git__status is a tool of 'git', not of 'fs'"):
        BridgeLedger.empty().enroll(EnrollRequest(tool(), "fs"), AT)
