"""`indus addon test PATH --replay SESSION`: real addons of every tier, a real recorded session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.addons.trial.desk import KEY, Desk, acted
from tests.requirements import requirement

AUTHOR = """\
import json, os, random
from indus_addon import Addon, Call

addon = Addon("mine", "1.0.0")
{body}
addon.run()
"""


def addon_of(desk: Desk, name: str, body: str) -> Path:
    return desk.write(f"{name}.py", AUTHOR.format(body=body))


def test_a_gate_of_every_tier_stops_the_call_it_would_have_stopped(desk: Desk) -> None:
    expected = {
        desk.manifest(): (
            ["sudo ls", "rm -rf gone", "git push --force"],
            "blocked by safety addon",
        ),
        desk.example("safety/safety.py"): (["git push --force"], "no force push from here"),
        desk.example("wasm/guard.wasm"): (["rm -rf gone"], "rm -rf is not allowed here"),
    }
    for path, (commands, reason) in expected.items():
        stopped = acted(desk.report(path), "stopped")

        assert {step["reason"] for step in stopped} == {reason}
        assert [_command(desk, step) for step in stopped] == commands


def test_the_programs_of_a_manifest_are_tried_as_well(desk: Desk) -> None:
    text = """
id = "programs"

[[hook]]
event = "tool:before"
kind = "gate"
match-tool = "bash"
command = ["./gate.sh"]
"""
    script = """#!/bin/sh
case $(cat) in *--force*) echo '{"stop": true, "reason": "not by force"}' ;; esac
"""
    desk.write("programs/gate.sh", script).chmod(0o755)

    report = desk.report(desk.manifest("programs", text))

    (step,) = acted(report)
    assert [each["tool"] for each in report["steps"]] == ["bash"] * 3, "and not of `read`"
    assert (step["outcome"], step["reason"]) == ("stopped", "not by force")
    assert _command(desk, step) == "git push --force"


def test_a_redactor_shows_the_text_that_it_would_have_taken_out(desk: Desk) -> None:
    (step,) = acted(desk.report(desk.example("redactor/redactor.py")))

    (change,) = step["changes"]
    assert (step["occasion"], step["tool"], change["where"]) == ("exit", "read", "content[0].text")
    assert KEY in change["before"]
    assert change["after"] == change["before"].replace(KEY, "[an AWS key]")
    assert desk.entry(step["entry"])["type"] == "result"


def test_a_component_rewrites_arguments_and_the_environment(desk: Desk) -> None:
    changed = acted(desk.report(desk.example("wasm/guard.wasm")), "changed")

    told = [
        (s["occasion"], s["changes"][0].get("before"), s["changes"][0]["after"]) for s in changed
    ]
    assert told[:2] == [("enter", "sudo ls", "ls"), ("shell:env", None, "1")]


@requirement("decision.beyond.addon-test-kit")
@pytest.mark.parametrize("tier", [0, 1, 2])
def test_two_runs_over_one_log_give_the_same_bytes_and_leave_it_as_it_was(
    desk: Desk, tier: int
) -> None:
    path = (
        desk.manifest(),
        desk.example("redactor/redactor.py"),
        desk.example("wasm/guard.wasm"),
    )[tier]
    before = (desk.log.read_bytes(), desk.log.stat().st_mtime_ns)

    first = desk.test(path, "--replay", "last", "--json")
    second = desk.test(path, "--replay", desk.log.stem[:12], "--json")

    assert first.out == second.out
    assert (first.code, second.code) == (0, 0), first.err
    assert (desk.log.read_bytes(), desk.log.stat().st_mtime_ns) == before


def test_an_addon_whose_answers_differ_is_told_so_with_the_first_step(desk: Desk) -> None:
    body = """
@addon.exit("bash")
def salt(context):
    return f"salted {random.random()}"
"""
    path = addon_of(desk, "salted", body)

    report = desk.report(path)
    shown = desk.test(path, "--replay", "last")

    assert not report["deterministic"]
    assert not report["passed"]
    differs = report["differs"]
    assert differs["step"] == 1
    assert differs["first"]["changes"] != differs["second"]["changes"]
    assert shown.code == 1
    assert "not deterministic: step 1 differs" in shown.out


def test_what_an_addon_keeps_is_empty_at_the_beginning_of_each_run(desk: Desk) -> None:
    body = """
@addon.on("tool:before")
def count(payload, call: Call):
    seen = int(call.host.state_get("seen") or 0) + 1
    call.host.state_set("seen", str(seen))
    call.host.notify(f"call {seen}")
"""
    report = desk.report(addon_of(desk, "counter", body))

    told = [
        c["given"] for step in report["steps"] for c in step["calls"] if c["method"] == "notify"
    ]
    assert told == ["call 1", "call 2", "call 3", "call 4"]
    assert report["deterministic"]


def test_every_payload_reaches_a_program_as_the_session_had_it(desk: Desk) -> None:
    body = """
for event in ("session:start", "input:submit", "turn:start", "context:build", "chat:params",
              "chat:message", "tool:before", "shell:env", "tool:after", "turn:end", "session:end"):
    @addon.on(event)
    def tell(payload, call: Call, event=event):
        call.host.log(json.dumps([event, payload]))
"""
    report = desk.report(addon_of(desk, "teller", body))

    heard = [step["occasion"] for step in report["steps"]]
    assert heard[:5] == [
        "session:start",
        "input:submit",
        "turn:start",
        "context:build",
        "chat:params",
    ]
    assert heard[-4:] == ["chat:params", "chat:message", "turn:end", "session:end"]
    assert heard.count("tool:before") == heard.count("tool:after") == 4
    assert heard.count("shell:env") == 3
    first = {step["occasion"]: step["calls"][0]["given"] for step in reversed(report["steps"])}
    assert '"Tidy up."' in first["input:submit"]
    assert '"sudo ls"' in first["tool:before"]
    assert '"PATH": ""' in first["shell:env"]


def test_nothing_is_granted_and_no_key_is_in_its_environment(desk: Desk) -> None:
    body = f"""
@addon.on("session:start")
def look(payload, call: Call):
    try:
        found = open({str(desk.home.work / "notes.txt")!r}).read()
    except OSError as error:
        found = type(error).__name__
    call.host.log(f"{{found}} {{os.environ.get('ANTHROPIC_API_KEY')}}")
"""
    report = desk.report(addon_of(desk, "nosy", body))

    told = report["steps"][0]["calls"][0]["given"]
    confined = "PermissionError None" in told
    assert confined or report["notes"], "where the system cannot confine it, the report says so"
    assert told.endswith(" None")


def test_a_program_that_dies_is_a_failure_that_says_so(desk: Desk) -> None:
    body = """
@addon.on("tool:before", gate=True)
def die(payload):
    os._exit(7)
"""
    report = desk.report(addon_of(desk, "dying", body))

    steps = acted(report)
    assert {step["outcome"] for step in steps} == {"failed"}
    assert len(steps) == 4
    assert steps[0]["stops"]
    assert "exit code 7" in steps[0]["reason"]
    assert any("it is disabled" in problem for problem in report["problems"])
    assert report["deterministic"]


def test_a_session_that_is_not_there_is_an_error(desk: Desk) -> None:
    ran = desk.test(desk.manifest(), "--replay", "0000")

    assert ran.code == 1
    assert "no session '0000'" in ran.err


def test_a_person_sees_the_steps_with_an_effect_and_all_when_asked(desk: Desk) -> None:
    path = desk.example("wasm/guard.wasm")

    short, whole = desk.test(path, "--replay", "last"), desk.test(path, "--replay", "last", "--all")

    assert "   2  changed   enter  bash  interceptors[0]" in short.out
    assert "    - sudo ls\n    + ls\n" in short.out
    assert "rm -rf is not allowed here" in short.out
    assert "the session would have gone another way" in short.out
    assert "heard " not in short.out.split("steps:")[0]
    assert len(whole.out.splitlines()) > len(short.out.splitlines())
    assert "deterministic: two runs gave the same answers" in short.out
    assert "\x1b" not in short.out


def test_what_an_addon_says_takes_no_control_of_the_terminal(desk: Desk) -> None:
    body = """
@addon.on("tool:before", gate=True)
def no(payload):
    return "no \\x1b[2J\\u202e way"
"""
    ran = desk.test(addon_of(desk, "rude", body), "--replay", "last")

    assert "no ␛[2J<U+202E> way" in ran.out
    assert "\x1b" not in ran.out


def _command(desk: Desk, step: dict[str, object]) -> str:
    """The command of the call that a step is about."""
    rows = desk.home.entries(log=desk.log)
    call = next(row["call"] for row in rows if row["id"] == step["entry"])
    response, position = call.split("/")
    answer = next(row for row in rows if row["id"] == response)
    return answer["content"][int(position)]["arguments"]["command"]
