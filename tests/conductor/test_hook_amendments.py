"""What hooks change of what the model sees: amendments that explain themselves and replay."""

from __future__ import annotations

from msgspec import Raw

from induscode.conductor.amendments import MAX_OPERATIONS
from induscode.conductor.hooks import Hooks, Reworded, Shape
from induscode.kernel.content import Image, Text, Thinking
from induscode.kernel.events import Fault
from induscode.kernel.model import Answer, StopReason, Usage
from induscode.kernel.request import NeutralRequest
from induscode.session.entries import Amendment, Input, Operation
from tests.conductor.rig import Model, Rig, assert_valid, say, words_of
from tests.conductor.test_hooks import Doorman, Shaper
from tests.requirements import requirement


async def test_a_picture_stays_where_it_was_when_the_words_around_it_are_others(rig: Rig) -> None:
    async def reword(text: str) -> Reworded:
        return Reworded(f"{text} (anonymous)")

    rig.hooks = Hooks(input=(Doorman(reword),))
    model = Model(say())
    picture = Image("image/png", b"\x89PNG")
    await rig.open(model).submit([picture, Text("who is "), Text("this?")])

    first, second = model.request()["messages"][0]["content"]
    assert first["type"] == "image"
    assert second["text"] == "who is this? (anonymous)"
    (entry,) = rig.entries(Input)
    assert [type(block).__name__ for block in entry.content] == ["ImageRef", "Text", "Text"]
    assert rig.replay().passed


async def test_of_an_answer_with_several_texts_the_first_is_replaced_and_the_others_go(
    rig: Rig,
) -> None:
    class Editor:
        by = "project:editor"

        async def answered(self, text: str, calls: int, entry: str) -> Reworded:
            return Reworded("Short.")

    rig.hooks = Hooks(answer=(Editor(),))
    said = (Thinking("hm", "c2ln"), Text("One. "), Thinking("hm!", "c2ln"), Text("Two."))
    model = Model(Answer(said, StopReason.END, Usage(1, 1)), say("Short."))
    conductor = rig.open(model)
    assert (await conductor.submit([Text("go")])).text == "Short."
    await conductor.submit([Text("on")])

    blocks = model.request()["messages"][1]["content"]
    assert [block["text"] for block in blocks] == ["hm", "Short.", "hm!"]
    assert len(rig.entries(Amendment)) == 1, "what is so already is not said again"
    assert rig.replay().passed


@requirement("turn.amendment-is-an-entry")
async def test_a_shaped_context_is_an_amendment_that_replays(rig: Rig) -> None:
    async def shape(request: NeutralRequest) -> Shape | None:
        target = request.messages()[0].parts[0].entry
        if len(request.messages()) == 1:
            return None
        told = Operation(op="replace", target=target, content=[Text("(an older question)")])
        return Shape(operations=(told,), parameters={"temperature": Raw(b"0.5")})

    rig.hooks = Hooks(context=(Shaper(shape),))
    model = Model(say("one"), say("two"))
    conductor = rig.open(model)
    await conductor.submit([Text("a very long question")])
    await conductor.submit([Text("b")])

    assert "a very long question" in words_of(model.request(0))
    assert "a very long question" not in words_of(model.request(1))
    assert "(an older question)" in words_of(model.request(1))
    assert model.request(1)["head"]["extra"] == {"temperature": 0.5}
    assert {entry.by for entry in rig.entries(Amendment)} == {"project:shaper"}
    assert_valid(model.request())
    assert rig.replay().passed


async def test_an_amendment_carries_digests_and_is_capped(rig: Rig) -> None:
    class Greedy:
        by = "project:greedy"
        many = False

        async def shape(self, request: NeutralRequest) -> Shape:
            target = request.messages()[0].parts[0].entry
            change = Operation(op="replace", target=target, content=[Text("something else")])
            return Shape(operations=(change,) * (MAX_OPERATIONS + 1 if self.many else 1))

    hook = Greedy()
    rig.hooks = Hooks(context=(hook,))
    await rig.run(say("one"), said="the original")
    (amended,) = rig.entries(Amendment)
    assert amended.operations[0].before != amended.operations[0].after != ""
    hook.many = True
    await rig.run(say("two"), said="more")
    assert len(rig.entries(Amendment)) == 1
    assert any("at most 64" in fault.message for fault in rig.heard(Fault))
    assert rig.replay().passed


async def test_an_amendment_of_what_the_model_does_not_see_is_a_fault(rig: Rig) -> None:
    class Blind:
        by = "project:blind"

        async def shape(self, request: NeutralRequest) -> Shape:
            return Shape(operations=(Operation(op="omit", target="nothing-there"),))

    rig.hooks = Hooks(context=(Blind(),))
    await rig.run(say("one"))
    assert rig.entries(Amendment) == []
    assert any("which the model does not see" in fault.message for fault in rig.heard(Fault))
