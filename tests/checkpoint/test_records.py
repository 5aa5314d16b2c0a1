"""What `write` and `edit` file with the host: the first record of a step counts."""

from __future__ import annotations

import asyncio

from induscode.kernel.tool import ToolKind
from induscode.policy.subject import CallView, NoSubject
from tests.checkpoint.scene import Stage
from tests.requirements import requirement

WRITE = CallView("write", ToolKind.WRITE, {}, NoSubject())


@requirement("deck.checkpoint.first-seen-wins")
def test_within_a_step_the_first_record_of_a_path_is_kept(stage: Stage) -> None:
    place = stage.work / "a"
    place.write_bytes(b"first")

    def deed() -> None:
        stage.watch.record(place, b"first")
        place.write_bytes(b"second")
        stage.watch.record(place, b"second")
        place.write_bytes(b"third")

    (entry,) = stage.step(WRITE, deed)
    (change,) = entry.files
    assert stage.store.get(change.before.sha256) == b"first"
    (entry,) = stage.write("a", b"fourth")
    assert stage.store.get(entry.files[0].before.sha256) == b"third"


def test_the_mode_comes_from_the_disk_and_folders_that_are_made_are_told(stage: Stage) -> None:
    place = stage.work / "a"
    place.write_bytes(b"x")
    place.chmod(0o640)
    (entry,) = stage.write("a", b"y")
    assert entry.files[0].before.mode == 0o640
    point = stage.here()
    (entry,) = stage.write("deep/down/b", b"z")
    assert [change.path for change in entry.files] == ["deep", "deep/down", "deep/down/b"]
    stage.rewind(point)
    assert [path.name for path in stage.work.iterdir()] == ["a"]


def test_a_call_that_wrote_nothing_leaves_no_entry(stage: Stage) -> None:
    assert stage.step(WRITE, lambda: stage.watch.record(stage.work / "a", None)) == []


def test_a_record_outside_of_any_step_is_nothing(stage: Stage) -> None:
    stage.watch.record(stage.work / "a", None)
    step = asyncio.run(stage.watch.begin("c/0", WRITE))
    assert asyncio.run(step.end()) == []
