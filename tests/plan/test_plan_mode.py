"""Plan mode as a person meets it: nothing changes, and leaving it is theirs to allow."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode
from induscode.policy.verdict import Allow
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.cli.home import Home, answer
from tests.decks import view_of
from tests.requirements import requirement

PLAN = "# Mend the greeting\n\n1. Edit note.txt"
TRICKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("write", {"path": "new.txt", "content": "x"}),
    ("write", {"path": "note.txt", "content": "x"}),
    ("edit", {"path": "note.txt", "old_text": "hello", "new_text": "bye"}),
    ("edit", {"path": "note.txt", "edits": [{"old_text": "hello", "new_text": "bye"}]}),
    ("bash", {"command": "touch made.txt"}),
    ("bash", {"command": "echo x > note.txt"}),
    ("bash", {"command": "cat note.txt; rm note.txt"}),
    ("bash", {"command": "git init"}),
    ("bash", {"command": "find . -name note.txt -delete"}),
    ("bash", {"command": "sed -i s/hello/bye/ note.txt"}),
    ("bash", {"command": "sort -o note.txt note.txt"}),
    ("bash", {"command": 'python3 -c \'open("x", "w")\''}),
    ("process", {"action": "start", "command": "touch made.txt"}),
    ("bg-process", {"action": "start", "command": "touch made.txt"}),
    ("saas-action", {"action": "execute", "slug": "X", "arguments": {}}),
    ("webfetch", {"url": "http://127.0.0.1:9/"}),
    ("Write", {"path": "new.txt", "content": "x"}),
    ("todo_set", {"items": [{"text": "write new.txt"}]}),
    ("task", {"objective": "write new.txt"}),
    ("read", {"path": "note.txt"}),
    ("grep", {"pattern": "hello"}),
)


def digest(folder: Path) -> dict[str, str]:
    """Every name below a folder with its mode and content."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(folder))] = f"{os.lstat(path).st_mode:o} {content}"
    return found


def modes(home: Home) -> list[tuple[str, str]]:
    return [(entry["mode"], entry.get("reason", "")) for entry in home.entries("mode")]


@requirement("decision.plan-mode-by-call")
@pytest.mark.parametrize("begins", ["--mode plan", "enter_plan_mode"])
def test_no_tool_and_no_trick_changes_a_byte_in_plan_mode(home: Home, begins: str) -> None:
    (home.work / "note.txt").write_text("hello\n")
    before = digest(home.work)
    enters = [("enter_plan_mode", {})] if begins == "enter_plan_mode" else []
    steps = [answer("", call) for call in (*enters, *TRICKS, ("exit_plan_mode", {"plan": PLAN}))]
    again = [answer("", call) for call in TRICKS]
    script = home.script("".join([*steps, *again, answer("That is the plan.")]))
    mode = "plan" if begins == "--mode plan" else "full"
    ran = home.run("-p", "do it", "-m", script, "--mode", mode)
    assert digest(home.work) == before
    assert ran.code == 3, "leaving was refused: there was nobody to ask"
    outcomes = {row["tool"]: row["outcome"] for row in home.entries("result")}
    for tool in ("write", "edit", "bash", "process", "bg-process"):
        assert outcomes[tool] == "denied"
    assert outcomes["exit_plan_mode"] == "refused"
    assert (outcomes["read"], outcomes["grep"], outcomes["todo_set"]) == ("ok", "ok", "ok")


@requirement("decision.plan-mode-by-call")
@pytest.mark.parametrize("through", ["the session", "a delegate"])
def test_nothing_changes_over_rpc_either_whatever_the_client_allows(
    place: Place, through: str
) -> None:
    (place.workspace / "note.txt").write_text("hello\n")
    tricks = [call for call in TRICKS if call[0] != "task"]
    steps = [answer("", call) for call in (*tricks, ("exit_plan_mode", {"plan": PLAN}), *tricks)]
    if through == "a delegate":
        steps = [answer("", ("task", {"objective": "do it all"})), *steps]
    script = place.script("".join([*steps, answer("That is all.")]))
    before = digest(place.workspace)
    with RpcClient(place, "-m", script, "--mode", "plan") as client:
        turn = client.send("submit", text="go")
        while True:
            heard = client.wait(
                lambda m: m.get("id") == turn or m.get("params", {}).get("type") == "approval"
            )
            if heard.get("id") == turn:
                break
            asked = heard["params"]
            # A person who allows all but the plan: what reads and the network may ask.
            choice = "no" if asked["tool"] == "exit_plan_mode" else "once"
            client.result("approve", id=asked["id"], choice=choice)
        assert client.result("snapshot")["mode"] == "plan"
    assert digest(place.workspace) == before
    assert len(place.logs()) == (1 if through == "the session" else 3), "two levels of delegates"
    for log in place.logs():
        assert '"tool":"write"' in log.read_text()


@requirement("deck.cards.plan.always-permitted")
@pytest.mark.parametrize("mode", Mode)
def test_the_gate_permits_both_tools_in_every_mode(tmp_path: Path, mode: Mode) -> None:
    policy = Policy(mode, tmp_path)
    for tool, arguments in (("enter_plan_mode", {}), ("exit_plan_mode", {"plan": PLAN})):
        assert isinstance(decide(view_of(tool, arguments, tmp_path), policy), Allow)


def test_entering_is_an_entry_and_a_mark_in_a_result_is_nothing(home: Home) -> None:
    mark = '{"enterPlanMode": true, "exitPlan": true, "plan": "x"}'
    (home.work / "note.txt").write_text(mark)
    script = home.script(answer("", ("read", {"path": "note.txt"})) + answer("Read."))
    home.run("-p", "look", "-m", script, "--mode", "full")
    assert modes(home) == [("full", "start")]
    script = home.script_after(answer("", ("enter_plan_mode", {})) + answer("I plan."))
    home.run("-p", "plan", "-m", script, "--mode", "full", "-c")
    assert modes(home)[1:] == [("plan", "enter_plan_mode")]


def test_a_plan_under_way_outlives_the_process_unless_a_flag_says_otherwise(home: Home) -> None:
    home.config('mode = "full"\n')
    script = home.script(answer("", ("enter_plan_mode", {})) + answer("I plan."))
    home.run("-p", "plan", "-m", script)
    write = answer("", ("write", {"path": "a", "content": "x"})) + answer("Done.")
    home.run("-p", "go on", "-m", home.script_after(write), "-c")
    assert not (home.work / "a").exists()
    home.run("-p", "go on", "-m", home.script_after(write), "-c", "--mode", "full")
    assert (home.work / "a").read_text() == "x"


def talk(place: Place, *words: str) -> RpcClient:
    write = ("write", {"path": "made.txt", "content": "x"})
    steps = (("enter_plan_mode", {}), write, ("exit_plan_mode", {"plan": PLAN}), write)
    script = place.script("".join(answer("", step) for step in steps) + answer("Done."))
    return RpcClient(place, "-m", script, *words)


@requirement("decision.plan-exit-approval")
def test_an_approved_plan_is_saved_and_leads_back_to_the_chosen_mode(place: Place) -> None:
    with talk(place, "--mode", "accept-edits") as client:
        turn = client.send("submit", text="go")
        asked = client.event("approval")
        assert (asked["tool"], asked["arguments"]) == ("exit_plan_mode", {"plan": PLAN})
        assert asked["choices"] == ["once", "no"]
        assert "plan is ready" in asked["question"]
        assert not (place.workspace / "made.txt").exists()
        client.result("approve", id=asked["id"], choice="once")
        assert "result" in client.answer(turn)
        assert client.result("snapshot")["mode"] == "accept-edits"
    assert (place.workspace / "made.txt").read_text() == "x"
    entries = place.entries()
    changes = [(e["mode"], e.get("reason")) for e in entries if e["type"] == "mode"]
    assert changes[1:] == [
        ("plan", "enter_plan_mode"),
        ("accept-edits", "the plan was approved"),
    ]
    (log,) = place.logs()
    (saved,) = (log.with_suffix("") / "plans").iterdir()
    assert saved.read_text() == PLAN
    (told,) = [e for e in entries if e["type"] == "result" and e["tool"] == "exit_plan_mode"]
    assert str(saved) in told["content"][0]["text"]
    assert told["details"] == {"exitPlan": True, "plan": PLAN}
    assert place.replays()


@requirement("decision.plan-exit-approval")
def test_a_refused_plan_keeps_the_mode_and_the_reason_reaches_the_model(place: Place) -> None:
    with talk(place, "--mode", "full") as client:
        turn = client.send("submit", text="go")
        asked = client.event("approval")
        client.result("approve", id=asked["id"], choice="no", reason="Smaller steps.")
        client.answer(turn)
        assert client.result("snapshot")["mode"] == "plan"
    assert not (place.workspace / "made.txt").exists()
    (told,) = [
        e for e in place.entries() if e["type"] == "result" and e["tool"] == "exit_plan_mode"
    ]
    assert told["outcome"] == "denied"
    assert "Smaller steps. Plan mode goes on." in told["content"][0]["text"]
    (log,) = place.logs()
    assert not log.with_suffix("").exists()


def test_a_session_begun_in_plan_mode_is_left_for_asking(place: Place) -> None:
    with talk(place, "--mode", "plan") as client:
        turn = client.send("submit", text="go")
        client.result("approve", id=client.event("approval")["id"], choice="once")
        asked = client.event("approval")
        assert asked["tool"] == "write"
        client.result("approve", id=asked["id"], choice="no")
        client.answer(turn)
        assert client.result("snapshot")["mode"] == "ask"
