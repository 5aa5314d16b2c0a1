"""A server's tools are first seen once; what changes after that is held."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.capability_deck import BridgeCapability, BridgeLedger, bridge_tool_names
from induscode.capability_deck.bridge_ledger.events import LedgerEvent
from induscode.capability_deck.bridge_ledger.judging import (
    FirstSight,
    Judgement,
    Standing,
    Taken,
    judge,
    take_listing,
)
from induscode.capability_deck.bridge_ledger.limits import TOOLS_MOST
from tests.capability_deck.bridge_ledger.samples import AT, OBJECT, Mounted, logs, tool, tools

OFFER = (tool("git", "status"), tool("git", "log"))


def listing(
    ledger: BridgeLedger,
    offer: Sequence[BridgeCapability],
    first: FirstSight = FirstSight.APPROVE,
    server: str = "git",
) -> Taken:
    return take_listing(ledger, server, offer, first=first, at=AT)


def seen() -> BridgeLedger:
    return listing(BridgeLedger.empty(), OFFER).ledger


def restarted(ledger: BridgeLedger) -> BridgeLedger:
    return BridgeLedger.from_log(ledger.log)


def test_what_is_seen_first_is_approved_and_live() -> None:
    ledger = seen()
    assert ledger.live_capabilities() == list(OFFER)
    assert [event.op for event in ledger.log] == ["approve", "enroll", "approve", "enroll"]
    assert judge(ledger.snapshot, OFFER[0]).standing is Standing.APPROVED


def test_what_is_seen_first_by_nobody_is_held_until_it_is_approved() -> None:
    ledger = listing(BridgeLedger.empty(), OFFER, FirstSight.HOLD).ledger
    assert ledger.live_capabilities() == []
    assert set(ledger.snapshot.held.values()) == {"nothing of its server was approved yet"}
    # Who lets first sights pass later does not let pass what is held.
    again = listing(restarted(ledger), OFFER, FirstSight.APPROVE).ledger
    assert again == ledger
    assert judge(again.snapshot, OFFER[0]).standing is Standing.HELD
    assert again.approve(OFFER[1], AT).live_capabilities() == [OFFER[1]]


def test_a_server_of_which_something_is_held_is_not_seen_for_the_first_time() -> None:
    ledger = listing(BridgeLedger.empty(), OFFER[:1], FirstSight.HOLD).ledger
    after = listing(ledger, OFFER, FirstSight.APPROVE).ledger
    assert after.live_capabilities() == []
    assert judge(ledger.snapshot, tool("git", "push", description="Pushes.")) == Judgement(
        Standing.ADDED, "its server was met without it"
    )


CHANGES = {
    "its description": (tool("git", "status", description="Tells all."), Standing.CHANGED),
    "its schema": (tool("git", "status", parameters={"type": "object"}), Standing.CHANGED),
    "its annotations": (
        tool("git", "status", annotations={"readOnlyHint": True}),
        Standing.CHANGED,
    ),
    "a null in its schema": (
        tool("git", "status", parameters={**OBJECT, "title": None}),
        Standing.CHANGED,
    ),
    "its name": (tool("git", "status2"), Standing.RENAMED),
    "the launch line": (tool("git", "status", launch="b" * 64), Standing.RELAUNCHED),
    "a tool more": (tool("git", "push", description="Pushes."), Standing.ADDED),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("live", [True, False], ids=["live", "after a restart"])
def test_a_change_after_approval_is_held_until_exactly_it_is_approved(
    what: str, live: bool
) -> None:
    changed, standing = CHANGES[what]
    before = seen() if live else restarted(seen())
    assert judge(before.snapshot, changed).standing is standing
    after = listing(before, (changed, OFFER[1])).ledger
    assert after.live_capabilities() == [OFFER[1]]
    assert changed in after.snapshot.enrolled.values()
    assert len(after.snapshot.held) == 1
    again = listing(restarted(after), (changed, OFFER[1])).ledger
    assert again.live_capabilities() == [OFFER[1]]
    approved = again.approve(changed, AT)
    assert set(bridge_tool_names(approved)) == {changed.name, OFFER[1].name}
    assert listing(restarted(approved), (changed, OFFER[1])).ledger == approved


def test_another_order_of_the_same_tools_changes_nothing() -> None:
    ledger = seen()
    assert listing(ledger, tuple(reversed(OFFER))).ledger is ledger


def test_a_tool_that_is_gone_is_retired_and_one_that_comes_back_is_approved_still() -> None:
    ledger = listing(seen(), OFFER[:1]).ledger
    assert ledger.live_capabilities() == [OFFER[0]]
    assert ledger.log[-1].op == "retire"
    back = listing(restarted(ledger), OFFER).ledger
    assert back.live_capabilities() == list(OFFER)


def test_a_tool_that_changed_and_is_again_what_it_was_stays_held() -> None:
    changed = CHANGES["its description"][0]
    ledger = listing(seen(), (changed, OFFER[1])).ledger
    back = listing(ledger, OFFER).ledger
    assert back.live_capabilities() == [OFFER[1]]
    assert back.approve(OFFER[0], AT).live_capabilities() == list(OFFER)


def test_a_reconnect_gives_the_tools_their_new_way_and_costs_no_verdict() -> None:
    box = Mounted()
    bound = tuple(BridgeCapability(each.definition, each.launch, box) for each in OFFER)
    ledger = listing(seen(), bound).ledger
    assert [event.op for event in ledger.log[4:]] == ["enroll", "enroll"]
    assert [each.runner for each in ledger.live_capabilities()] == [box, box]
    assert list(ledger.snapshot.live) == list(seen().snapshot.live)
    assert listing(ledger, bound).ledger is ledger


def test_one_servers_listing_touches_no_other_server() -> None:
    other = tool("fs", "read")
    ledger = listing(seen(), (other,), server="fs").ledger
    assert ledger.live_capabilities() == [*OFFER, other]
    assert listing(ledger, (), server="git").ledger.live_capabilities() == [other]


def test_of_two_tools_with_one_name_the_first_keeps_it_and_the_other_is_told() -> None:
    twin = tool("git", "status", description="Me too.")
    taken = listing(BridgeLedger.empty(), (*OFFER, twin))
    assert taken.ledger.live_capabilities() == list(OFFER)
    assert ["lists git__status twice" in fault.message for fault in taken.faults] == [True]


def test_a_server_has_a_bounded_number_of_tools() -> None:
    many = [tool("git", f"t{number}") for number in range(TOOLS_MOST + 2)]
    taken = listing(BridgeLedger.empty(), many)
    assert len(taken.ledger.live_capabilities()) == TOOLS_MOST
    assert [f"t{TOOLS_MOST} is refused" in fault.message for fault in taken.faults] == [True, False]


@given(logs, st.lists(tools, max_size=6), st.sampled_from(FirstSight))
def test_after_any_history_a_listing_shows_only_what_was_approved_just_so(
    log: list[LedgerEvent], offer: list[BridgeCapability], first: FirstSight
) -> None:
    mine = [each for each in offer if each.server == "git"]
    before = BridgeLedger.from_log(log)
    after = take_listing(before, "git", mine, first=first, at=AT).ledger
    assert after.snapshot == BridgeLedger.from_log(after.log).snapshot
    for each in after.live_capabilities_for_server("git"):
        assert after.snapshot.approved[each.name].covers(each)
        if first is FirstSight.HOLD:
            assert before.snapshot.approved[each.name].covers(each)
    names = [each.name for each in mine]
    assert {each.name for each in after.snapshot.enrolled.values() if each.server == "git"} == set(
        names
    )
