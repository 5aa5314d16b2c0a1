"""What calls bring along by what they touch: once, after the results, and through compaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from induscode.boot.permission import SessionPermission
from induscode.conductor.joining import Brought
from induscode.conductor.ports import BoundTool
from induscode.kernel.content import Text
from induscode.kernel.events import Noticed
from induscode.kernel.model import Answer
from induscode.kernel.provenance import SourcePart
from induscode.kernel.tool import ToolResult
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.subject import CallView
from induscode.session.entries import KEPT, Compaction, Narrowing, Notice, Result
from induscode.session.line import type_name
from tests.conductor.rig import (
    Model,
    Rig,
    Rules,
    Tool,
    acts,
    assert_valid,
    bounded,
    calls,
    denying,
    reads,
    say,
    words_of,
)
from tests.decks import bound
from tests.requirements import requirement

FULL = {"input": 190_000, "output": 10}
RULE = "Rules for files like *.py:\n\nNo tabs."
SKILL = "The skill tidy.\n\nSweep every corner."


def rule(text: str = RULE) -> Notice:
    return Notice(text, pinned=True, parts=[SourcePart(28, "/w/r.md", 4)], by="builtin:briefing")


def skill(**fields: Any) -> Notice:
    parts = [SourcePart(17, "/w/tidy/SKILL.md", 5)]
    kept = {"text": SKILL, "pinned": True, "only": KEPT, "parts": parts, "by": "builtin:skills"}
    return Notice(**kept | fields)


class Brings:
    """Brings what it is set to, whatever was touched."""

    def __init__(self, *entries: Notice | Narrowing) -> None:
        self.entries = entries
        self.asked: list[str] = []

    def __call__(self, tool: BoundTool, call: CallView) -> Sequence[Notice | Narrowing]:
        self.asked.append(call.tool)
        return self.entries


def full(answer: Answer) -> Answer:
    return Answer(answer.content, answer.stop, say("", **FULL).usage)


async def test_what_a_call_brings_comes_after_its_result_and_once(rig: Rig) -> None:
    rig.tools = [reads(Tool("look"))]
    rig.touched = Brings(rule())
    model = Model(calls(("look", {})), calls(("look", {})), say(), say())
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("go")]))
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("again")]))

    (noted,) = rig.entries(Notice)
    kinds = [type_name(entry) for entry in rig.entries(Result, Notice)]
    assert kinds == ["result", "notice", "result"]
    assert (noted.by, noted.parts[0].line) == ("builtin:briefing", 4)
    assert words_of(model.request()).count("No tabs.") == 1
    assert [event.text for event in rig.heard(Noticed)] == [RULE]
    for number in range(len(model.bodies)):
        assert_valid(model.request(number))
    assert rig.replay().passed


async def test_calls_side_by_side_bring_the_same_thing_once(rig: Rig) -> None:
    together = asyncio.Event()
    waiting: list[str] = []

    async def work(arguments: Any, context: Any) -> ToolResult:
        waiting.append("one")
        if len(waiting) == 3:
            together.set()
        await together.wait()
        return ToolResult.text("seen")

    rig.tools = [reads(Tool("look", work))]
    rig.touched = Brings(rule(), skill())
    model = Model(calls(*[("look", {"n": n}) for n in range(3)]), say())
    await bounded(rig.open(model).submit([Text("go")]))
    assert [notice.text for notice in rig.entries(Notice)] == [RULE, SKILL]
    assert_valid(model.request())


async def test_a_call_that_did_not_go_well_brings_nothing(rig: Rig) -> None:
    async def failing(arguments: Any, context: Any) -> ToolResult:
        return ToolResult.error("no such file")

    rig.tools = [reads(Tool("fails", failing)), acts(Tool("denied"))]
    rig.rules = Rules(denying)
    rig.rules.kept.append("fails")
    rig.touched = brings = Brings(rule())
    model = Model(calls(("fails", {}), ("denied", {}), ("gone", {})), say())
    await bounded(rig.open(model).submit([Text("go")]))
    assert [entry.outcome for entry in rig.entries(Result)] == ["error", "denied", "invalid"]
    assert brings.asked == []
    assert rig.entries(Notice) == []


async def test_a_rule_that_says_something_else_now_joins_again(rig: Rig) -> None:
    rig.tools = [reads(Tool("look"))]
    rig.touched = brings = Brings(rule())
    conductor = rig.open(Model(*[calls(("look", {})), say()] * 3))
    for text in (RULE, f"{RULE} Nor spaces.", RULE):
        brings.entries = (rule(text),)
        await bounded(conductor.submit([Text("go")]))
    assert [notice.text for notice in rig.entries(Notice)] == [RULE, f"{RULE} Nor spaces.", RULE]


@requirement("turn.compaction-pins")
async def test_an_opened_skill_is_not_shown_twice_and_survives_three_compactions(rig: Rig) -> None:
    async def reading(arguments: Any, context: Any) -> ToolResult:
        return ToolResult.text(SKILL)

    rig.tools = [reads(Tool("read", reading)), acts(Tool("work"))]
    rig.touched = brings = Brings(skill())
    steps: list[Any] = [calls(("read", {}))]
    for number in range(3):
        steps += [full(calls(("work", {}))), say(f"summary {number}")]
    model = Model(*steps, say("Done."))
    assert (await bounded(rig.open(model).submit([Text("tidy up")]))).text == "Done."

    assert brings.asked[0] == "read"
    assert [notice.only for notice in rig.entries(Notice)][:1] == [KEPT]
    assert rig.heard(Noticed) == [], "nothing was put in front of the model"
    assert len(rig.entries(Compaction)) == 3
    assert words_of(model.request(1)).count("Sweep every corner.") == 1, "as the tool's result"
    for number in (3, 5, 7):
        assert words_of(model.request(number)).count("Sweep every corner.") == 1, number
        assert_valid(model.request(number))
    report = rig.replay()
    assert report.passed
    assert len(report.checks) == len(model.bodies)


async def test_a_resume_after_the_compaction_still_has_the_skill(rig: Rig) -> None:
    rig.tools = [reads(Tool("read"))]
    rig.touched = Brings(skill())
    model = Model(calls(("read", {})), say("one"), say("summary"), say("two"), say("three"))
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("a")]))
    assert "Sweep" not in words_of(model.request())
    assert await bounded(conductor.compact())
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("b")]))
    assert words_of(model.request()).count("Sweep every corner.") == 1
    await bounded(conductor.submit([Text("c")]))
    assert words_of(model.request()).count("Sweep every corner.") == 1
    assert rig.replay().passed


async def test_a_skill_that_a_person_asks_for_is_shown_though_the_model_opened_it(
    rig: Rig,
) -> None:
    """It may have read a part of it only; after a compaction showed it, it is there."""
    rig.tools = [reads(Tool("read"))]
    rig.touched = Brings(skill())
    asked = Brought(notices=(skill(only=""),))
    model = Model(calls(("read", {})), say(), say(), say(), say("summary"), say())
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("a")]))
    for _ in range(2):
        await bounded(conductor.submit([Text("b")], asked))
        assert words_of(model.request()).count("Sweep every corner.") == 1
    assert await bounded(conductor.compact())
    await bounded(conductor.submit([Text("c")], asked))
    assert words_of(model.request()).count("Sweep every corner.") == 1
    assert [notice.only for notice in rig.entries(Notice)] == [KEPT, "", "compaction"]
    assert rig.replay().passed


async def test_a_skill_that_a_compaction_has_shown_is_not_shown_again(rig: Rig) -> None:
    rig.tools = [reads(Tool("read"))]
    rig.touched = Brings(skill())
    model = Model(calls(("read", {})), say(), say("summary"), say())
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("a")]))
    assert await bounded(conductor.compact())
    await bounded(conductor.submit([Text("b")], Brought(notices=(skill(only=""),))))
    assert words_of(model.request()).count("Sweep every corner.") == 1
    assert rig.replay().passed


async def test_a_skill_narrows_from_its_opening_to_the_end_of_the_turn(rig: Rig) -> None:
    (rig.home / "SKILL.md").write_text("Sweep.")
    only = Narrowing(why="the skill tidy", rules=["Read"], by="builtin:skills")
    rig.tools = [bound(name, rig.home) for name in ("read", "write")]
    rig.rules = SessionPermission(Policy(Mode.FULL, rig.home))
    rig.touched = Brings(skill(), only)
    write = ("write", {"path": "a.txt", "content": "x"})
    opened = ("read", {"path": "SKILL.md"})
    model = Model(calls(opened, write), say(), calls(opened), calls(write), say(), say())
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("one")]))
    assert "Denied: the skill tidy allows only Read in this turn." in words_of(model.request(1))
    await bounded(conductor.submit([Text("two")]))
    await bounded(conductor.submit([Text("three")]))

    outcomes = [(entry.tool, entry.outcome) for entry in rig.entries(Result)]
    assert outcomes == [("read", "ok"), ("write", "denied")] * 2
    assert len(rig.entries(Notice)) == 1, "the text is there; what narrows is recorded each time"
    assert [(entry.by, entry.why) for entry in rig.entries(Narrowing)] == [
        ("builtin:skills", "the skill tidy")
    ] * 2
    assert rig.replay().passed
