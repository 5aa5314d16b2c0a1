"""Hook points: they narrow, they are recorded, and a broken one never widens anything."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from induscode.conductor import environment_hooks, shaping, tool_hooks, turn_hooks, wording
from induscode.conductor.hooks import (
    Continue,
    Hooks,
    Rewritten,
    Shape,
    Stop,
    ToolView,
)
from induscode.errors import UserError
from induscode.kernel.content import Text
from induscode.kernel.events import Fault, HookDecided
from induscode.kernel.jsontext import digest, raw_json
from induscode.kernel.request import NeutralRequest
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.verdict import Allow, Ask, Deny, Layer, Verdict
from induscode.session.entries import Amendment, Approval, Hook, Input, Intent, Result
from tests.conductor.rig import (
    Model,
    Rig,
    Rules,
    Tool,
    acts,
    bounded,
    calls,
    denying,
    results_of,
    say,
)
from tests.requirements import requirement


class Gate:
    """A hook around calls, made of the functions a test gives it."""

    def __init__(self, by: str, enter: Any = None, leave: Any = None, tool: str = "") -> None:
        self.by = by
        self._enter = enter
        self._leave = leave
        self._tool = tool
        self.entered: list[ToolView] = []

    def matches(self, tool: str) -> bool:
        return not self._tool or tool == self._tool

    async def enter(self, view: ToolView) -> Continue | Stop | Rewritten:
        self.entered.append(view)
        return Continue() if self._enter is None else await self._enter(view)

    async def exit(self, view: ToolView, result: ToolResult) -> ToolResult | None:
        return None if self._leave is None else await self._leave(view, result)


async def hang(*_: object) -> Any:
    await asyncio.Event().wait()


async def burst(*_: object) -> Any:
    raise RuntimeError("out of order")


def rewriting(**arguments: Any) -> Any:
    async def enter(view: ToolView) -> Rewritten:
        return Rewritten({**view.arguments, **arguments})

    return enter


def stopping(reason: str) -> Any:
    async def enter(view: ToolView) -> Stop:
        return Stop(reason)

    return enter


async def test_the_first_gate_that_stops_ends_the_walk(rig: Rig) -> None:
    tool, second = Tool("work"), Gate("project:two", stopping("second"))
    rig.tools = [acts(tool)]
    rig.hooks = Hooks(tool=(Gate("project:one", stopping("first")), second))
    model = Model(calls(("work", {})), say())
    await rig.open(model).submit([Text("go")])

    assert tool.runs == []
    assert second.entered == []
    assert rig.entries(Intent) == []
    assert results_of(model.request()) == ["Blocked by one: first"]
    assert [(h.by, h.point, h.decision) for h in rig.entries(Hook)] == [
        ("project:one", "pre-tool", "deny")
    ]
    assert [(r.outcome, r.by) for r in rig.entries(Result)] == [("denied", "project:one")]
    assert [event.reason for event in rig.heard(HookDecided)] == ["first"]


async def test_a_gate_hears_only_the_tools_it_asked_for(rig: Rig) -> None:
    gate = Gate("project:one", stopping("no"), tool="other")
    rig.tools, rig.hooks = [acts(Tool("work"))], Hooks(tool=(gate,))
    model = Model(calls(("work", {})), say())
    await rig.open(model).submit([Text("go")])
    assert gate.entered == []
    assert results_of(model.request()) == ["work ran"]


@requirement("invariant.07.failing-gate-denies")
@pytest.mark.parametrize(
    ("fault", "told"),
    [(burst, "project:one failed: out of order"), (hang, "project:one did not answer within")],
)
async def test_a_gate_that_fails_or_does_not_answer_denies(rig: Rig, fault: Any, told: str) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    rig.hooks = Hooks(tool=(Gate("project:one", fault),), deadline=0.05)
    model = Model(calls(("work", {})), say())
    await bounded(rig.open(model).submit([Text("go")]))
    assert tool.runs == []
    assert told in results_of(model.request())[0]
    assert [result.outcome for result in rig.entries(Result)] == ["denied"]


@requirement("invariant.07.order")
async def test_the_host_judges_the_call_as_the_model_made_it_before_any_gate(rig: Rig) -> None:
    gate = Gate("project:one", rewriting(path="harmless"))
    rig.tools, rig.rules, rig.hooks = [acts(Tool("work"))], Rules(denying), Hooks(tool=(gate,))
    await rig.run(calls(("work", {"path": "secret"})), say())
    assert rig.rules.judged == [("work", {"path": "secret"})]
    assert gate.entered == []


def by_path(tool: str, arguments: Mapping[str, Any]) -> Verdict:
    match arguments.get("path"):
        case "secret":
            return Deny("secrets stay", "test", Layer.FLAG)
        case "public":
            return Allow("test", Layer.MODE)
        case _:
            return Ask("Really?", "test", Layer.MODE)


@requirement("invariant.07.rewritten-rechecked", "invariant.07.no-rewrite-widens")
@pytest.mark.parametrize(
    ("made", "rewritten", "outcome"),
    [
        ("public", "secret", "denied"),
        ("public", "other", "refused"),
        ("secret", "public", "denied"),
        ("other", "public", "refused"),
        ("public", "public", "ok"),
    ],
)
async def test_a_rewrite_never_turns_a_deny_or_a_question_into_a_yes(
    rig: Rig, made: str, rewritten: str, outcome: str
) -> None:
    tool = Tool("work")
    rig.tools, rig.rules = [acts(tool)], Rules(by_path)
    rig.hooks = Hooks(tool=(Gate("project:one", rewriting(path=rewritten)),))
    await rig.run(calls(("work", {"path": made})), say())
    assert [result.outcome for result in rig.entries(Result)] == [outcome]
    assert bool(tool.runs) is (outcome == "ok")


async def test_a_rewrite_is_recorded_with_who_did_it_and_what_runs(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    one, two = rewriting(path="b"), rewriting(mode="x")
    rig.hooks = Hooks(tool=(Gate("project:one", one), Gate("project:two", two)))
    await rig.run(calls(("work", {"path": "a"})), say())

    assert rig.path is not None
    assert tool.runs == [{"path": "b", "mode": "x"}]
    first, second = rig.entries(Hook)
    assert (first.by, first.decision, second.by) == ("project:one", "rewrite", "project:two")
    assert first.before == digest(bytes(raw_json({"path": "a"})))
    assert first.after == second.before == digest(bytes(raw_json({"path": "b"})))
    (intent,) = rig.entries(Intent)
    assert intent.arguments == {"mode": "x", "path": "b"}
    assert intent.arguments_sha256 == second.after
    assert intent.rewritten_by == "project:two"
    assert rig.replay().passed


async def test_a_rewritten_result_is_the_hooks_and_recorded(rig: Rig) -> None:
    async def redact(view: ToolView, result: ToolResult) -> ToolResult:
        return ToolResult.text("[redacted]\udcff")

    rig.tools = [acts(Tool("work"))]
    outer, inner = Gate("project:outer"), Gate("project:inner", leave=redact)
    rig.hooks = Hooks(tool=(outer, inner))
    model = Model(calls(("work", {})), say())
    await rig.open(model).submit([Text("go")])
    assert results_of(model.request()) == ["[redacted]\ufffd"]
    (note,) = rig.entries(Hook)
    assert (note.by, note.point, note.decision) == ("project:inner", "post-tool", "rewrite")
    assert rig.entries(Result)[0].by == "project:inner"
    assert rig.replay().passed


async def test_hooks_leave_in_the_reverse_of_the_order_they_entered(rig: Rig) -> None:
    def adding(mark: str) -> Any:
        async def leave(view: ToolView, result: ToolResult) -> ToolResult:
            text = result.content[0]
            assert isinstance(text, Text)
            return ToolResult.text(text.text + mark)

        return leave

    rig.tools = [acts(Tool("work"))]
    gates = (Gate("p:one", leave=adding(" one")), Gate("p:two", leave=adding(" two")))
    rig.hooks = Hooks(tool=gates)
    model = Model(calls(("work", {})), say())
    await rig.open(model).submit([Text("go")])
    assert results_of(model.request()) == ["work ran two one"]


@requirement("decision.beyond.durable-hook-decisions")
@pytest.mark.parametrize("fault", [burst, hang])
async def test_a_hook_that_fails_over_a_result_withholds_it_and_the_log_says_so(
    rig: Rig, fault: Any
) -> None:
    rig.tools = [acts(Tool("work"))]
    rig.hooks = Hooks(tool=(Gate("project:one", leave=fault),), deadline=0.05)
    model = Model(calls(("work", {})), say())
    await bounded(rig.open(model).submit([Text("go")]))
    assert results_of(model.request())[0].startswith("The result is withheld: project:one")
    (note,) = rig.entries(Hook)
    assert (note.by, note.point, note.decision) == ("project:one", "post-tool", "failed")
    assert [event.point for event in rig.heard(HookDecided)] == ["post-tool"]


class Doorman:
    by = "project:door"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def submit(self, text: str) -> Continue | Stop:
        return await self._answer(text) if callable(self._answer) else self._answer


@pytest.mark.parametrize("answer", [Stop("not today"), burst, hang])
async def test_an_input_that_a_hook_stops_or_fails_on_reaches_no_model(
    rig: Rig, answer: Any
) -> None:
    await rig.run(say())
    rig.hooks = Hooks(input=(Doorman(answer),), deadline=0.05)
    model = Model()
    with pytest.raises(UserError, match="the input was stopped by project:door"):
        await bounded(rig.open(model).submit([Text("second")]))
    assert model.bodies == []
    assert len(rig.entries(Input)) == 1
    assert [(h.by, h.point, h.decision) for h in rig.entries(Hook)] == [
        ("project:door", "input-submit", "deny" if isinstance(answer, Stop) else "failed")
    ]


class Shaper:
    by = "project:shaper"

    def __init__(self, shape: Any) -> None:
        self._shape = shape

    async def shape(self, request: NeutralRequest) -> Shape | None:
        return await self._shape(request)


@requirement("invariant.07.failing-observer-skipped")
@pytest.mark.parametrize("fault", [burst, hang])
async def test_a_failing_shaper_or_observer_is_a_fault_and_the_turn_goes_on(
    rig: Rig, fault: Any
) -> None:
    class Observer:
        by = "project:watch"

        async def turn_ended(self, session: str, text: str) -> None:
            await fault(text)

    rig.hooks = Hooks(context=(Shaper(fault),), turn=(Observer(),), deadline=0.05)
    outcome = await bounded(rig.open(Model(say("Fine."))).submit([Text("hi")]))
    assert outcome.text == "Fine."
    faults = [event.message for event in rig.heard(Fault)]
    assert [message.split()[0] for message in faults] == ["project:shaper", "project:watch"]
    assert rig.entries(Amendment) == []


async def test_an_observer_hears_the_final_text(rig: Rig) -> None:
    heard: list[str] = []

    class Observer:
        by = "project:watch"

        async def turn_ended(self, session: str, text: str) -> None:
            heard.append(text)

    rig.hooks = Hooks(turn=(Observer(),))
    await rig.run(say("That is all."))
    assert heard == ["That is all."]


async def test_without_hooks_nothing_is_guarded(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def guarded(*_: object, **__: object) -> Any:
        raise AssertionError("no hook is there to be heard")

    for module in (environment_hooks, shaping, tool_hooks, turn_hooks, wording):
        monkeypatch.setattr(module, "guarded", guarded)
    rig.tools = [acts(Tool("work"))]
    conductor = rig.open(Model(calls(("work", {})), say("x", input=190_000), say("s"), say("y")))
    await conductor.submit([Text("a")])
    await conductor.submit([Text("b")])
    assert rig.entries(Approval) == []


async def test_a_tool_never_sees_what_a_hook_that_stopped_it_saw(rig: Rig) -> None:
    ran: list[Mapping[str, Any]] = []

    async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        ran.append(arguments)
        return ToolResult.text("ran")

    rig.tools = [acts(Tool("work", work))]
    first = Gate("project:one", rewriting(extra=1))
    rig.hooks = Hooks(tool=(first, Gate("project:two", stopping("no"))))
    await rig.run(calls(("work", {})), say())
    assert ran == []
    assert [note.decision for note in rig.entries(Hook)] == ["rewrite", "deny"]
