"""`indus mcp list` and `indus mcp log`: how servers stand, and what happened to their tools."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.channels.pty_talk import PtyTalk
from tests.cli.mcp_home import Desk, listed, row
from tests.interop.harbour import SERVERS, free_port
from tests.mcp.harbour import BOUND, Harbour, tool, until
from tests.requirements import requirement

HIDDEN = "\u202e\u200b\x1b[2J\t"


@pytest.fixture
def home(tmp_path: Path) -> Harbour:
    return Harbour(tmp_path)


@requirement("cli.command.mcp")
def test_every_state_of_a_server_is_told_with_its_file(home: Harbour) -> None:
    git = home.server("git", tool("log", "Show the log.\nNewest first."), tool("status"))
    broken = {"command": "/nonexistent/program"}
    silent = {"command": "/bin/sh", "args": ["-c", "echo I cannot >&2; exit 3"]}
    far = {"url": f"http://127.0.0.1:{free_port()}/mcp"}
    off = {"command": "true", "enabled": False}
    file = home.configure(git, broken=broken, silent=silent, far=far, off=off, bad={"comand": "x"})
    legacy = home.root / ".indusvx" / "agent" / "mcp.json"
    legacy.parent.mkdir(parents=True)
    legacy.write_text(json.dumps({"servers": [{"name": "git", "command": "other"}]}))
    legacy.chmod(0o600)

    told = listed(home)
    assert {(each["name"], each["state"]) for each in told["servers"]} == {
        ("git", "ready"),
        ("git", "overridden"),
        ("broken", "failed"),
        ("silent", "failed"),
        ("far", "failed"),
        ("off", "disabled"),
    }
    ready, overridden = (each for each in told["servers"] if each["name"] == "git")
    assert (ready["file"], ready["row"]) == (str(file), "mcpServers.git")
    assert (ready["transport"], ready["protocol"]) == ("stdio", "2025-11-25")
    assert [each["name"] for each in ready["tools"]] == ["git__log", "git__status"]
    assert ready["tokens"] == sum(each["tokens"] for each in ready["tools"]) > 0
    assert not ready["deferred"]
    assert (overridden["file"], overridden["by"]) == (str(legacy), str(file))
    assert "/nonexistent/program" in row(told, "broken")["fault"]
    assert "I cannot" in row(told, "silent")["said"]
    for name in ("broken", "silent", "far"):
        assert row(told, name)["fault"], name
        assert row(told, name)["hint"], name
    [problem] = told["problems"]
    assert (problem["file"], problem["row"]) == (str(file), "mcpServers.bad")
    assert problem["hint"]

    ran = home.run("mcp")
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out
    assert "git · ready (2025-11-25) · stdio" in ran.out
    assert "    git__log     Show the log. Newest first." in ran.out
    assert "off · disabled" in ran.out
    assert "git · overridden" in ran.out
    assert "mcpServers.bad: has neither `command` nor `url`" in ran.out


def test_a_server_of_the_sdk_is_ready_over_both_transports(home: Harbour) -> None:
    with home.remote("far", tool("ping")) as far:
        odd = {"command": sys.executable, "args": [str(SERVERS / "odd.py")]}
        home.configure(far, odd=odd)
        told = listed(home)
    assert row(told, "far")["state"] == "ready"
    assert row(told, "far")["transport"] == "http"
    assert row(told, "odd")["state"] == "ready"
    assert "odd__echo" in [each["name"] for each in row(told, "odd")["tools"]]
    assert row(told, "odd")["prompts"] == ["/odd:review"]
    assert row(told, "odd")["resources"]


def test_nothing_of_an_untrusted_workspace_starts_and_its_file_is_named(home: Harbour) -> None:
    spy = home.server("spy", tool("ping"))
    home.project(".mcp.json", spy=spy.row())
    told = listed(home)
    assert told["servers"] == []
    assert [(each["file"], each["state"]) for each in told["waiting"]] == [(".mcp.json", "waiting")]
    ran = home.run("mcp")
    assert ".mcp.json · waits for trust" in ran.out
    assert "indus trust grant .mcp.json" in ran.out
    assert spy.started() == 0

    assert home.run("trust", "grant").code == 0
    assert row(listed(home), "spy")["state"] == "ready"
    assert spy.started() == 1

    home.project(".mcp.json", spy=spy.row("--more"))
    told = listed(home)
    assert [each["state"] for each in told["waiting"]] == ["changed"]
    assert [each["state"] for each in told["servers"]] == ["not configured"]
    assert spy.started() == 1


def test_offline_starts_nothing_and_tells_what_the_ledger_knows(home: Harbour) -> None:
    git = home.server("git", tool("log"))
    home.configure(git)
    told = row(listed(home, "--offline"), "git")
    assert (told["state"], told["tools"]) == ("not connected", [])
    assert git.started() == 0
    listed(home)
    told = row(listed(home, "--offline"), "git")
    assert [each["name"] for each in told["tools"]] == ["git__log"]
    assert git.started() == 1

    home.configure(git=git.row("--another"))
    told = row(listed(home, "--offline"), "git")
    assert (told["tools"], told["unseen"]) == ([], 1)
    home.configure()
    told = row(listed(home, "--offline"), "git")
    assert (told["state"], told["unseen"]) == ("not configured", 1)


def test_only_the_servers_that_are_named_are_connected(home: Harbour) -> None:
    one, two = home.server("one", tool("ping")), home.server("two", tool("ping"))
    home.configure(one, two, broken={"comand": "x"})
    told = listed(home, "two")
    assert [each["name"] for each in told["servers"]] == ["two"]
    assert told["problems"] == []
    assert (one.started(), two.started()) == (0, 1)
    ran = home.run("mcp", "list", "too")
    assert ran.code == 2
    assert "there is no MCP server 'too' here; known: two" in ran.err


def test_what_costs_too_much_is_told_to_be_deferred(home: Harbour) -> None:
    git = home.server("git", tool("log", "word " * 100))
    home.configure(git)
    home.config("[mcp]\ndefer_tokens = 100\n")
    told = row(listed(home), "git")
    assert told["deferred"]
    assert told["tokens"] > 100
    assert "tools       1 (deferred: about" in home.run("mcp", "list", "--offline").out


def test_secrets_of_a_row_are_shown_nowhere(home: Harbour) -> None:
    home.extra["HIDDEN_TOKEN"] = "tok-from-the-environment"
    secrets = ("tok-from-the-environment", "written-down-1", "after-a-flag-2", "in-a-flag-3",
               "in-the-address-4", "in-a-field-5", "in-a-header-6")  # fmt: skip
    git = home.server("git", tool("log", f"It says {secrets[1]}."))
    args = ["--token", secrets[2], f"--api-key={secrets[3]}", "${HIDDEN_TOKEN}", "plain"]
    env = {"A_SECRET": secrets[1], "PLAIN": "open"}
    port = free_port()
    home.configure(
        git=git.row(*args, env=env),
        far={
            "url": f"http://user:{secrets[4]}@127.0.0.1:{port}/mcp?key={secrets[5]}&b=c",
            "headers": {"X-Thing": secrets[6]},
        },
    )
    for words in (("list",), ("list", "--json"), ("list", "--offline", "--json"), ("log",)):
        ran = home.run("mcp", *words)
        assert ran.code == 0
        assert not [each for each in secrets if each in ran.out + ran.err], words
    said = row(listed(home, "--offline"), "git")["launch"]
    assert "PLAIN=open" in said
    assert said.endswith("plain")
    assert "&b=c with the headers X-Thing" in row(listed(home, "--offline"), "far")["launch"]


def test_a_server_finds_no_key_of_ours_in_any_process(home: Harbour) -> None:
    home.key = f"sk-{uuid.uuid4()}"
    seen = home.root / "seen"
    script = f"cat /proc/[0-9]*/environ > {seen} 2> {home.root}/refused; exit 1"
    home.configure(spy={"command": "/bin/sh", "args": ["-c", script]})
    assert row(listed(home), "spy")["state"] == "failed"
    assert b"PATH=" in seen.read_bytes()
    assert home.key.encode() not in seen.read_bytes()


def test_before_a_server_starts_nobody_may_look_into_us(home: Harbour) -> None:
    trace = home.root / "trace"
    home.configure(git={"command": "/bin/true"})
    words = ["strace", "-f", "-qq", "-e", "trace=prctl,sendmsg", "-o", str(trace)]
    subprocess.run(
        [*words, sys.executable, "-m", "induscode", "mcp", "list"],
        cwd=home.work, env=home.environ(), check=True, capture_output=True, timeout=BOUND,
    )  # fmt: skip
    calls = [line.split(maxsplit=1)[1] for line in trace.read_text().splitlines()]
    forbidden = next(n for n, call in enumerate(calls) if "PR_SET_DUMPABLE" in call)
    handed = next(n for n, call in enumerate(calls) if "SCM_RIGHTS" in call)
    assert forbidden < handed


def test_what_servers_say_is_shown_with_every_hidden_character(home: Harbour) -> None:
    home.configure(home.server("git", tool("log", f"Show{HIDDEN} it.")))
    ran = home.run("mcp", "list")
    assert "Show<U+202E><U+200B>\u241b[2J" in ran.out
    ran = home.run("mcp", "list", "--json")
    assert not [each for each in "\u202e\u200b\x1b" if each in ran.out]
    assert HIDDEN in json.loads(ran.out)["servers"][0]["tools"][0]["description"]


def test_a_ledger_that_is_damaged_is_told(home: Harbour) -> None:
    home.configure(home.server("git", tool("log")))
    listed(home)
    [file] = (home.indus / "mcp").glob("*.jsonl")
    file.write_text("nonsense\n" + file.read_text())
    [sentence] = listed(home, "--offline")["ledger"]
    assert "is damaged" in sentence
    assert str(file) in sentence
    assert "is damaged" in home.run("mcp", "log").err


@requirement("cli.command.mcp")
def test_the_log_tells_every_event_with_its_tool_and_reason(home: Harbour) -> None:
    assert home.run("mcp", "log").out == "nothing happened with tools of MCP servers here yet\n"
    assert home.run("mcp", "log", "--json").out == "[]\n"
    git = home.server("git", tool("log"), tool("status"))
    home.configure(git)
    listed(home)
    git.offer(tool("log", "Another."))
    listed(home)
    events = json.loads(home.run("mcp", "log", "--json").out)
    assert [(each["op"], each["name"]) for each in events] == [
        ("approve", "git__log"),
        ("enroll", "git__log"),
        ("approve", "git__status"),
        ("enroll", "git__status"),
        ("quarantine", "git__log"),
        ("enroll", "git__log"),
        ("retire", "git__status"),
    ]
    assert [each["seq"] for each in events] == [1, 2, 3, 4, 5, 6, 7]
    assert events[4]["reason"] == "its definition is not the one that was approved"
    assert events[3]["key"] == events[6]["key"]
    ran = home.run("mcp", "log", "-n", "3")
    heads, *lines = ran.out.splitlines()
    assert heads.split() == ["SEQ", "AT", "WHAT", "TOOL", "KEY", "WHY"]
    assert [line.split()[0] for line in lines] == ["5", "6", "7"]
    assert "\x1b" not in ran.out
    assert len({line.index("git__") for line in lines}) == 1


def test_an_interrupted_list_leaves_no_server_running(home: Harbour) -> None:
    mark = home.root / "pid"
    script = f"echo $$ > {mark}.new; mv {mark}.new {mark}; exec sleep 600"
    home.configure(hung={"command": "/bin/sh", "args": ["-c", script]})
    process = home.start("mcp", "list")
    until(mark.exists, "the server started")
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=BOUND)
    assert (process.returncode, said, complaints) == (130, b"", b"indus: interrupted\n")
    assert not Path("/proc", mark.read_text().strip()).exists()


@pytest.mark.parametrize(
    "words",
    [
        ("log", "--offline"),
        ("list", "--yes"),
        ("approve",),
        ("approve", "x", "--json"),
        ("log", "git"),
        ("log", "-n", "0"),
        ("login",),
        ("nonsense",),
    ],
    ids=" ".join,
)
def test_words_that_do_not_go_together_are_refused(home: Harbour, words: tuple[str, ...]) -> None:
    ran = home.run("mcp", *words)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("indus: ")


def test_without_servers_it_says_how_to_have_one(home: Harbour) -> None:
    ran = home.run("mcp")
    assert ran.code == 0
    assert "no MCP servers are configured here" in ran.out


@pytest.fixture
def terminal(home: Harbour) -> Iterator[PtyTalk]:
    home.configure(home.server("git", tool("log")))
    with PtyTalk(Desk(home), "mcp", "list") as talk:
        yield talk


def test_on_a_terminal_a_line_tells_what_is_waited_for(terminal: PtyTalk) -> None:
    terminal.wait_for("connecting: git")
    terminal.wait_for("git__log")
    assert terminal.ends_with() == 0
    assert "\r\x1b[K" in terminal.raw
    assert "\x1b[32mready" in terminal.raw
