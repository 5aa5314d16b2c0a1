"""What a command brings into its turn: on record before the model sees it, over when it ends."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from induscode.boot.permission import SessionPermission
from induscode.conductor.hooks import Hooks, Rewritten, ToolView
from induscode.conductor.joining import Brought
from induscode.errors import Cancelled
from induscode.kernel.content import Text
from induscode.kernel.events import Alert, Noticed
from induscode.kernel.provenance import SourcePart, carried
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.redaction import Secrets
from induscode.policy.verdict import Allow
from induscode.session.entries import Input, Narrowing, Notice, Result
from induscode.session.fork import fork_log
from induscode.session.log import read_only
from induscode.session.state import SessionState
from tests.conductor.rig import (
    Model,
    Rig,
    assert_valid,
    bounded,
    calls,
    say,
    speaking,
    until,
    words_of,
)
from tests.decks import bound, view_of

WRITE = ("write", {"path": "a.txt", "content": "x"})
READ = ("read", {"path": "b.txt"})
NARROW = Narrowing(why="the command /look", rules=["Read"], by="builtin:macros")
PARTS = (SourcePart(0, "/k/look.md", 4), SourcePart(5, ""))
FILE = "/k/SKILL.md"


def skill(text: str = "The skill tidy.\n\nSweep.", **fields: Any) -> Notice:
    parts = [SourcePart(17, FILE, 5)]
    return Notice(**{"text": text, "pinned": True, "parts": parts, "by": "builtin:skills"} | fields)


@pytest.fixture
def narrowed(rig: Rig) -> Rig:
    """A rig with real tools under the real gate, in full mode."""
    (rig.home / "b.txt").write_text("b")
    rig.tools = [bound(name, rig.home) for name in ("read", "write", "bash")]
    rig.rules = SessionPermission(Policy(Mode.FULL, rig.home))
    return rig


def outcomes(rig: Rig) -> list[tuple[str, str]]:
    return [(entry.tool, entry.outcome) for entry in rig.entries(Result)]


async def test_notices_come_before_the_input_and_what_narrows_after_it(rig: Rig) -> None:
    model = Model(say())
    brought = Brought(PARTS, (skill(),), NARROW)
    await rig.open(model).submit([Text("look at it")], brought)

    notice, said, narrowing = rig.entries(Notice, Input, Narrowing)
    assert isinstance(notice, Notice)
    assert isinstance(said, Input)
    assert isinstance(narrowing, Narrowing)
    assert (notice.by, notice.pinned, notice.parts[0].file) == ("builtin:skills", True, FILE)
    assert (said.by, said.parts) == ("person", list(PARTS))
    assert (narrowing.by, narrowing.why, narrowing.rules) == (
        "builtin:macros", "the command /look", ["Read"],
    )  # fmt: skip
    words = words_of(model.request())
    assert words.index("Sweep.") < words.index("look at it")
    assert "the command /look" not in words
    assert [event.text for event in rig.heard(Noticed)] == [notice.text]
    assert_valid(model.request())
    assert rig.replay().passed


async def test_an_input_that_nobody_brought_anything_with_is_recorded_as_before(rig: Rig) -> None:
    await rig.run(say())
    assert rig.path is not None
    log = rig.path.read_text()
    assert '"parts"' not in log
    assert "narrowing" not in log


async def test_a_narrowed_turn_denies_and_the_next_one_is_free(narrowed: Rig) -> None:
    model = Model(calls(READ, WRITE), say("one"), calls(WRITE), say("two"))
    conductor = narrowed.open(model)
    await bounded(conductor.submit([Text("look")], Brought(narrowing=NARROW)))
    assert isinstance(narrowed.rules.judge(view_of(*WRITE, narrowed.home)), Allow), "between turns"
    told = words_of(model.request(1))
    assert "Denied: the command /look allows only Read in this turn." in told
    assert not (narrowed.home / "a.txt").exists()
    await bounded(conductor.submit([Text("now write")]))

    assert outcomes(narrowed) == [("read", "ok"), ("write", "denied"), ("write", "ok")]
    assert narrowed.replay().passed


async def test_a_message_while_it_works_does_not_free_the_turn(narrowed: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    model = Model(until(begun, go, calls(WRITE)), calls(WRITE), say())
    conductor = narrowed.open(model)
    turn = asyncio.ensure_future(conductor.submit([Text("look")], Brought(narrowing=NARROW)))
    await bounded(begun.wait())
    await conductor.steer("write it, will you")
    go.set()
    await bounded(turn)
    assert outcomes(narrowed) == [("write", "denied"), ("write", "denied")]


async def test_nor_does_it_free_a_turn_that_breaks_off_and_goes_on(narrowed: Rig) -> None:
    begun = asyncio.Event()
    conductor = narrowed.open(Model(speaking("I look", begun)))
    turn = asyncio.ensure_future(conductor.submit([Text("look")], Brought(narrowing=NARROW)))
    await bounded(begun.wait())
    await conductor.steer("write it, will you")
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)
    again = narrowed.open(Model(calls(WRITE), say()))
    await bounded(again.go_on())
    assert outcomes(narrowed) == [("write", "denied")]


async def test_a_turn_that_broke_off_goes_on_as_narrow_as_it_was(narrowed: Rig) -> None:
    begun = asyncio.Event()
    conductor = narrowed.open(Model(speaking("I look", begun)))
    turn = asyncio.ensure_future(conductor.submit([Text("look")], Brought(narrowing=NARROW)))
    await bounded(begun.wait())
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    narrowed.rules = SessionPermission(Policy(Mode.FULL, narrowed.home))
    again = narrowed.open(Model(calls(WRITE), say(), calls(WRITE), say()))
    await bounded(again.go_on())
    assert outcomes(narrowed) == [("write", "denied")]
    await bounded(again.submit([Text("write")]))
    assert outcomes(narrowed) == [("write", "denied"), ("write", "ok")]


async def test_a_stopped_turn_narrows_nothing_any_more(narrowed: Rig) -> None:
    begun = asyncio.Event()
    model = Model(speaking("I look", begun), calls(WRITE), say())
    conductor = narrowed.open(model)
    turn = asyncio.ensure_future(conductor.submit([Text("look")], Brought(narrowing=NARROW)))
    await bounded(begun.wait())
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)
    assert isinstance(narrowed.rules.judge(view_of(*WRITE, narrowed.home)), Allow), "between turns"
    await bounded(conductor.submit([Text("write")]))
    assert outcomes(narrowed) == [("write", "ok")]


class Redirect:
    """Makes another call of the one that was judged."""

    by = "user:redirect"

    def matches(self, tool: str) -> bool:
        return tool == "bash"

    async def enter(self, view: ToolView) -> Rewritten:
        return Rewritten({"command": "touch made.txt"})

    async def exit(self, view: ToolView, result: object) -> None:
        """Nothing."""


async def test_what_a_hook_makes_of_a_call_is_narrowed_too(narrowed: Rig) -> None:
    narrowed.hooks = Hooks(tool=(Redirect(),))
    only = Narrowing(why="the command /look", rules=["Bash(ls *)"], by="builtin:macros")
    model = Model(calls(("bash", {"command": "ls b.txt"})), say())
    await bounded(narrowed.open(model).submit([Text("look")], Brought(narrowing=only)))
    assert outcomes(narrowed) == [("bash", "denied")]
    assert not (narrowed.home / "made.txt").exists()


async def test_what_cannot_be_read_as_a_rule_is_told_once_a_turn(narrowed: Rig) -> None:
    odd = Narrowing(why="the command /look", rules=["Read", "a b"], by="builtin:macros")
    opened = Narrowing(why="the skill tidy", rules=["Read"], by="builtin:skills")
    narrowed.touched = lambda _tool, _call: [opened]
    conductor = narrowed.open(Model(calls(READ), say()))
    await bounded(conductor.submit([Text("look")], Brought(narrowing=odd)))
    assert len(narrowed.entries(Narrowing)) == 2
    told = [alert.text for alert in narrowed.heard(Alert)]
    assert told == ["the command /look: 'a b' allows nothing: 'a b' is not the name of a tool"]


async def test_a_text_that_is_there_is_not_brought_again_until_it_changes(rig: Rig) -> None:
    model = Model(say(), say(), say(), say())
    conductor = rig.open(model)
    for text in ("v1 Sweep.", "v1 Sweep.", "v2 Dust."):
        brought = Brought(notices=(skill(text),))
        await bounded(conductor.submit([Text("go")], brought))
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("go")], Brought(notices=(skill("v2 Dust."),))))
    assert [notice.text for notice in rig.entries(Notice)] == ["v1 Sweep.", "v2 Dust."]


async def test_only_the_newest_text_of_a_file_survives_compaction(rig: Rig) -> None:
    model = Model(say(), say(), say("The summary."), say())
    conductor = rig.open(model)
    for text in ("v1 Sweep.", "v2 Dust."):
        await bounded(conductor.submit([Text("go")], Brought(notices=(skill(text),))))
    assert await bounded(conductor.compact())
    await bounded(conductor.submit([Text("more")]))
    words = words_of(model.request())
    assert "v2 Dust." in words
    assert "v1 Sweep." not in words
    assert rig.replay().passed


def test_a_fork_and_a_rewind_know_what_their_branch_knows(rig: Rig, tmp_path: Path) -> None:
    async def two_turns() -> None:
        conductor = rig.open(Model(say(), say()))
        await conductor.submit([Text("one")], Brought(notices=(skill(),)))
        await conductor.submit([Text("two")], Brought(narrowing=NARROW))

    asyncio.run(two_turns())
    assert rig.path is not None
    rig.close()
    whole = fork_log(rig.path, tmp_path / "whole.jsonl")
    first = next(entry for entry in rig.on_disk() if isinstance(entry, Notice))
    early = fork_log(rig.path, tmp_path / "early.jsonl", at=first.parent)
    for log, knows in ((whole, True), (early, False)):
        state = SessionState()
        for entry in read_only(log).entries:
            state.add(entry)
        assert state.noticed.has(skill()) is knows
        assert bool(state.narrowings) is knows


async def test_a_secret_in_it_is_not_recorded_and_the_lines_stay_right(rig: Rig) -> None:
    rig.secrets = Secrets([("KEY", "sk-canary-0123456789")])
    text = "Use sk-canary-0123456789 here.\nThen: an argument\nlast"
    start = text.index("an argument")
    end = start + len("an argument")
    parts = (
        SourcePart(0, "/k/a.md", 3), SourcePart(start, ""), SourcePart(end, "/k/a.md", 4),
    )  # fmt: skip
    notice = skill(f"Notice sk-canary-0123456789.\n{'x' * 9}", parts=[SourcePart(29, FILE, 5)])
    await rig.open(Model(say())).submit([Text(text)], Brought(parts, (notice,)))

    (said,), (noted,) = rig.entries(Input), rig.entries(Notice)
    assert rig.path is not None
    assert "sk-canary" not in rig.path.read_text()
    assert isinstance(said.content[0], Text)
    recorded = said.content[0].text
    stretches = [recorded[part.start :] for part in said.parts]
    assert stretches[1].startswith("an argument")
    assert stretches[2] == "\nlast"
    assert noted.text[noted.parts[0].start :] == "x" * 9


def test_a_change_across_two_parts_leaves_none() -> None:
    parts = (SourcePart(0, "/a"), SourcePart(3, "/b"))
    assert carried("abcdef", parts, lambda text: text.replace("cd", "!")) == ("ab!ef", ())
    assert carried("abcdef", parts, lambda text: text.replace("b", "BB")) == (
        "aBBcdef", (SourcePart(0, "/a"), SourcePart(4, "/b")),
    )  # fmt: skip
    assert carried("abcdef", parts, str) == ("abcdef", parts)


async def test_a_file_whose_name_no_text_can_hold_is_recorded_all_the_same(rig: Rig) -> None:
    odd = "/k/\udcff.md"
    brought = Brought((SourcePart(0, odd),), (skill(parts=[SourcePart(17, odd, 5)]),))
    await rig.open(Model(say())).submit([Text("go")], brought)
    (said,), (noted,) = rig.entries(Input), rig.entries(Notice)
    assert said.parts[0].file == noted.parts[0].file == "/k/\ufffd.md"
