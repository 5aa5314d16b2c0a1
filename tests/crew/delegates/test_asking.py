"""Questions of delegates go to the person of the session above, who is told who asks."""

from __future__ import annotations

import io

from induscode.channels.question import question_lines
from induscode.channels.terminal import Ink
from induscode.crew.delegates.limits import LABEL_CHARACTERS
from induscode.crew.delegates.person import asker, label
from induscode.kernel.person import PersonAnswer, Question
from tests.channels.place import Place
from tests.channels.pty_talk import PtyTalk
from tests.channels.rpc_client import RpcClient
from tests.cli.home import Home, answer
from tests.crew.delegates.family import agent_file, chain, of, outcomes, sessions, task, told
from tests.crew.delegates.test_authority import ran_with

WRITE = ("write", {"path": "made.txt", "content": "x"})


def test_a_question_says_which_delegate_asks_what_for_and_who_sent_it(home: Home) -> None:
    model = chain(home, WRITE)
    (question,) = ran_with(home, model, lambda _: PersonAnswer("once"))
    assert question.asker == "delegate leaf: go on, sent by delegate middle: begin"
    assert question.tool == "write"
    assert (home.work / "made.txt").read_text() == "x"
    (approval,) = of(sessions(home)["leaf"], "approval")
    assert approval["answer"] == "once"


def test_a_no_and_its_reason_reach_the_delegate(home: Home) -> None:
    model = chain(home, WRITE)
    ran_with(home, model, lambda _: PersonAnswer("no", "not there"))
    leaf = sessions(home)["leaf"]
    assert outcomes(leaf) == [("write", "denied")]
    assert "not there" in told(leaf, "write")


def test_with_nobody_to_ask_it_is_refused_in_the_delegate_and_told_by_the_exit_code(
    home: Home,
) -> None:
    model = chain(home, WRITE, ("bash", {"command": "touch x"}))
    ran = home.run("-p", "go", "--json", "-m", model)
    assert ran.code == ran.result["exit"] == 3
    assert ran.result["text"] == "Root."
    found = sessions(home)
    assert outcomes(found["leaf"]) == [("write", "refused"), ("bash", "refused")]
    assert "2 refused for want of a person to ask" in told(found["root"])
    faults = [event["message"] for event in ran.events if event["type"] == "fault"]
    (fault,) = faults
    assert fault.startswith("2 calls were refused: nobody to ask"), "said once, of all of them"


def placed(place: Place) -> str:
    """The same family in a place of the channels' tests."""
    script = place.workspace.with_name("leaf.toml")
    script.write_text(answer("", WRITE) + answer("Leaf."))
    agent_file(place.home / "agents", "leaf", model=f"scripted/{script}")
    return place.script(answer("", task("tidy up", "leaf")) + answer("All done."))


def test_over_rpc_the_event_and_the_snapshot_say_who_asks(place: Place) -> None:
    with RpcClient(place, "-m", placed(place)) as client:
        turn = client.send("submit", text="go")
        asked = client.event("approval")
        assert asked["asker"] == "delegate leaf: tidy up"
        (open_one,) = client.result("snapshot")["questions"]
        assert (open_one["id"], open_one["asker"]) == (asked["id"], asked["asker"])
        client.result("approve", id=asked["id"], choice="once")
        assert client.answer(turn)["result"]["text"] == "All done."
    assert (place.workspace / "made.txt").read_text() == "x"


def test_at_the_prompt_the_question_says_who_asks_and_the_steps_are_shown(place: Place) -> None:
    with PtyTalk(place, "go", "-m", placed(place)) as talk:
        talk.wait_for("who   delegate leaf: tidy up")
        talk.wait_for("allow? [")
        talk.say("y")
        talk.wait_for("· leaf: write made.txt")
        talk.wait_for("All done.")
        talk.say("/quit")
        talk.ends_with()
    assert (place.workspace / "made.txt").read_text() == "x"


def test_two_that_ask_at_once_are_answered_one_after_the_other(place: Place) -> None:
    for name in ("one", "two"):
        script = place.workspace.with_name(f"{name}.toml")
        script.write_text(answer("", ("write", {"path": name, "content": "x"})) + answer("So."))
        agent_file(place.home / "agents", name, model=f"scripted/{script}")
    model = place.script(answer("", task("a", "one"), task("b", "two")) + answer("Both."))
    with RpcClient(place, "-m", model) as client:
        turn = client.send("submit", text="go")
        asked = {e["asker"]: e["id"] for e in (client.event("approval"), client.event("approval"))}
        assert set(asked) == {"delegate one: a", "delegate two: b"}
        client.result("approve", id=asked["delegate two: b"], choice="no")
        client.result("approve", id=asked["delegate one: a"], choice="once")
        client.answer(turn)
    assert (place.workspace / "one").exists()
    assert not (place.workspace / "two").exists()


def test_who_asks_is_one_line_of_visible_text() -> None:
    assert label("", "look\n  here") == "delegate: look here"
    assert len(label("scout", "x" * 1000)) == LABEL_CHARACTERS
    assert asker("", "delegate a: b") == "delegate a: b"
    question = Question("1", "bash", {}, "why", "rule", ("once",), asker="a\x1b[2J\ny  yes")
    lines = question_lines(question, Ink(io.StringIO(), {}))
    (line,) = [line for line in lines if "who" in line]
    assert line == "  who   a␛[2J␊y  yes"
