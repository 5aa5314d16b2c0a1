"""Events: who hears them, in which order, and what becomes of the payload."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    ChatPayload,
    CompactPayload,
    ContextMessage,
    ContextPayload,
    GateDecision,
    HookEvent,
    InputPayload,
    LifecyclePayload,
    Observe,
    Payload,
    ShellPayload,
    ToolPayload,
)
from induscode.addons.dispatch import EventDispatcher, subscription
from tests.addons.library.parts import ONE, THREE, TWO, dispatcher, gate, transform
from tests.requirements import requirement

CHAT, TOOL = HookEvent.CHAT_PARAMS, HookEvent.TOOL_BEFORE


def watching(seen: list[Any], name: str = "") -> Observe:
    async def watch(payload: Payload) -> None:
        seen.append((name, payload) if name else payload)

    return Observe(watch)


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


@requirement("addons.dispatch.no-subscribers", "addons.dispatch.has")
async def test_without_a_subscriber_the_payload_comes_back_as_it_is(faults) -> None:
    made = dispatcher(subscription(ONE, TOOL, gate(stop=True)), faults=faults)
    payload = ChatPayload({"temperature": 1})
    outcome = await made.dispatch(CHAT, payload)
    assert outcome.payload is payload
    assert (outcome.gate, outcome.by, outcome.changes) == (None, None, ())
    assert (made.has(CHAT), made.has(TOOL)) == (False, True)


@requirement("addons.dispatch.registration-order")
async def test_handlers_are_heard_in_the_order_of_registration(faults) -> None:
    seen: list[tuple[str, Payload]] = []
    made = dispatcher(
        subscription(TWO, CHAT, watching(seen, "first")),
        subscription(ONE, TOOL, watching(seen, "another event")),
        subscription(ONE, CHAT, watching(seen, "second")),
        subscription(TWO, CHAT, watching(seen, "third")),
        faults=faults,
    )
    await made.dispatch(CHAT, ChatPayload({}))
    assert [name for name, _ in seen] == ["first", "second", "third"]


@requirement("addons.dispatch.observe-cannot-alter")
@pytest.mark.parametrize(
    ("event", "payload", "change"),
    [
        (CHAT, ChatPayload({"stop": ["a"]}), lambda p: p.params["stop"].append("b")),
        (TOOL, ToolPayload("bash", {"a": {"b": 1}}), lambda p: p.args["a"].update(b=2)),
        (HookEvent.SHELL_ENV, ShellPayload({"A": "1"}), lambda p: p.env.update(A="2")),
    ],
)
async def test_what_an_observer_does_to_its_copy_changes_nothing(
    event, payload, change, faults
) -> None:
    seen: list[Payload] = []

    async def meddle(given: Payload) -> None:
        change(given)

    made = dispatcher(
        subscription(ONE, event, Observe(meddle)),
        subscription(TWO, event, watching(seen)),
        faults=faults,
    )
    before = repr(payload)
    outcome = await made.dispatch(event, payload)
    assert [repr(outcome.payload), *map(repr, seen)] == [before, before]
    assert repr(payload) == before
    assert faults == []


@requirement("addons.dispatch.transform-threads-forward", "addons.dispatch.chat-params-example")
async def test_what_a_transform_returns_is_what_later_handlers_and_the_caller_see(faults) -> None:
    seen: list[Payload] = []
    cold = transform(lambda payload: ChatPayload({**payload.params, "temperature": 0}))
    more = transform(lambda payload: ChatPayload({**payload.params, "top_p": 1}))
    made = dispatcher(
        subscription(ONE, CHAT, cold),
        subscription(TWO, CHAT, watching(seen)),
        subscription(THREE, CHAT, more),
        faults=faults,
    )
    outcome = await made.dispatch(CHAT, ChatPayload({"temperature": 1}))
    assert seen == [ChatPayload({"temperature": 0})]
    assert outcome.payload == ChatPayload({"temperature": 0, "top_p": 1})
    assert outcome.gate is None
    assert [(change.by, change.value) for change in outcome.changes] == [
        (ONE, ChatPayload({"temperature": 0})),
        (THREE, ChatPayload({"temperature": 0, "top_p": 1})),
    ]


async def test_a_transform_that_changes_nothing_is_no_change(faults) -> None:
    made = dispatcher(subscription(ONE, CHAT, transform(lambda payload: payload)), faults=faults)
    payload = ChatPayload({"temperature": 1})
    outcome = await made.dispatch(CHAT, payload)
    assert outcome.payload is payload
    assert outcome.changes == ()


async def test_what_a_transform_keeps_of_its_answer_cannot_change_it_later(faults) -> None:
    kept: list[ChatPayload] = []

    def change(payload: ChatPayload) -> ChatPayload:
        kept.append(ChatPayload({"stop": ["a"]}))
        return kept[0]

    made = dispatcher(subscription(ONE, CHAT, transform(change)), faults=faults)
    outcome = await made.dispatch(CHAT, ChatPayload({}))
    kept[0].params["stop"].append("b")
    assert outcome.payload == ChatPayload({"stop": ["a"]})
    assert isinstance(outcome.payload, ChatPayload)
    outcome.payload.params["stop"].append("c")
    assert outcome.changes[0].value == ChatPayload({"stop": ["a"]})


@requirement("addons.payload.wrong-shape-fault")
@pytest.mark.parametrize(
    "answer",
    [
        LifecyclePayload(),
        None,
        {"params": {}},
        ToolPayload("bash", ["no", "object"]),
        ToolPayload(7, {}),
        ToolPayload("bash", {"x": float("nan")}),
        ToolPayload("bash", {"x": object()}),
        ToolPayload("bash", {"x": "\ud800"}),
    ],
)
async def test_a_transform_that_answers_another_shape_is_a_fault_and_is_not_used(
    answer, faults
) -> None:
    seen: list[Payload] = []
    made = dispatcher(
        subscription(ONE, TOOL, transform(lambda _: answer)),
        subscription(TWO, TOOL, watching(seen)),
        faults=faults,
    )
    payload = ToolPayload("bash", {"command": "ls"})
    outcome = await made.dispatch(TOOL, payload)
    assert outcome.payload == payload
    assert outcome.changes == ()
    assert seen == [payload]
    assert [(fault.kind, fault.addon) for fault in faults] == [(AddonFaultKind.HANDLER, ONE)]


async def test_an_answer_that_holds_itself_is_a_fault(faults) -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    made = dispatcher(
        subscription(ONE, CHAT, transform(lambda _: ChatPayload(loop))), faults=faults
    )
    outcome = await made.dispatch(CHAT, ChatPayload({"a": 1}))
    assert outcome.payload == ChatPayload({"a": 1})
    assert "nested deeper" in faults[0].message


@requirement("addons.gate.first-stop-wins", "addons.gate.continue")
async def test_the_first_gate_that_stops_ends_the_walk(faults) -> None:
    seen: list[Payload] = []
    made = dispatcher(
        subscription(ONE, TOOL, gate(stop=False, reason="fine")),
        subscription(TWO, TOOL, gate(stop=True, reason="first")),
        subscription(THREE, TOOL, gate(stop=True, reason="second")),
        subscription(THREE, TOOL, watching(seen)),
        faults=faults,
    )
    outcome = await made.dispatch(TOOL, ToolPayload("bash", {}))
    assert outcome.gate == GateDecision(stop=True, reason="first", how="deny")
    assert outcome.by == TWO
    assert seen == []
    assert faults == []


@requirement("addons.events.reserved-derived")
def test_the_reserved_events_are_those_that_guard() -> None:
    assert EventDispatcher.reserved() == {event for event in HookEvent if event.guards()}


@pytest.mark.parametrize(
    ("event", "payload"),
    [(CHAT, ChatPayload({})), (HookEvent.TURN_END, LifecyclePayload()), (TOOL, InputPayload("x"))],
)
async def test_a_decision_is_reported_at_any_event(event, payload, faults) -> None:
    made = dispatcher(subscription(ONE, event, gate(stop=True, reason="no")), faults=faults)
    outcome = await made.dispatch(event, payload)
    assert outcome.gate == GateDecision(stop=True, reason="no")
    assert outcome.payload is payload


async def test_a_context_and_a_summary_can_be_transformed(faults) -> None:
    shorter = transform(lambda payload: ContextPayload(payload.messages[1:]))
    other = transform(lambda payload: CompactPayload(payload.reason, "short"))
    made = dispatcher(
        subscription(ONE, HookEvent.CONTEXT_BUILD, shorter),
        subscription(ONE, HookEvent.COMPACT_BUILD, other),
        faults=faults,
    )
    first, last = ContextMessage("user", "hi", "e1"), ContextMessage("assistant", "ho", "e2")
    context = await made.dispatch(HookEvent.CONTEXT_BUILD, ContextPayload((first, last)))
    compact = await made.dispatch(HookEvent.COMPACT_BUILD, CompactPayload("full", "a long one"))
    assert context.payload == ContextPayload((last,))
    assert compact.payload == CompactPayload("full", "short")
