"""The prefix of the prompt: it stays as it is, whatever changes, until an epoch begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.channels.rpc_client import RpcClient
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, fail, say
from tests.mcp.harbour import FULL, Harbour, served, tool
from tests.requirements import requirement

CAUSES = {"start", "input", "compaction", "tools"}
MODEL = ("-m", "anthropic/claude-sonnet-4-5", *FULL)
LONG = "A book that is found only by searching for it. " * 40
SKILL = "---\nname: {name}\ndescription: How to {name}.\n---\nDo it.\n"
STEPS = [
    call("srv__become"),
    call("bash", command="until [ -e go ]; do sleep 0.02; done"),
    say("One."),
    call("mcp_search", query="book"),
    say("Two."),
    say("A summary."),
    call("enter_plan_mode"),
    call("exit_plan_mode", plan="# Plan\n\nDo it."),
    say("Three."),
    say("Four."),
]


def _prefix(body: bytes) -> tuple[str, str, str]:
    read = json.loads(body)
    return read["model"], json.dumps(read["system"]), json.dumps(read["tools"])


class Ground(Harbour):
    """Two servers: one whose tools change when it is called, and one whose tools are deferred."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        after = [tool("become"), tool("stays")]
        changing = tool("become", does={"become": after})
        self.srv = self.server("srv", changing, tool("goes"), tool("stays"))
        self.books = self.server("books", tool("find", LONG))
        self.configure(self.srv, self.books)
        self.config("[mcp]\ndefer_tokens = 300\n")
        self.become("north")

    def become(self, word: str) -> None:
        """Let change what a prefix is made of besides what servers offer."""
        (self.root / "AGENTS.md").write_text(f"Think of {word}.\n")
        skill = self.indus / "skills" / word / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(SKILL.format(name=word))


@pytest.fixture
def home(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@requirement("turn.epoch-causes")
def test_nothing_that_changes_changes_the_prefix_before_an_epoch(home: Ground) -> None:
    with AnthropicServer(STEPS) as model:
        home.url = model.url
        with RpcClient(served(home), *MODEL) as talk:
            home.met(home.srv, home.books)
            turn = talk.send("submit", text="one")
            talk.wait(lambda m: "tool_start" in str(m) and "until" in str(m))
            home.become("south")
            (home.work / "go").touch()
            assert talk.answer(turn)["result"]["text"] == "One."
            assert talk.result("submit", text="two")["text"] == "Two."
            home.become("east")
            assert talk.result("compact") == {"compacted": True}
            turn = talk.send("submit", text="three")
            asked = talk.event("approval")
            home.become("west")
            talk.result("approve", id=asked["id"], choice="once")
            assert talk.answer(turn)["result"]["text"] == "Three."
            talk.result("shutdown")
            assert talk.ends_with() == 0
        assert home.run("-c", "-p", "four", *MODEL).out == "Four.\n"
        first, *others = [_prefix(body) for body in model.bodies]
    same, found, searched = others[:2], others[2], others[3]
    summed, plan, planned, three, four = others[4:]
    assert same == [first, first], "for all that changed meanwhile"
    assert ("goes" in first[2], "goes" in found[2]) == (True, False)
    assert ("south" in first[1], "south" in found[1]) == (False, True)
    assert searched[:2] == found[:2]
    assert ("books__find" in found[2], "books__find" in searched[2]) == (False, True)
    assert "east" in plan[1]
    assert summed[0] == plan[0]
    assert plan == planned == three, "an approval that changes the mode"
    assert ("west" in three[1], "west" in four[1]) == (False, True)
    assert _causes(home) <= CAUSES
    assert home.replays()


def _causes(home: Harbour) -> set[str]:
    rows = [row for type_ in ("briefing", "toolset", "bridge") for row in home.entries(type_)]
    return {row["cause"] for row in rows}


def test_another_model_that_takes_over_is_told_the_same(home: Ground) -> None:
    steps = [call("srv__become"), fail(500), say("Done.")]
    with AnthropicServer(steps) as model:
        home.url = model.url
        home.config('fallback = ["anthropic/claude-haiku-4-5"]\n[network]\nretry_seconds = 0.01\n')
        ran = home.run("-p", "go on", *MODEL)
        assert ran.out == "Done.\n", ran.err
        (first, *prefix), *_, last = [_prefix(body) for body in model.bodies]
    assert (first, last[0]) == ("claude-sonnet-4-5", "claude-haiku-4-5")
    assert [*last[1:]] == prefix
