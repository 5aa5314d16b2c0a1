"""The key is sent to its provider and appears nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.home import CANARY, Home, Ran
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import Step, call, cut, fail, say


def leaks(root: Path) -> list[Path]:
    return [p for p in root.rglob("*") if p.is_file() and CANARY.encode() in p.read_bytes()]


def run_all(home: Home, steps: list[Step], *words: str) -> list[Ran]:
    home.config("[network]\nretry_seconds = 0.3\nidle_timeout = 0.3\n")
    with AnthropicServer(steps) as server:
        home.url = server.url
        runs = [home.run("-p", "go", *words)]
        assert server.requests[0].headers["x-api-key"] == CANARY
        assert CANARY.encode() not in b"".join(server.bodies)
    commands = ("sessions", "why last", "context last", "replay last", "doctor", "config get")
    return [*runs, *[home.run(*command.split()) for command in commands]]


@pytest.mark.parametrize(
    "steps",
    [[fail(401, f"bad key {CANARY}")], [fail(500, f"{CANARY}")] * 9, [cut()] * 9, [say("ok")]],
)
def test_the_key_is_in_no_file_and_no_output(home: Home, steps: list[Step]) -> None:
    for ran in run_all(home, steps):
        assert CANARY not in ran.out + ran.err
    assert leaks(home.root) == []


def test_a_command_does_not_see_the_key_in_its_environment(home: Home) -> None:
    command = "env; set; export -p"
    runs = run_all(home, [call("bash", command=command), say("ok")], "--mode", "full", "--json")
    ended = next(event for event in runs[0].events if event["type"] == "tool_end")
    assert "PATH=" in ended["text"]
    assert "ANTHROPIC_API_KEY" not in ended["text"]
    for ran in runs:
        assert CANARY not in ran.out + ran.err
    assert leaks(home.root) == []


def test_doctor_says_that_there_is_a_key_and_not_which(home: Home) -> None:
    ran = home.run("doctor")
    assert ran.code == 0, ran.out
    assert "ANTHROPIC_API_KEY" in ran.out
    assert CANARY not in ran.out
    home.key = ""
    without = home.run("doctor")
    assert without.code == 1
    assert "ANTHROPIC_API_KEY is not set" in without.out
