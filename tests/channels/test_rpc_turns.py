"""A program drives a session over `indus --rpc`."""

import json
import signal
import subprocess

import pytest

from tests.channels.place import BOUND, INDUS, Place
from tests.channels.rpc_client import RpcClient
from tests.requirements import requirement

READS = """
[[answer]]
text = "Let me look."
[[answer.call]]
name = "read"
arguments = { path = "notes.txt" }
[[answer]]
text = "It says hello."
"""
TOUCHES = """
[[answer]]
[[answer.call]]
name = "bash"
arguments = { command = "touch made.txt" }
[[answer]]
text = "Done."
"""
SLEEPS = """
[[answer]]
text = "I wait."
[[answer.call]]
name = "bash"
arguments = { command = "sleep 60" }
[[answer]]
text = "Going on."
"""
SLOW = """
[[answer]]
text = "one two three four five six seven eight"
chunk = 4
delay_ms = 60
[[answer]]
when = "mind the gap"
text = "I heard you."
"""


@requirement("cli.rpc")
def test_a_submit_returns_the_result_and_its_events_come_meanwhile(place: Place) -> None:
    (place.workspace / "notes.txt").write_text("hello\n")
    with RpcClient(place, "-m", place.script(READS)) as client:
        about = client.result("initialize", client="a test")
        result = client.result("submit", text="what do the notes say?")
        now = client.result("snapshot")
        client.result("shutdown")

        assert client.ends_with() == 0
        kinds = [event["type"] for event in client.events()]
        errors = client.errors_said()
    assert about["protocol"] == 1
    assert about["model"] == "scripted/answers.toml"
    assert about["mode"] == "ask"
    assert "approve" in about["methods"]
    assert (result["text"], result["exit"], result["steps"]) == ("It says hello.", 0, 2)
    assert result["session"] == about["session"] == place.logs()[0].stem
    assert kinds == [
        *("session", "text", "usage", "tool_start", "tool_end", "text", "usage", "result")
    ]
    assert (now["busy"], now["unfinished"], now["questions"]) == (False, False, [])
    assert now["entries"] == len(place.entries())
    assert errors == ""


def test_a_turn_is_steered_while_its_submit_is_open(place: Place) -> None:
    with RpcClient(place, "-m", place.script(SLOW)) as client:
        submit = client.send("submit", text="go")
        client.event("text")
        assert client.call("steer", text="mind the gap")["result"] is None
        assert client.answer(submit)["result"]["text"] == "I heard you."


def test_an_abort_stops_the_turn_and_continue_goes_on_with_it(place: Place) -> None:
    with RpcClient(place, "--mode", "full", "-m", place.script(SLEEPS)) as client:
        submit = client.send("submit", text="go")
        client.event("tool_start")
        assert client.result("abort", reason="enough of it") == {"aborted": True}
        assert client.answer(submit)["result"]["exit"] == 130
        assert client.result("snapshot")["unfinished"] is True
        assert client.result("continue")["text"] == "Going on."
        assert client.result("abort") == {"aborted": False}
        assert client.call("continue")["error"]["code"] == -32002
    assert place.replays()
    assert "enough of it" in place.logs()[0].read_text()


def test_a_second_submit_gets_a_clear_error_and_the_first_goes_on(place: Place) -> None:
    with RpcClient(place, "-m", place.script(SLOW)) as client:
        first = client.send("submit", text="go")
        second = client.call("submit", text="me too")
        resume = client.call("resume", session="last")
        compact = client.call("compact")
        assert client.answer(first)["result"]["exit"] == 0
    for refused in (second, resume, compact):
        assert refused["error"]["code"] == -32001
        assert "already running" in refused["error"]["message"]


def test_a_client_allows_a_call_in_the_middle_of_a_turn(place: Place) -> None:
    with RpcClient(place, "-m", place.script(TOUCHES)) as client:
        submit = client.send("submit", text="go")
        asked = client.event("approval")
        [question] = client.result("snapshot")["questions"]
        wrong = client.call("approve", id="no such", choice="once")
        unoffered = client.call("approve", id=asked["id"], choice="timeout")
        assert not (place.workspace / "made.txt").exists()
        client.result("approve", id=asked["id"], choice="once")
        assert client.answer(submit)["result"]["text"] == "Done."
        late = client.call("approve", id=asked["id"], choice="once")
    assert asked["arguments"] == {"command": "touch made.txt"}
    assert asked["choices"] == ["once", "session", "always", "no"]
    assert question["id"] == asked["id"]
    assert wrong["error"]["code"] == late["error"]["code"] == -32003
    assert unoffered["error"]["code"] == -32602
    assert (place.workspace / "made.txt").exists()


def test_a_client_says_no_and_the_model_hears_why(place: Place) -> None:
    script = TOUCHES.replace('text = "Done."', 'when = "not in here"\ntext = "All right."')
    with RpcClient(place, "-m", place.script(script)) as client:
        submit = client.send("submit", text="go")
        asked = client.event("approval")
        client.result("approve", id=asked["id"], choice="no", reason="not in here")
        assert client.answer(submit)["result"]["text"] == "All right."
    assert not (place.workspace / "made.txt").exists()


def test_a_question_nobody_answers_in_time_is_a_refusal(place: Place) -> None:
    script = TOUCHES.replace('text = "Done."', 'when = "Nobody answered"\ntext = "All right."')
    with RpcClient(place, "-m", place.script(script)) as client:
        client.result("initialize", approval_timeout=0.05)
        assert client.result("submit", text="go")["text"] == "All right."
    assert not (place.workspace / "made.txt").exists()
    [approval] = [entry for entry in place.entries() if entry["type"] == "approval"]
    assert approval["answer"] == "timeout"


def test_another_session_takes_the_place_of_this_one_when_it_is_idle(place: Place) -> None:
    model = place.script('[[answer]]\ntext = "First."\n[[answer]]\ntext = "Second."\n')
    place.run("-p", "one", "-m", model)
    old = place.logs()[0].stem
    with RpcClient(place, "-m", model) as client:
        client.event("session")
        missing = client.call("resume", session="zzzz")
        resumed = client.result("resume", session=old[:24])
        opened = client.event("session")
        again = client.result("resume", session=old)
        result = client.result("submit", text="two")
    assert missing["error"]["code"] == -32000
    assert missing["error"]["data"]["kind"] == "SessionNotFound"
    assert missing["error"]["data"]["exit"] == 1
    assert "indus sessions" in missing["error"]["data"]["hint"]
    assert resumed["session"] == again["session"] == opened["session"] == old
    assert opened["resumed"] is True
    assert (result["session"], result["text"]) == (old, "Second.")


def test_a_conversation_is_condensed_on_demand(place: Place) -> None:
    script = '[[answer]]\ntext = "Yes."\n[[answer]]\non = "Condense"\ntext = "We said yes."\n'
    with RpcClient(place, "-m", place.script(script)) as client:
        assert client.result("compact") == {"compacted": False}
        client.result("submit", text="go")
        assert client.result("compact") == {"compacted": True}
    assert "compaction" in [entry["type"] for entry in place.entries()]


def test_a_failed_turn_is_a_result_with_its_exit_code_and_a_fault(place: Place) -> None:
    with RpcClient(place, "-m", place.script('[[answer]]\nfail = "key"\n')) as client:
        result = client.result("submit", text="go")
        fault = client.event("fault")
    assert result["exit"] == 1
    assert fault["fatal"] is True
    assert "key" in fault["message"]


def test_the_end_of_input_lets_what_was_asked_come_to_its_end(place: Place) -> None:
    with RpcClient(place, "-m", place.script(TOUCHES)) as client:
        submit = client.send("submit", text="go")
        client.event("approval")
        client.stdin.close()
        assert client.answer(submit)["result"]["text"] == "Done."
        assert client.ends_with() == 0
    assert not (place.workspace / "made.txt").exists()


def test_shutdown_stops_the_turn_answers_it_and_leaves_with_0(place: Place) -> None:
    with RpcClient(place, "--mode", "full", "-m", place.script(SLEEPS)) as client:
        submit = client.send("submit", text="go")
        client.event("tool_start")
        assert client.result("shutdown") is None
        assert client.answer(submit)["result"]["exit"] == 130
        assert client.ends_with() == 0
    assert place.replays()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(place: Place, number: signal.Signals) -> None:
    with RpcClient(place, "--mode", "full", "-m", place.script(SLEEPS)) as client:
        submit = client.send("submit", text="go")
        client.event("tool_start")
        client.process.send_signal(number)
        assert client.answer(submit)["result"]["exit"] == 130
        assert client.ends_with() == 130
    assert place.replays()


def test_a_client_that_goes_away_ends_the_turn_even_in_silence(place: Place) -> None:
    submit = b'{"jsonrpc":"2.0","id":1,"method":"submit","params":{"text":"go"}}\n'
    with subprocess.Popen(
        [*INDUS, "--rpc", "--mode", "full", "-m", place.script(SLEEPS)],
        cwd=place.workspace,
        env=place.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(submit)
        process.stdin.flush()
        while b"tool_start" not in process.stdout.readline():
            pass
        process.stdin.close()
        process.stdout.close()

        assert process.wait(BOUND) == 130
    assert place.replays()


def test_a_session_that_cannot_be_opened_writes_nothing_and_exits_as_promised(
    place: Place,
) -> None:
    done = place.run("--rpc", "-r", "nosuch", "-m", place.script(READS))

    assert (done.returncode, done.stdout) == (1, "")
    assert "no session 'nosuch'" in done.stderr


def test_standard_output_belongs_to_the_protocol(place: Place) -> None:
    script = SLEEPS.replace("sleep 60", "cat; echo stray; echo more >&2; cat /dev/stdin")
    with RpcClient(place, "--mode", "full", "-m", place.script(script)) as client:
        client.result("submit", text="go")
        client.result("shutdown")
        client.ends_with()
        lines = list(client.lines)
    assert all(line.endswith(b"\n") and json.loads(line)["jsonrpc"] == "2.0" for line in lines)
