"""What an addon is shown is a copy, which costs by its values and not by their length."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.addons.contract import (
    AddonFault,
    AnyTool,
    ChatPayload,
    Continue,
    HookEvent,
    InputPayload,
    ShellPayload,
    ToolExitContext,
    ToolPayload,
)
from induscode.addons.copies import arguments_copy, payload_copy, result_copy, same
from induscode.addons.dispatch import InterceptorChain, interceptor, subscription
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolResult
from tests.addons.library.parts import ONE, TWO, dispatcher, transform

LONG = "x" * 100_000


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


def test_dicts_and_lists_are_new_at_every_depth_and_texts_are_shared() -> None:
    given: dict[str, Any] = {"a": {"b": [{"c": LONG}, [1, None]]}, "d": True, "e": 1.5}
    copy = arguments_copy(given)

    assert copy == given
    assert copy["a"]["b"][0]["c"] is LONG
    copy["a"]["b"][0]["c"] = "other"
    copy["a"]["b"][1].append(2)
    copy["a"]["f"] = 1
    assert given == {"a": {"b": [{"c": LONG}, [1, None]]}, "d": True, "e": 1.5}


def test_what_is_no_plain_json_is_copied_too() -> None:
    inner: dict[str, Any] = {"a": 1}
    copy = arguments_copy({"pair": (inner,)})
    copy["pair"][0]["a"] = 2
    assert inner == {"a": 1}


def test_of_a_result_only_the_details_are_new() -> None:
    result = ToolResult((Text(LONG),), details={"lines": [1]})
    copy = result_copy(result)
    assert copy.content is result.content
    assert copy.details is not None
    copy.details["lines"].append(2)
    assert result.details == {"lines": [1]}
    bare = ToolResult.text("x")
    assert result_copy(bare) is bare


def test_payloads_that_can_be_changed_are_copied_and_others_are_not() -> None:
    for payload in (
        ToolPayload("bash", {"a": [1]}, "c", ToolResult((), details={"b": [1]})),
        ChatPayload({"stop": ["a"]}),
        ShellPayload({"A": "1"}),
    ):
        copy = payload_copy(payload)
        assert copy == payload
        assert copy is not payload
    text = InputPayload("hello")
    assert payload_copy(text) is text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (0, False),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {}),
        ([1], [1, 2]),
        ([1, 2], [2, 1]),
        ({"a": [{"b": 0}]}, {"a": [{"b": False}]}),
        (ChatPayload({"a": 1}), ChatPayload({"a": 1.0})),
    ],
)
def test_values_that_differ_as_json_are_not_the_same(one: object, other: object) -> None:
    assert not same(one, other)
    assert not same(other, one)
    assert same(one, one)


def test_the_order_of_keys_makes_no_difference() -> None:
    assert same({"a": 1, "b": [None]}, {"b": [None], "a": 1})


async def test_a_transform_that_makes_a_number_of_true_changed_something(faults) -> None:
    made = dispatcher(
        subscription(ONE, HookEvent.CHAT_PARAMS, transform(lambda _: ChatPayload({"n": 1}))),
        subscription(TWO, HookEvent.CHAT_PARAMS, transform(lambda p: ChatPayload(dict(p.params)))),
        faults=faults,
    )
    outcome = await made.dispatch(HookEvent.CHAT_PARAMS, ChatPayload({"n": True}))
    assert [change.by for change in outcome.changes] == [ONE]
    assert repr(outcome.payload) == "ChatPayload(params={'n': 1})"


async def test_what_an_exit_stage_does_to_its_view_changes_nothing() -> None:
    async def meddle(context: ToolExitContext) -> Continue:
        context.args["command"] = "rm"
        assert context.result.details is not None
        context.result.details["code"] = 7
        return Continue()

    result = ToolResult((Text("x"),), details={"code": 0})
    given = ToolExitContext("bash", "1", {"command": "ls"}, result)
    left = await InterceptorChain([interceptor(ONE, AnyTool(), None, meddle)]).leave(given)
    assert left.result == ToolResult((Text("x"),), details={"code": 0})
    assert given.args == {"command": "ls"}


async def test_a_foreign_value_is_not_asked_whether_it_is_the_same(faults) -> None:
    class Sly:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("asked")

        __hash__ = None

    sly = Sly()
    made = dispatcher(
        subscription(ONE, HookEvent.CHAT_PARAMS, transform(lambda _: ChatPayload({"n": sly}))),
        faults=faults,
    )
    outcome = await made.dispatch(HookEvent.CHAT_PARAMS, ChatPayload({"n": 1}))
    assert outcome.payload == ChatPayload({"n": 1})
    assert "what it answered is not usable" in faults[0].message
    assert not same({"n": Sly()}, {"n": Sly()})
