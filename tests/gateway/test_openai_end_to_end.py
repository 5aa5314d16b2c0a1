"""The command itself over OpenAI's wires: a run that uses tools, its figures, and its replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.gateway.factory import Wire
from tests.cli.home import CANARY, Home, Ran
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_steps import Script, calls, cut, fail, say
from tests.gateway.openai_rig import CHAT, WIRES

STEPS = 20


def run(home: Home, wire: Wire, steps: list[Script], *words: str) -> tuple[Ran, OpenAIServer]:
    with OpenAIServer(steps) as server:
        home.config(
            "[network]\nretry_seconds = 2.0\n"
            f'[providers.x]\nwire = "{wire}"\nbase_url = "{server.base_url}"\n'
            'api_key_env = "X_KEY"\n'
        )
        home.extra["X_KEY"] = CANARY
        return home.run("-p", *words, "-m", "x/gpt-test"), server


@pytest.mark.parametrize("wire", WIRES)
def test_a_run_of_twenty_steps_counts_as_the_server_does_and_replays(
    wire: Wire, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    (home.work / "notes.txt").write_text("the answer is 42\n")
    figures = [
        {"input": 500 + 90 * n, "cached": 80 * n, "output": 20 + n, "reasoning": n}
        for n in range(STEPS)
    ]
    reading = ("read", {"path": "notes.txt"})
    steps: list[Script] = [
        calls(reading, reading, text=f"Step {n}.", thinking="Once more.", usage=told)
        for n, told in enumerate(figures[:-1])
    ]
    steps.append(say("It is 42.", usage=figures[-1]))

    ran, server = run(home, wire, steps, "what is the answer?", "--thinking", "low")

    assert (ran.code, ran.out.splitlines()[-1]) == (0, "It is 42."), ran.err
    assert len(server.requests) == STEPS
    assert server.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    assert b"the answer is 42" in server.bodies[-1]
    usages = [entry["usage"] for entry in home.entries("response")]
    counted = [
        tuple(usage.get(name, 0) for name in ("input", "cache_read", "output", "reasoning"))
        for usage in usages
    ]
    assert counted == [
        (told["input"] - told["cached"], told["cached"], told["output"], told["reasoning"])
        for told in figures
    ]
    requests = home.entries("request")
    assert [entry["body_sha256"] for entry in requests] == server.digests
    replayed = home.run("replay", home.logs()[0].stem)
    assert replayed.code == 0, replayed.err + replayed.out
    written = b"".join(file.read_bytes() for file in home.indus.rglob("*") if file.is_file())
    assert CANARY.encode() not in written


@pytest.mark.parametrize("wire", WIRES)
def test_reasoning_goes_back_where_the_wire_wants_it(wire: Wire, tmp_path: Path) -> None:
    home = Home(tmp_path)
    steps: list[Script] = [calls(("read", {"path": "x"}), thinking="Look first."), say("Done.")]
    ran, server = run(home, wire, steps, "go", "--thinking", "medium")
    assert ran.code == 0, ran.err
    second = server.requests[1].json
    if wire == CHAT:
        assert second["reasoning_effort"] == "medium"
        assert b"Look first." not in server.bodies[1]
    else:
        kinds = [item["type"] for item in second["input"]]
        assert kinds == ["message", "reasoning", "function_call", "function_call_output"]
        assert second["input"][1]["encrypted_content"].endswith("reasoning==")


@pytest.mark.parametrize("wire", WIRES)
def test_a_passing_failure_is_overcome_and_a_spent_quota_is_not_tried_again(
    wire: Wire, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    ran, server = run(home, wire, [fail(503, retry_after=0.01), cut(300), say("There.")], "hi")
    assert (ran.code, ran.out) == (0, "There.\n"), ran.err
    assert len(set(server.digests)) == 1
    spent = fail(429, "pay first", code="insufficient_quota", retry_after=0.01)
    ran, server = run(home, wire, [spent, say("never")], "hi")
    assert ran.code == 1
    assert len(server.requests) == 1
    assert "check your plan and billing" in ran.err
