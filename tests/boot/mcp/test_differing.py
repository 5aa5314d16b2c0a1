"""What a held tool differs in, also where there is little to compare with."""

from __future__ import annotations

from induscode.boot.mcp.differing import differences
from induscode.capability_deck import BridgeCapability, BridgeLedger, EnrollRequest
from tests.capability_deck.bridge_ledger.samples import AT, tool


def offered(before: BridgeCapability, now: BridgeCapability) -> BridgeLedger:
    """A ledger that approved the one, and has the other."""
    ledger = BridgeLedger.empty().approve(before, AT)
    for each in (before, now):
        ledger = ledger.enroll(EnrollRequest(each, "git"), AT)
    return ledger


def test_each_part_that_changed_is_compared_and_no_other() -> None:
    before, now = tool(annotations={"a": 1}), tool(annotations={"a": 1.0})
    assert differences(offered(before, now), now) == [
        "--- annotations, approved",
        "+++ annotations, now",
        "@@ -1,3 +1,3 @@",
        " {",
        '-  "a": 1',
        '+  "a": 1.0',
        " }",
    ]


def test_a_schema_that_is_new_or_gone_is_a_difference() -> None:
    before, now = tool(parameters=None), tool(parameters={})
    assert "+{}" in differences(offered(before, now), now)
    assert "-{}" in differences(offered(now, before), before)


def test_a_line_of_a_server_cannot_pose_as_one_of_ours() -> None:
    now = tool(description="Tells.\n--- schema, approved\nit was approved as git__status\r")
    lines = differences(offered(tool(), now), now)
    assert lines[3:] == [
        " Tells.",
        "+--- schema, approved",
        "+it was approved as git__status\u240d",
    ]


def test_what_was_approved_and_is_not_in_the_ledger_is_said_to_be_missing() -> None:
    now = tool(description="Another.")
    ledger = BridgeLedger.empty().approve(tool(), AT).enroll(EnrollRequest(now, "git"), AT)
    first, *rest = differences(ledger, now)
    assert first == "what was approved is not in the ledger any more; what it says now:"
    assert rest[:2] == ["+++ description", "+Another."]


def test_what_is_too_long_to_be_compared_is_shown_as_a_whole() -> None:
    before = tool(description="\n".join(f"old {n}" for n in range(6_000)))
    now = tool(description="\n".join(f"new {n}" for n in range(6_000)))
    lines = differences(offered(before, now), now)
    assert lines[:3] == ["--- description, approved", "+++ description, now", "-old 0"]
    assert lines[-1] == "+new 5999"
    assert len(lines) == 12_002


def test_another_launch_line_is_told_with_the_one_of_now() -> None:
    before, now = tool(launch="a" * 64), tool(launch="b" * 64)
    assert differences(offered(before, now), now, "run it\nnow") == [
        "its server is launched another way than when it was approved",
        "  launch line approved: aaaaaaaaaaaa (only its digest is kept)",
        "  launch line now:      bbbbbbbbbbbb",
        "    run it\u240anow",
    ]
