"""Print mode: one prompt, one answer, and a session that can be gone on with."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.cli.home import CANARY, Home, answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, calls, endless, say
from tests.requirements import requirement


@requirement("cli.print", "cli.exit.0", "files.indus-home", "log.location")
def test_a_prompt_is_answered_on_standard_output_and_nothing_else_is(home: Home) -> None:
    with AnthropicServer([say("Forty-two.")]) as server:
        home.url = server.url
        ran = home.run("-p", "what is the answer?")
    assert (ran.code, ran.out, ran.err) == (0, "Forty-two.\n", "")
    body = server.requests[0].json
    assert body["model"] == "claude-sonnet-4-5"
    assert body["messages"][0]["content"][0]["text"] == "what is the answer?"
    assert server.requests[0].headers["x-api-key"] == CANARY
    (log,) = home.logs()
    assert log.parent.parent == home.indus / "sessions"
    assert {path.name for path in home.root.iterdir()} == {"home", "work"}
    assert list(home.work.iterdir()) == []


@requirement("log.line-json", "log.entry-fields")
def test_every_line_of_the_log_is_json_with_its_header(home: Home) -> None:
    model = home.script(answer("Look.", ("bash", {"command": "ls"})) + answer("Done."))
    assert home.run("-p", "hi", "-m", model).code == 0
    rows = home.entries()
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        assert {"seq", "id", "parent", "at", "type", "by", "sum"} <= row.keys(), row
    assert [row["parent"] for row in rows[1:]] == [row["id"] for row in rows[:-1]]


@requirement("cli.print-stdin")
def test_a_prompt_comes_from_standard_input_too(home: Home) -> None:
    with AnthropicServer([say("one"), say("two")]) as server:
        home.url = server.url
        assert home.run("-p", stdin="what is this?\n").code == 0
        assert home.run("-p", "review this", stdin="+ a line\n").code == 0
    said = [request.json["messages"][0]["content"][0]["text"] for request in server.requests]
    assert said == ["what is this?\n", "review this\n\n+ a line\n"]


def test_closed_streams_are_no_obstacle(home: Home) -> None:
    words = f"{sys.executable} -m induscode -p hi -m {home.script(answer())}"
    for closing in ("<&-", "<&- 2>&-", "<&- >&-"):
        done = subprocess.run(
            ["sh", "-c", f"{words} {closing}"],
            cwd=home.work, env=home.environ(), capture_output=True, timeout=20, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""


def test_a_directory_whose_name_is_no_utf8_can_be_worked_in(home: Home) -> None:
    strange = Path(os.fsdecode(os.fsencode(home.work) + b"/caf\xe9"))
    strange.mkdir()
    ran = home.run("-p", "hi", "--json", "-m", home.script(answer()), cwd=strange)
    assert ran.code == 0, ran.err
    assert ran.events[0]["cwd"].endswith("caf\ufffd")
    assert home.run("replay", "last", cwd=strange).code == 0


@requirement("cli.flag.continue")
def test_a_session_is_continued(home: Home) -> None:
    model = home.script(answer("First.") + answer("Second."))
    assert home.run("-p", "one", "-m", model).out == "First.\n"
    ran = home.run("-c", "-p", "two", "-m", model)
    assert (ran.code, ran.out) == (0, "Second.\n")
    assert len(home.logs()) == 1
    assert len(home.entries("session")) == 1
    assert len(home.entries("input")) == 2


@requirement("cli.flag.resume", "cli.id.prefix-or-last")
def test_a_session_is_resumed_by_a_unique_prefix_only(home: Home) -> None:
    model = home.script(answer("First.") + answer("Second."))
    home.run("-p", "one", "-m", model)
    home.run("-p", "other", "-m", model)
    one, other = home.logs()
    length = next(n for n in range(26) if one.stem[n] != other.stem[n])
    common, prefix = one.stem[:length], one.stem[: length + 1]
    assert home.run("-r", prefix, "-p", "two", "-m", model).out == "Second.\n"
    assert len(home.entries("input", one)) == 2
    assert len(home.entries("input", other)) == 1
    ran = home.run("-r", common, "-p", "three", "-m", model)
    assert ran.code == 1
    assert f"2 sessions begin with '{common}'" in ran.err
    assert "give more characters" in ran.err


@requirement("cli.flag.fork", "turn.fork-self-contained")
def test_a_fork_goes_on_alone_and_leaves_its_origin_as_it_is(home: Home) -> None:
    model = home.script(answer("First.") + answer("Second."))
    home.run("-p", "one", "-m", model)
    (origin,) = home.logs()
    before = origin.read_bytes()
    assert home.run("--fork", "last", "-p", "two", "-m", model).out == "Second.\n"
    assert origin.read_bytes() == before
    (fork,) = [log for log in home.logs() if log != origin]
    assert home.entries("session", fork)[0]["origin"]["session"] == origin.stem
    origin.unlink()
    assert home.run("replay", fork.stem).code == 0
    assert home.run("-r", fork.stem, "-p", "three", "-m", model).code == 1  # the script is over
    assert "has no answer for step 3" in home.run("-r", fork.stem, "-p", "x", "-m", model).err


def test_a_broken_turn_is_continued_without_a_new_prompt(home: Home) -> None:
    home.config("[network]\nretry_seconds = 0.1\n")
    broken = home.script('[[answer]]\nfail = "network"\n')
    assert home.run("-p", "what is it?", "-m", broken).code == 1
    ran = home.run("-c", "-p", "-m", home.script(answer("It is this.")))
    assert (ran.code, ran.out) == (0, "It is this.\n")
    assert len(home.entries("input")) == 1
    ran = home.run("-c", "-p", "-m", home.script(answer()))
    assert ran.code == 1
    assert "there is nothing to continue; give a prompt" in ran.err


def test_a_busy_session_is_refused_with_the_way_out(home: Home) -> None:
    with AnthropicServer([endless()]) as server:
        home.url = server.url
        first = home.start("-p", "go")
        assert server.wait_for(1, 20)
        (log,) = home.logs()
        ran = home.run("-c", "-p", "hi", "-m", home.script(answer()))
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=20)
    assert ran.code == 1
    assert f"session {log.stem} is being written by process {first.pid}" in ran.err
    assert f"indus --fork {log.stem}" in ran.err


@requirement("cli.exit.130")
def test_an_interrupted_run_ends_at_once_with_a_valid_log(home: Home) -> None:
    with AnthropicServer([endless(), say("Here again.")]) as server:
        home.url = server.url
        process = home.start("-p", "go")
        assert server.wait_for(1, 20)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, err = process.communicate(timeout=20)
        assert time.monotonic() - begun < 5
        assert (process.returncode, out) == (130, b"")
        assert b"stopped by the user" in err
        assert home.run("-c", "-p", "and now?").out == "Here again.\n"
    assert home.run("replay", "last").code == 0
    assert "turn ended here: stopped by the user" in server.bodies[1].decode()


def test_an_interrupted_command_is_gone_with_all_it_started(home: Home) -> None:
    command = "echo $$ > pid; sleep 600 & echo $! >> pid; touch begun; wait"
    with AnthropicServer([call("bash", command=command)]) as server:
        home.url = server.url
        process = home.start("-p", "go", "--mode", "full")
        bound = time.monotonic() + 20
        while not (home.work / "begun").exists():
            assert time.monotonic() < bound
            select.select([], [], [], 0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130
    for pid in (home.work / "pid").read_text().split():
        assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()
    assert home.run("replay", "last").code == 0


@requirement("cli.exit.3", "mode.nobody-to-ask")
def test_a_call_that_needs_a_person_is_refused_after_the_answer(home: Home) -> None:
    with AnthropicServer([call("bash", command="touch made"), say("I could not.")]) as server:
        home.url = server.url
        ran = home.run("-p", "make it")
    assert (ran.code, ran.out) == (3, "I could not.\n")
    assert not (home.work / "made").exists()
    assert len(ran.complaints) == 1
    assert "1 call was refused: nobody to ask; allow it with --allow RULE or --mode" in ran.err
    told = server.requests[1].json["messages"][2]["content"][0]
    assert told["is_error"]
    assert "There is nobody to ask" in str(told["content"])
    assert [row["answer"] for row in home.entries("approval")] == ["nobody"]


@requirement("cli.flag.allow-deny", "cli.flag.mode")
def test_rules_and_modes_decide_and_deny_wins(home: Home) -> None:
    touch = ("bash", {"command": "touch made"})
    model = home.script(answer("", touch) + answer("Done."))
    allowed = home.run("-p", "x", "-m", model, "--allow", "bash(touch *)", "--allow", "bash(ls)")
    assert allowed.code == 0
    (home.work / "made").unlink()
    both = home.run("-p", "x", "-m", model, "--allow", "bash(touch *)", "--deny", "bash(touch *)")
    assert both.code == 0
    assert home.entries("result")[0]["outcome"] == "denied"
    assert home.run("-p", "x", "-m", model, "--mode", "full", "--deny", "bash").code == 0
    assert not (home.work / "made").exists()
    two = ["--deny", "bash(touch *)", "--deny", "bash(rm *)"]
    assert home.run("-p", "x", "-m", model, "--mode", "full", *two).code == 0
    assert not (home.work / "made").exists()
    for mode, code in (("ask", 3), ("accept-edits", 3), ("plan", 0), ("full", 0)):
        assert home.run("-p", "x", "-m", model, "--mode", mode).code == code, mode
        assert (home.work / "made").exists() == (mode == "full")
    assert home.run("-p", "x", "-m", model).code == 3  # ask is the default


@requirement("cli.flag.max-steps", "cli.exit.4")
def test_a_step_budget_ends_the_run_with_4(home: Home) -> None:
    with AnthropicServer([call("bash", command="ls")] * 9) as server:
        home.url = server.url
        ran = home.run("-p", "go", "--max-steps", "3")
    assert (ran.code, ran.out) == (4, "")
    assert len(server.requests) == 3
    assert len(ran.complaints) == 1
    assert "stopped after 3 steps; raise --max-steps, or continue the session" in ran.err
    assert home.run("replay", "last").code == 0


@requirement("cli.flag.max-cost")
def test_a_cost_budget_ends_the_run_with_4(home: Home) -> None:
    steps = [calls(("bash", {"command": "ls"}))] * 9
    with AnthropicServer(steps) as server:
        home.url = server.url
        ran = home.run("-p", "go", "--max-cost", "0.0002")
    assert ran.code == 4
    assert 1 <= len(server.requests) <= 2  # 10 tokens in and 7 out cost 0.000135 USD
    assert "raise --max-cost" in ran.err
    ran = home.run("-p", "go", "--max-cost", "1", "-m", home.script(answer()))
    assert ran.code == 2
    assert "use --max-steps instead" in ran.err


@requirement("cli.flag.cwd")
def test_it_works_where_it_is_told_to(home: Home) -> None:
    other = home.root / "other"
    other.mkdir()
    (other / "note.txt").write_text("found")
    model = home.script(answer("", ("read", {"path": "note.txt"})) + answer("Done."))
    assert home.run("-p", "x", "-m", model, "--cwd", "../other").code == 0
    assert "found" in str(home.entries("result")[0]["content"])
    assert home.entries("session")[0]["cwd"] == str(other)


def test_on_a_terminal_controls_are_shown_and_not_obeyed(home: Home) -> None:
    model = home.script(answer("\x1b[31mred\u202e"))
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "induscode", "-p", "hi", "-m", model],
        cwd=home.work, env=home.environ(), stdin=subprocess.DEVNULL,
        stdout=follower, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.wait(20) == 0
    os.close(follower)
    shown = os.read(leader, 4096).decode()
    os.close(leader)
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown
    assert "red" in shown


@requirement("turn.intent-content")
def test_an_intent_says_what_was_called_and_in_which_environment(home: Home) -> None:
    script = home.script(answer("", ("bash", {"command": "env"})) + answer("done"))
    home.extra = {"HOUSE_SECRET_TOKEN": "hush"}
    home.run("-p", "go", "-m", script, "--mode", "full")
    (intent,) = home.entries("intent")
    (result,) = home.entries("result")
    assert intent["call"] == result["call"]
    assert len(intent["arguments_sha256"]) == 64
    environment = intent["environment"]
    assert "PATH" in environment["names"]
    assert "HOUSE_SECRET_TOKEN" not in environment["names"]
    assert len(environment["sha256"]) == 64
