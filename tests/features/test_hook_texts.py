"""Hooks that change what the model reads: on the wire, in the log, in `why`, in a replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induscode.feature.hook import FailurePolicy
from induscode.feature.hook_views import (
    AmendRequest,
    Continue,
    PublicPreRequestEvent,
    ReplaceAnswer,
    ReplaceSummary,
    RewriteInput,
)
from induscode.feature.limits import HOOK_TEXT_CHARACTERS
from induscode.feature.points import HookPoint
from induscode.kernel.events import Fault
from tests.channels.place import Place
from tests.cli.home import Home
from tests.crew.delegates.family import chain, of, sessions
from tests.crew.delegates.family import told as sent_back
from tests.crew.delegates.test_features import ran as ran_at_home
from tests.fakes.anthropic_steps import calls, say
from tests.features.sessions import Hook, entries, hooked, why
from tests.features.wired import wired
from tests.requirements import requirement

INPUT, ANSWER = HookPoint.INPUT_SUBMIT, HookPoint.POST_ASSISTANT
CONTEXT, SUMMARY = HookPoint.PRE_REQUEST, HookPoint.SUMMARY
FULL = {"input": 190_000}


def told(entry: dict[str, Any]) -> str:
    return entry["operations"][0]["content"][0]["text"]


# Input


@requirement("turn.amendment-is-an-entry", "addons.dispatch.transform-threads-forward")
async def test_a_rewritten_input_is_what_the_model_reads_and_the_log_keeps_the_persons_words(
    place: Place,
) -> None:
    first = Hook(lambda event: RewriteInput(event.text.replace("prod", "staging")))
    second = Hook(lambda event: RewriteInput(event.text + ", please"))
    features = [hooked(first, INPUT, "first"), hooked(second, INPUT, "second")]
    async with wired(place, [say("Fine."), say("Still.")], *features) as run:
        await run.agent.ask("deploy to prod")
        await run.agent.ask("again")

    assert second.seen[0].text == "deploy to staging"
    assert run.said(0) == ["deploy to staging, please"]
    assert run.said(1) == ["deploy to staging, please", "again, please"]
    assert entries(place, "input")[0]["content"][0]["text"] == "deploy to prod"
    one, two, _ = entries(place, "amendment")
    assert (one["by"], two["by"]) == ("user:first", "user:second")
    assert two["operations"][0]["target"] == one["id"]
    assert one["operations"][0]["target"] == entries(place, "input")[0]["id"]
    assert one["operations"][0]["after"] == two["operations"][0]["before"]
    assert place.replays()
    assert "user:second put it there" in why(place, "staging, please")


async def test_a_rewriting_is_on_disk_in_one_go_with_the_input(place: Place) -> None:
    hook = Hook(RewriteInput("other words"))
    async with wired(place, [say()], hooked(hook, INPUT)) as run:
        await run.agent.ask("my words")

    kinds = [entry["type"] for entry in place.entries()]
    assert kinds[kinds.index("input") : kinds.index("request")] == ["input", "amendment"]
    turn = [entry for entry in place.entries() if entry["type"] in {"input", "amendment"}]
    assert turn[0]["at"] == turn[1]["at"]


async def test_a_steering_message_is_rewritten_too(place: Place) -> None:
    hook = Hook(lambda event: RewriteInput(event.text.upper()))
    agents: list[Any] = []

    async def steer(event: Any) -> None:
        if event.calls:
            await agents[0].steer("hurry")

    class Steering:
        on_post_assistant = staticmethod(steer)

    features = [hooked(hook, INPUT), hooked(Steering(), ANSWER, "steering")]
    steps = [calls(("ls", {})), say()]
    async with wired(place, steps, *features) as run:
        agents.append(run.agent)
        await run.agent.ask("look")

    assert run.said(1) == ["LOOK", "HURRY"]
    assert [e["content"][0]["text"] for e in entries(place, "input")] == ["look", "hurry"]
    assert place.replays()


async def test_a_rewritten_input_stays_rewritten_when_the_conversation_is_condensed(
    place: Place,
) -> None:
    first = Hook(lambda event: RewriteInput(event.text.replace("hunter", "someone")))
    second = Hook(lambda event: RewriteInput(event.text + "!"))
    features = [hooked(first, INPUT, "first"), hooked(second, INPUT, "second")]
    steps = [calls(("ls", {}), usage=FULL), say("A summary."), say("Done.")]
    async with wired(place, steps, *features) as run:
        await run.agent.ask("ask hunter")

    assert run.said()[-1] == "ask someone!"
    assert "hunter" not in str(run.bodies)
    assert place.replays()


async def test_a_rewriting_does_not_bring_a_secret_to_the_model(place: Place) -> None:
    hook = Hook(RewriteInput("the key is sk-of-a-test, use it"))
    async with wired(place, [say()], hooked(hook, INPUT)) as run:
        await run.agent.ask("go")

    assert "sk-of-a-test" not in str(run.bodies)
    assert "sk-of-a-test" not in place.logs()[0].read_text()
    assert place.replays()


@pytest.mark.parametrize("text", ["It is sk-of-a-test.", "half a pair \ud800"])
async def test_what_a_hook_says_is_fit_for_whoever_reads_it_next(place: Place, text: str) -> None:
    later = Hook(Continue())
    features = [
        hooked(Hook(RewriteInput(text)), INPUT, "one"),
        hooked(later, INPUT, "two"),
        hooked(Hook(ReplaceAnswer(text)), ANSWER, "three"),
    ]
    async with wired(place, [say()], *features) as run:
        result = await run.agent.ask("go")

    assert result.exit == 0
    assert run.said() == [result.text] == [later.seen[0].text]
    assert text not in result.text
    assert place.replays()


async def test_a_text_that_is_too_long_or_none_is_refused(place: Place) -> None:
    long = hooked(Hook(RewriteInput("x" * (HOOK_TEXT_CHARACTERS + 1))), INPUT, "long")
    strange = Hook(RewriteInput(5))  # pyright: ignore[reportArgumentType] that is the point
    watcher = hooked(strange, INPUT, "strange", failure=FailurePolicy.REPORT)
    async with wired(place, [say(), say()], long, watcher) as run:
        await run.agent.ask("once")
        events = [event async for event in run.agent.run("go")]

    assert run.said() == ["once", "go"]
    faults = [event.message for event in events if isinstance(event, Fault)]
    assert any("at most 400000 are taken" in fault for fault in faults)
    assert any("its RewriteInput cannot be read" in fault for fault in faults)
    assert [e["decision"] for e in entries(place, "hook")] == ["refused"]


# Answer


async def test_a_replaced_answer_is_the_turns_text_and_what_the_model_reads_later(
    place: Place,
) -> None:
    hook = Hook(lambda event: ReplaceAnswer(event.text.replace("pearl", "[gone]")))
    steps = [
        calls(("ls", {}), text="A pearl, then.", thinking="hm"),
        say("The pearl is here."),
        say("Yes."),
    ]
    async with wired(place, steps, hooked(hook, ANSWER)) as run:
        result = await run.agent.ask("where")
        after = why(place, "The [gone] is here.")
        await run.agent.ask("sure?")

    assert result.text == "The [gone] is here."
    assert "user:guard put it there" in after
    assert run.said(1, "assistant") == ["A [gone], then."]
    assert run.said(2, "assistant") == ["A [gone], then.", "The [gone] is here."]
    blocks = run.bodies[1]["messages"][1]["content"]
    assert [block["type"] for block in blocks] == ["thinking", "text", "tool_use"]
    answers = entries(place, "response")
    assert "pearl" in str(answers[0]["content"])
    assert [event.entry for event in hook.seen] == [entry["id"] for entry in answers]
    assert [(event.text, event.calls) for event in hook.seen[:2]] == [
        ("A pearl, then.", 1), ("The pearl is here.", 0),
    ]  # fmt: skip
    assert {e["by"] for e in entries(place, "amendment")} == {"user:guard"}
    assert place.replays()
    assert "user:guard put it there" in why(place, "A [gone], then.")


async def test_thinking_and_its_signature_stay_when_the_text_is_replaced(place: Place) -> None:
    hook = Hook(ReplaceAnswer("Short."))
    steps = [calls(("ls", {}), text="Long.", thinking="because"), say("Done.")]
    async with wired(place, steps, hooked(hook, ANSWER), thinking="low") as run:
        await run.agent.ask("go")

    thought, text, call = run.bodies[1]["messages"][1]["content"]
    assert (thought["thinking"], thought["signature"]) == ("because", "c2lnbmF0dXJl")
    assert (text["text"], call["name"]) == ("Short.", "ls")
    assert place.replays()


async def test_an_answer_without_a_text_has_none_to_replace(place: Place) -> None:
    hook = Hook(lambda event: Continue() if event.text else ReplaceAnswer("Something."))
    async with wired(place, [calls(("ls", {})), say("Done.")], hooked(hook, ANSWER)) as run:
        result = await run.agent.ask("go")

    assert result.text == "Done."
    assert entries(place, "amendment") == []
    (note,) = entries(place, "hook")
    assert (note["point"], note["decision"]) == ("post-assistant", "refused")


async def test_an_observer_of_answers_still_need_not_say_anything(place: Place) -> None:
    hook = Hook(None)
    async with wired(place, [say("Fine.")], hooked(hook, ANSWER)) as run:
        assert (await run.agent.ask("go")).text == "Fine."

    assert entries(place, "hook") == []


async def test_what_delegates_hear_and_answer_passes_the_same_hooks(tmp_path: Path) -> None:
    home = Home(tmp_path)
    started = Hook(None)
    answers = Hook(lambda event: ReplaceAnswer("Better.") if event.text == "Leaf." else None)
    inputs = Hook(lambda event: RewriteInput(event.text.replace("go on", "go home")))
    features = [
        hooked(started, HookPoint.TURN_START, "started"),
        hooked(answers, ANSWER, "answers"),
        hooked(inputs, INPUT, "inputs"),
    ]
    await ran_at_home(home, chain(home, ("ls", {})), *features)

    found = sessions(home)
    assert "Better." in sent_back(found["middle"])
    assert [(e["by"], told(e)) for e in of(found["leaf"], "amendment")] == [
        ("user:inputs", "go home"), ("user:answers", "Better."),
    ]  # fmt: skip
    ids = [of(found[name], "session")[0]["session"] for name in ("root", "middle", "leaf")]
    assert [event.session for event in started.seen] == ids
    for session in ids:
        assert home.run("replay", session).code == 0


# Context


def brief(event: PublicPreRequestEvent) -> AmendRequest:
    return AmendRequest(added=("Be brief.",))


async def test_an_added_text_follows_what_the_model_sees_and_is_recorded_once(
    place: Place,
) -> None:
    hook = Hook(brief)
    steps = [calls(("ls", {})), say("One."), say("Two.")]
    async with wired(place, steps, hooked(hook, CONTEXT)) as run:
        await run.agent.ask("go")
        await run.agent.ask("on")

    assert run.said(0) == ["go", "Be brief."]
    assert run.said(2) == ["go", "Be brief.", "on"]
    (entry,) = entries(place, "amendment")
    assert entry["operations"][0]["op"] == "append"
    assert (entry["id"], "user", "Be brief.") in hook.seen[1].texts
    assert place.replays()
    assert "user:guard put it there" in why(place, "Be brief.")


async def test_a_text_added_after_results_stands_behind_them_and_has_its_own_producer(
    place: Place,
) -> None:
    hook = Hook(lambda event: brief(event) if len(hook.seen) == 2 else Continue())
    steps = [calls(("ls", {}), ("ls", {})), say("Done.")]
    async with wired(place, steps, hooked(hook, CONTEXT)) as run:
        await run.agent.ask("go")

    last = run.bodies[1]["messages"][-1]["content"]
    assert [block["type"] for block in last] == ["tool_result", "tool_result", "text"]
    assert place.replays()
    assert "user:guard put it there" in why(place, "Be brief.")


async def test_what_a_hook_added_it_can_change_and_take_away_again(place: Place) -> None:
    def change(event: PublicPreRequestEvent) -> AmendRequest:
        mine = [entry for entry, _, text in event.texts if text in {"one", "two"}]
        wanted = {1: AmendRequest(added=("one",)), 2: AmendRequest(dict.fromkeys(mine, "two"))}
        return wanted.get(len(hook.seen), AmendRequest(dict.fromkeys(mine)))

    hook = Hook(change)
    async with wired(place, [say(), say(), say()], hooked(hook, CONTEXT)) as run:
        for said in ("a", "b", "c"):
            await run.agent.ask(said)

    assert [run.said(n) for n in range(3)] == [["a", "one"], ["a", "two", "b"], ["a", "b", "c"]]
    assert place.replays()


async def test_a_text_that_is_so_already_is_not_amended_again(place: Place) -> None:
    def shout(event: PublicPreRequestEvent) -> AmendRequest:
        return AmendRequest({e: text.upper() for e, role, text in event.texts if role == "user"})

    async with wired(place, [say(), say()], hooked(Hook(shout), CONTEXT)) as run:
        await run.agent.ask("one")
        await run.agent.ask("two")

    assert run.said() == ["ONE", "TWO"]
    assert [len(e["operations"]) for e in entries(place, "amendment")] == [1, 1]
    assert place.replays()


async def test_a_long_text_is_kept_in_the_store_and_a_broken_one_is_mended(place: Place) -> None:
    long = "long " * 20_000
    hook = Hook(lambda event: AmendRequest(added=(long, "half a pair: \ud800")))
    async with wired(place, [say()], hooked(hook, CONTEXT)) as run:
        assert (await run.agent.ask("go")).exit == 0

    assert run.said() == ["go", long, "half a pair: \ufffd"]
    assert len(place.logs()[0].read_bytes()) < len(long)
    assert place.replays()


# Summary


async def test_another_summary_is_what_the_model_reads_and_the_log_keeps_the_models(
    place: Place,
) -> None:
    first = Hook(lambda event: ReplaceSummary(event.summary + " And more."))
    second = Hook(lambda event: ReplaceSummary(event.summary.upper()))
    before = Hook(Continue())
    features = [
        hooked(first, SUMMARY, "first"),
        hooked(second, SUMMARY, "second"),
        hooked(before, HookPoint.BEFORE_REWRITE, "before"),
    ]
    steps = [say("One.", usage=FULL), say("They talked."), say("Two.")]
    async with wired(place, steps, *features) as run:
        await run.agent.ask("first")
        await run.agent.ask("second")

    assert (first.seen[0].reason, first.seen[0].summary) == ("it is nearly full", "They talked.")
    assert second.seen[0].summary == "They talked. And more."
    assert (before.seen[0].what, before.seen[0].reason) == ("compaction", "it is nearly full")
    shown = run.said()[0]
    assert shown.startswith("The conversation so far was condensed to this summary:")
    assert shown.endswith("THEY TALKED. AND MORE.")
    (condensed,) = entries(place, "compaction")
    assert condensed["summary"] == "They talked."
    assert [(e["by"], told(e)[-10:]) for e in entries(place, "amendment")] == [
        ("user:first", " And more."), ("user:second", " AND MORE."),
    ]  # fmt: skip
    assert place.replays()
    assert "user:second put it there" in why(place, "THEY TALKED.")


@pytest.mark.parametrize("point", [ANSWER, SUMMARY, CONTEXT])
async def test_a_hook_that_fails_to_reword_is_reported_and_the_words_stay(
    place: Place, point: HookPoint
) -> None:
    hook = Hook("just a string")
    steps = [say("One.", usage=FULL), say("They talked."), say("Two.")]
    async with wired(place, steps, hooked(hook, point)) as run:
        await run.agent.ask("first")
        result = await run.agent.ask("second")

    assert (result.exit, result.text) == (0, "Two.")
    assert {(e["point"], e["decision"]) for e in entries(place, "hook")} == {(point, "failed")}
    assert entries(place, "amendment") == []
