"""A question outlives the process that asked it, and only the answers that were meant to."""

from __future__ import annotations

import json
import os
import signal

import pytest

from tests.channels.place import Place
from tests.channels.pty_talk import PtyTalk
from tests.channels.rpc_client import RpcClient

TOUCHES = """
[[answer]]
[[answer.call]]
name = "bash"
arguments = { command = "touch made.txt" }
[[answer]]
text = "Done."
"""
THRICE = """
[[answer]]
[[answer.call]]
name = "bash"
arguments = { command = "touch one.txt" }
[[answer.call]]
name = "bash"
arguments = { command = "touch two.txt" }
[[answer.call]]
name = "bash"
arguments = { command = "touch three.txt" }
[[answer]]
text = "Done."
"""
ALWAYS = "allow? [y/s/a/n] "


def test_a_client_allows_denies_and_lets_time_out_in_one_turn(place: Place) -> None:
    with RpcClient(place, "-m", place.script(THRICE)) as client:
        client.result("initialize", approval_timeout=0.5)
        submit = client.send("submit", text="go")
        client.result("approve", id=client.event("approval")["id"], choice="once")
        refused = client.event("approval")
        client.result("approve", id=refused["id"], choice="no", reason="not this one")
        client.event("approval")
        result = client.answer(submit)["result"]
    assert (result["text"], result["exit"]) == ("Done.", 3)
    made = sorted(path.name for path in place.workspace.glob("*.txt"))
    assert made == ["one.txt"]
    answers = [entry["answer"] for entry in place.entries() if entry["type"] == "approval"]
    assert answers == ["once", "no", "timeout"]
    ended = [entry for entry in place.entries() if entry["type"] == "result"]
    assert [entry["outcome"] for entry in ended] == ["ok", "denied", "refused"]
    assert "They said: not this one" in ended[1]["content"][0]["text"]
    assert place.replays()


def test_a_session_killed_at_an_open_question_asks_the_same_again(place: Place) -> None:
    model = place.script(TOUCHES)
    with RpcClient(place, "-m", model) as client:
        client.send("submit", text="go")
        first = client.event("approval")
        os.kill(client.process.pid, signal.SIGKILL)
    with RpcClient(place, "-m", model, "-r", "last") as client:
        assert client.result("snapshot")["unfinished"] is True
        go_on = client.send("continue")
        again = client.event("approval")
        assert not (place.workspace / "made.txt").exists()
        client.result("approve", id=again["id"], choice="once")
        result = client.answer(go_on)["result"]
    assert (again["id"], again["arguments"]) == (first["id"], first["arguments"])
    assert (result["text"], result["exit"]) == ("Done.", 0)
    assert (place.workspace / "made.txt").exists()
    assert [e["answer"] for e in place.entries() if e["type"] == "approval"] == ["once"]
    assert [e for e in place.entries() if e["type"] == "interrupted"] == []
    assert place.replays()


def test_a_session_killed_at_the_prompt_s_question_asks_the_same_again(place: Place) -> None:
    model = place.script(TOUCHES)
    with PtyTalk(place, "go", "-m", model) as talk:
        talk.wait_for("allow? [")
        os.kill(talk.process.pid, signal.SIGKILL)
    with PtyTalk(place, "-m", model, "-c") as talk:
        talk.wait_for("/continue")
        talk.say("/continue")
        asked = talk.wait_for("allow? [")
        assert "touch made.txt" in asked
        talk.say("y")
        talk.wait_for("Done.")
    assert (place.workspace / "made.txt").exists()


def test_a_killed_question_that_is_passed_over_with_a_new_prompt_never_runs(place: Place) -> None:
    model = place.script(TOUCHES)
    with RpcClient(place, "-m", model) as client:
        client.send("submit", text="go")
        client.event("approval")
        os.kill(client.process.pid, signal.SIGKILL)

    ran = place.run("-p", "never mind", "-c", "-m", model)

    assert (ran.returncode, ran.stdout) == (0, "Done.\n")
    assert not (place.workspace / "made.txt").exists()
    (told,) = [e for e in place.entries() if e["type"] == "interrupted"]
    assert told["started"] is False


def test_an_answer_for_always_holds_in_later_sessions_of_this_workspace_only(
    place: Place,
) -> None:
    model = place.script(TOUCHES)
    with PtyTalk(place, "go", "-m", model) as talk:
        asked = talk.wait_for(ALWAYS)
        assert "bash(touch made.txt)" in asked
        talk.say("a")
        talk.wait_for("Done.")
    (place.workspace / "made.txt").unlink()

    assert place.run("-p", "go", "-m", model).returncode == 0
    assert (place.workspace / "made.txt").exists()
    elsewhere = place.workspace.with_name("elsewhere")
    elsewhere.mkdir()
    script = f"scripted/{place.workspace / 'answers.toml'}"
    assert place.run("-p", "go", "--cwd", str(elsewhere), "-m", script).returncode == 3
    assert not (elsewhere / "made.txt").exists()
    kept = json.loads((place.home / "approvals.json").read_text())
    assert [rule["text"] for rule in kept[str(place.workspace)]] == ["bash(touch made.txt)"]
    assert [path.name for path in place.workspace.iterdir() if path.name.startswith(".")] == []


def test_a_program_answers_always_over_rpc_and_takes_it_back_with_grants(place: Place) -> None:
    model = place.script(TOUCHES)
    with RpcClient(place, "-m", model) as client:
        submit = client.send("submit", text="go")
        asked = client.event("approval")
        client.result("approve", id=asked["id"], choice="always")
        client.answer(submit)
    assert asked["choices"] == ["once", "session", "always", "no"]
    assert asked["keeps"] == "bash(touch made.txt)"
    assert "ask mode" in asked["rule"]
    assert place.run("-p", "go", "-m", model).returncode == 0

    listed = place.run("grants")
    assert "bash(touch made.txt)" in listed.stdout
    listing = json.loads(place.run("grants", "--json").stdout)
    (rule,) = listing["rules"][str(place.workspace)]
    assert rule["session"] == place.logs()[0].stem
    unknown = place.run("grants", "revoke", "bash(touch)")
    assert unknown.returncode == 2
    assert "known: bash(touch made.txt)" in unknown.stderr
    assert place.run("grants", "revoke", "bash(touch made.txt)").returncode == 0
    assert "nothing is allowed" in place.run("grants").stdout
    assert place.run("-p", "go", "-m", model).returncode == 3


@pytest.mark.parametrize(
    "command",
    [
        *("python run.py", "bash build.sh", "env make", "git push", "npm run build", "sudo make"),
        *(
            "timeout 5 make",
            "xargs rm",
            "/usr/bin/python3 -V",
            "make; ls",
            "make > log",
            "node x.js",
        ),
    ],
)
def test_always_is_not_offered_for_what_can_run_anything(place: Place, command: str) -> None:
    script = TOUCHES.replace("touch made.txt", command)
    with RpcClient(place, "-m", place.script(script)) as client:
        client.send("submit", text="go")
        asked = client.event("approval")
        answer = client.call("approve", id=asked["id"], choice="always")
        client.send("abort")
    assert "always" not in asked["choices"]
    assert answer["error"]["code"] == -32602
    assert not (place.home / "approvals.json").exists()


def test_a_rule_kept_for_always_never_beats_a_deny_rule_or_plan_mode(place: Place) -> None:
    model = place.script(TOUCHES)
    with PtyTalk(place, "go", "-m", model) as talk:
        talk.wait_for(ALWAYS)
        talk.say("a")
        talk.wait_for("Done.")
    (place.workspace / "made.txt").unlink()

    place.run("-p", "go", "-m", model, "--deny", "bash(touch *)")
    place.run("-p", "go", "-m", model, "--mode", "plan")

    assert not (place.workspace / "made.txt").exists()


def test_a_log_that_claims_an_approval_allows_nothing(place: Place) -> None:
    model = place.script(TOUCHES + TOUCHES)
    with RpcClient(place, "-m", model) as client:
        submit = client.send("submit", text="go")
        client.result("approve", id=client.event("approval")["id"], choice="session")
        client.answer(submit)
    log = place.logs()[0]
    assert b'"answer":"session"' in log.read_bytes()
    (place.workspace / "made.txt").unlink()

    ran = place.run("-p", "again", "-c", "-m", model)

    assert ran.returncode == 3, "neither what was answered before nor a log gives leave"
    assert not (place.workspace / "made.txt").exists()
