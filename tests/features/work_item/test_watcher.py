"""The watcher: another's change is told to the model once, our own never."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.feature.capability import EmitAlert, EmitModelNotification, WorkItemStore
from induscode.feature.hosting import sinks
from tests.features.modules import until
from tests.features.services.processes import at_once
from tests.features.services.workers import fill_items
from tests.features.work_item.bench import Bench

HEAD = "Somebody else changed work items (work_item_list shows one by its id):\n"


async def settled(bench: Bench) -> None:
    """A mark that somebody else sets has been told: whatever was there before it was looked at."""
    mark = bench.others.create("mark").id
    await until(lambda: any(f"- {mark}: new" in text for text in bench.notices()), 20)


def told(bench: Bench) -> list[str]:
    lines = [line for text in bench.notices() for line in text.splitlines()[1:]]
    return [line for line in lines if "'mark'" not in line]


async def test_a_change_by_another_process_is_told_exactly_once(bench: Bench) -> None:
    shared = bench.others.create("shared").id
    bench = Bench(bench.desk.root)
    async with bench.watching():
        at_once(fill_items, (str(bench.desk.root), "other", shared, 1))
        await until(lambda: len(told(bench)) == 2, 20)
        await settled(bench)
        await settled(bench)
    assert sorted(told(bench)) == ["- W-0001: 1 new comment", "- W-0002: new, open: 'other 0'"]
    assert all(text.startswith(HEAD) for text in bench.notices())
    assert {feature for feature, _ in bench.host.notices} == {"builtin:work-item"}


async def test_our_own_changes_are_not_told(bench: Bench) -> None:
    async with bench.watching():
        for number in range(1, 6):
            await bench.call("work_item_create", title=f"item {number}")
            await bench.call("work_item_comment", id=f"W-000{number}", text="well")
            await bench.call("work_item_update", id=f"W-000{number}", status="doing", title="new")
        await settled(bench)
    assert told(bench) == []


async def test_another_change_just_before_our_own_is_told(bench: Bench) -> None:
    for number in (1, 2, 3):
        await bench.call("work_item_create", title=f"item {number}")
    bench.others.comment("W-0001", "theirs")
    bench.others.update("W-0002", status="done")
    bench.others.create("theirs")
    await bench.call("work_item_comment", id="W-0001", text="ours")
    await bench.call("work_item_update", id="W-0002", title="ours")
    await bench.call("work_item_comment", id="W-0003", text="ours")
    await bench.call("work_item_comment", id="W-0004", text="ours")
    async with bench.watching():
        await settled(bench)
    assert sorted(told(bench)) == [
        "- W-0001: 1 new comment",
        "- W-0002: status open became done",
        "- W-0004: new, open: 'theirs'",
    ]


async def test_every_kind_of_change_is_named(bench: Bench) -> None:
    others = bench.others
    for number in range(1, 6):
        others.create(f"item {number}")
        others.comment(f"W-000{number}", "first")
    bench = Bench(bench.desk.root)
    others.update("W-0001", status="dropped", title="other", body="text")
    others.comment("W-0002", "one")
    others.comment("W-0002", "two")
    (bench.desk.items / "W-0003.json").unlink()
    file = bench.desk.items / "W-0004.json"
    file.write_text(file.read_text().replace('"first"', '"second"'))
    async with bench.watching():
        await settled(bench)
    assert told(bench) == [
        "- W-0001: status open became dropped, title is now 'other', its body was changed",
        "- W-0002: 2 new comments",
        "- W-0003: it was removed, or cannot be read any more",
        "- W-0004: its comments were changed",
    ]


async def test_many_changes_are_one_short_notice(bench: Bench) -> None:
    others = bench.others
    for number in range(30):
        others.create(f"item {number}")
    async with bench.watching():
        await until(bench.notices)
    [notice] = bench.notices()
    assert len(notice.splitlines()) == 22
    assert notice.endswith("- and 10 more")


async def test_the_watcher_ends_as_soon_as_it_is_told_to(bench: Bench) -> None:
    async with bench.watching():
        await until(lambda: bench.state() == "running")
    assert bench.state() == "cancelled"
    assert bench.host.told == []
    bench.others.create("too late")
    assert bench.notices() == []


async def test_what_changed_while_the_session_was_rewritten_is_told_afterwards(
    bench: Bench,
) -> None:
    async with bench.watching():
        await settled(bench)
        await bench.supervisor.pause("a rewrite")
        bench.others.create("meanwhile")
        assert told(bench) == []
        bench.supervisor.resume()
        await settled(bench)
    assert told(bench) == ["- W-0002: new, open: 'meanwhile'"]


async def test_a_store_that_cannot_be_read_is_alerted_and_tried_again(bench: Bench) -> None:
    bench.others.create("first")
    async with bench.watching():
        await settled(bench)
        bench.desk.items.rename(bench.desk.root / "moved")
        bench.desk.items.symlink_to(bench.desk.root / "moved")
        await until(lambda: bench.state() == "failed")
    alerts = [text for _, text in bench.host.alerts]
    assert len(alerts) == 4
    assert all(text.startswith("Watching the work items failed: ") for text in alerts)


async def test_without_the_alert_the_failure_is_still_reported(tmp_path: Path) -> None:
    bench = Bench(tmp_path, EmitAlert())
    bench.desk.items.parent.mkdir()
    async with bench.watching():
        await until(lambda: bench.state() == "running")
        bench.desk.items.symlink_to(bench.desk.root)
        await until(lambda: bench.state() == "failed")
    assert bench.host.alerts == []
    assert any("task work_item_watch" in one.message for one in bench.report.diagnostics)


async def test_where_no_more_notices_are_taken_the_watcher_ends(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sinks, "NOTICES_MOST", 1)
    async with bench.watching():
        await settled(bench)
        bench.others.create("one too many")
        await until(lambda: bench.state() == "done")
    assert len(bench.notices()) == 1


@pytest.mark.parametrize(
    "capability", [EmitModelNotification(), WorkItemStore(read=True)], ids=["notices", "store"]
)
async def test_after_the_withdrawal_nothing_is_told(bench: Bench, capability) -> None:
    async with bench.watching():
        await settled(bench)
        bench.host.grants.withdraw(capability)
        bench.others.create("unseen")
        await until(lambda: bench.state() in {"done", "refused"})
    assert told(bench) == []
