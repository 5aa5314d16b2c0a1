"""The promised table of modes, through every way in: print, JSON, JSON-RPC, prompt and program.

Each run asks a real session for one call of every row that the tools there are can reach; what
happened is read from its log, not from what the channel says.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from induscode.kernel.person import PersonAnswer, Question
from induscode.policy.modes import Deed, Mode
from induscode.sdk import Agent
from tests.channels.place import Place
from tests.channels.pty_talk import PtyTalk
from tests.channels.rpc_client import RpcClient
from tests.policy.test_modes import PROMISED
from tests.policy.variants import FIRST_WORDS, carrying
from tests.requirements import requirement

CALLS: dict[Deed, tuple[str, dict[str, str]]] = {
    Deed.READ_INSIDE: ("read", {"path": "README.md"}),
    Deed.READ_OUTSIDE: ("read", {"path": "../outside.txt"}),
    Deed.WRITE_INSIDE: ("write", {"path": "new.txt", "content": "x"}),
    Deed.WRITE_OUTSIDE: ("write", {"path": "../made.txt", "content": "x"}),
    Deed.WRITE_PROTECTED: ("write", {"path": ".git/hooks/pre-commit", "content": "x"}),
    Deed.SHELL_READ_ONLY: ("bash", {"command": "ls"}),
    Deed.SHELL_OTHER: ("bash", {"command": "touch made.txt"}),
}
MODES = list(Mode)
Door = Callable[[Place, str, Mode], str]


def script() -> str:
    lines = ["[[answer]]"]
    for name, arguments in CALLS.values():
        written = json.dumps(json.dumps(arguments))
        lines += ["[[answer.call]]", f'name = "{name}"', f"arguments_json = {written}"]
    return "\n".join([*lines, "[[answer]]", 'text = "All tried."'])


def promised(mode: Mode) -> list[str]:
    return [PROMISED[deed].split()[MODES.index(mode)] for deed in CALLS]


def by_print(place: Place, model: str, mode: Mode) -> str:
    ran = place.run("-p", "go", "-m", model, "--mode", mode)
    assert ran.returncode == (3 if "ask" in promised(mode) else 0), ran.stderr
    return "nobody"


def by_json(place: Place, model: str, mode: Mode) -> str:
    ran = place.run("-p", "go", "--json", "-m", model, "--mode", mode)
    last = json.loads(ran.stdout.splitlines()[-1])
    assert last["exit"] == ran.returncode == (3 if "ask" in promised(mode) else 0)
    return "nobody"


def by_rpc(place: Place, model: str, mode: Mode) -> str:
    with RpcClient(place, "-m", model, "--mode", mode) as client:
        submit = client.send("submit", text="go")
        for _ in range(promised(mode).count("ask")):
            client.result("approve", id=client.event("approval")["id"], choice="no")
        assert client.answer(submit)["result"]["exit"] == 0
    return "no"


def by_prompt(place: Place, model: str, mode: Mode) -> str:
    with PtyTalk(place, "go", "-m", model, "--mode", mode) as talk:
        for _ in range(promised(mode).count("ask")):
            talk.wait_for("allow? [")
            talk.say("n")
        talk.wait_for("All tried.")
        talk.say("/quit")
        talk.ends_with()
    return "no"


DOORS: dict[str, Door] = {
    "print": by_print,
    "json": by_json,
    "rpc": by_rpc,
    "prompt": by_prompt,
}


def prepared(place: Place) -> str:
    (place.workspace / "README.md").write_text("hello\n")
    place.workspace.with_name("outside.txt").write_text("outside\n")
    return place.script(script())


def assert_as_promised(place: Place, mode: Mode, answer: str) -> None:
    entries = place.entries()
    results = {entry["call"]: entry["outcome"] for entry in entries if entry["type"] == "result"}
    asked = {entry["call"]: entry["answer"] for entry in entries if entry["type"] == "approval"}
    ended = {"allow": "ok", "deny": "denied", "ask": "denied" if answer == "no" else "refused"}
    calls = sorted(results, key=lambda call: int(call.rpartition("/")[2]))
    assert [results[call] for call in calls] == [ended[cell] for cell in promised(mode)]
    expected = zip(calls, promised(mode), strict=True)
    assert asked == {call: answer for call, cell in expected if cell == "ask"}
    intents = {entry["call"] for entry in entries if entry["type"] == "intent"}
    assert intents == {c for c, cell in zip(calls, promised(mode), strict=True) if cell == "allow"}
    wrote = promised(mode)[list(CALLS).index(Deed.WRITE_INSIDE)] == "allow"
    assert (place.workspace / "new.txt").exists() == wrote
    assert not place.workspace.with_name("made.txt").exists()
    assert not (place.workspace / ".git").exists()


@requirement(
    "mode.read-inside",
    "mode.read-outside",
    "mode.write-inside",
    "mode.write-outside-or-protected",
    "mode.shell-read-only",
    "mode.shell-other",
)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("door", DOORS)
def test_each_cell_holds_through_each_way_in(place: Place, door: str, mode: Mode) -> None:
    model = prepared(place)

    answer = DOORS[door](place, model, mode)

    assert_as_promised(place, mode, answer)


@pytest.mark.parametrize("mode", MODES)
async def test_each_cell_holds_for_a_program(place: Place, mode: Mode) -> None:
    model = prepared(place)
    questions: list[Question] = []

    async def refuse(question: Question) -> PersonAnswer:
        questions.append(question)
        return PersonAnswer("no")

    where: dict[str, Any] = {"cwd": place.workspace, "home": place.home, "environ": place.environ}
    path = place.workspace / Path(model).name
    async with Agent(f"scripted/{path}", mode=mode, on_approval=refuse, **where) as agent:
        await agent.ask("go")

    assert_as_promised(place, mode, "no")
    assert len(questions) == promised(mode).count("ask")
    assert all(question.reason and question.rule for question in questions)


@pytest.mark.parametrize("mode", ["ask", "plan"])
def test_no_disguised_command_runs_under_rules_for_its_first_word(place: Place, mode: str) -> None:
    commands = carrying(100)
    lines = ["[[answer]]"]
    for command in commands:
        written = json.dumps(json.dumps({"command": command}))
        lines += ["[[answer.call]]", 'name = "bash"', f"arguments_json = {written}"]
    model = place.script("\n".join([*lines, "[[answer]]", 'text = "All tried."']))
    rules = [flag for word in FIRST_WORDS for flag in ("--allow", f"bash({word} *)")]
    before = sorted(place.workspace.iterdir())

    ran = place.run("-p", "go", "-m", model, "--mode", mode, *rules)

    assert ran.returncode == (3 if mode == "ask" else 0), ran.stderr
    outcomes = [entry["outcome"] for entry in place.entries() if entry["type"] == "result"]
    assert outcomes == ["refused" if mode == "ask" else "denied"] * len(commands)
    assert sorted(place.workspace.iterdir()) == before
