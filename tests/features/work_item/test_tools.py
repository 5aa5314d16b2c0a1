"""The four tools, as the model uses them."""

from __future__ import annotations

import pytest

from induscode.feature.capability import WorkItemStore
from tests.features.work_item.bench import Bench


async def test_an_item_from_its_beginning_to_its_end(bench: Bench) -> None:
    said = [
        await bench.call("work_item_create", title="Mend the gate", body="It squeaks."),
        await bench.call("work_item_create", title="Paint it"),
        await bench.call("work_item_comment", id="W-0001", text="Oiled."),
        await bench.call("work_item_update", id="W-0001", status="done"),
        await bench.call("work_item_list"),
        await bench.call("work_item_list", status="done"),
        await bench.call("work_item_list", status="dropped"),
    ]
    assert said == [
        ("Created W-0001: Mend the gate", False),
        ("Created W-0002: Paint it", False),
        ("Commented: W-0001 [open] Mend the gate, 1 comment", False),
        ("Updated: W-0001 [done] Mend the gate, 1 comment", False),
        ("W-0002 [open] Paint it", False),
        ("W-0001 [done] Mend the gate, 1 comment", False),
        ("No work item is dropped; 2 in all.", False),
    ]
    everything, _ = await bench.call("work_item_list", status="all")
    assert len(everything.splitlines()) == 2
    whole, _ = await bench.call("work_item_list", id="W-0001")
    head, body, comment = whole.split("\n\n")
    assert (head, body) == ("W-0001 [done] Mend the gate, 1 comment", "It squeaks.")
    assert comment.endswith("builtin:work-item] Oiled.")


async def test_an_empty_store_says_so(bench: Bench) -> None:
    assert await bench.call("work_item_list") == ("No work item is open or doing; 0 in all.", False)
    assert await bench.call("work_item_list", status="all") == ("There is no work item.", False)


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("work_item_comment", {"id": "W-0009", "text": "x"}, "no work item W-0009"),
        ("work_item_update", {"id": "../x", "status": "done"}, "no work item ../x"),
        ("work_item_update", {"id": "W-0001"}, "Give a title, a body or a status"),
        ("work_item_list", {"id": "W-0009"}, "no work item W-0009"),
        ("work_item_create", {"title": "x" * 201}, "a title has 1 to 200 characters"),
    ],
    ids=["comment", "update", "update nothing", "list", "create"],
)
async def test_what_cannot_be_done_is_an_error_that_says_why(
    bench: Bench, tool: str, arguments: dict[str, str], why: str
) -> None:
    text, failed = await bench.call(tool, **arguments)
    assert failed
    assert why in text


async def test_after_the_withdrawal_the_tools_say_so(bench: Bench) -> None:
    await bench.call("work_item_create", title="Mend the gate")
    bench.host.grants.withdraw(WorkItemStore(write=True))
    text, failed = await bench.call("work_item_comment", id="W-0001", text="x")
    assert failed
    assert "withdrawn" in text
    assert await bench.call("work_item_list") == ("W-0001 [open] Mend the gate", False)


async def test_secrets_in_an_item_are_taken_out_before_the_result_is_cut(bench: Bench) -> None:
    bench.others.create("Change the password", "it is hunter22")
    whole, _ = await bench.call("work_item_list", id="W-0001")
    assert whole.endswith("it is [redacted]")
