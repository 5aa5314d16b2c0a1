"""Tools of servers pass the gate that all tools pass: modes, rules, hooks, interceptors, bounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.addons.session.house import spoken
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, calls, say
from tests.mcp.harbour import FULL, Harbour, Server, tool
from tests.requirements import requirement

REWRITER = Path(__file__).with_name("rewriter.py")
HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}


@pytest.fixture
def servers(home: Harbour) -> dict[str, Server]:
    """Three with two tools each, one of which claims to be harmless."""
    names = ("one", "two", "three")
    made = {name: home.server(name, tool("a"), tool("b", annotations=HINTS)) for name in names}
    home.configure(*made.values())
    return made


def _ran(servers: dict[str, Server]) -> list[str]:
    return [f"{name}__{each}" for name, server in servers.items() for each in server.ran()]


ALL = [(f"{name}__{each}", {}) for name in ("one", "two", "three") for each in "ab"]
NAMES = [name for name, _ in ALL]


@requirement("mode.mcp-and-addon")
@pytest.mark.parametrize(
    ("mode", "code", "ran"),
    [("plan", 0, []), ("ask", 3, []), ("accept-edits", 3, []), ("full", 0, NAMES)],
)
def test_the_mode_decides_whatever_a_tool_says_of_itself(
    home: Harbour, servers: dict[str, Server], mode: str, code: int, ran: list[str]
) -> None:
    done = home.go(ALL, words=("--mode", mode))
    assert (done.code, _ran(servers)) == (code, ran), done.err
    assert set(NAMES) <= set(home.tools()), "they are told of all the same"
    assert ("6 calls were refused" in done.err) == (code == 3)


def test_a_person_is_asked_with_the_name_and_the_arguments(home: Harbour) -> None:
    server = home.server("srv", tool("a", annotations=HINTS))
    home.configure(server)
    with home.talk([[("srv__a", {"x": "1"})], [("srv__a", {"x": "2"})]], words=()) as talk:
        home.met(server)
        turn = talk.send("submit", text="go on")
        for choice in ("no", "once"):
            asked = talk.event("approval")
            assert asked["tool"] == "srv__a"
            talk.result("approve", id=asked["id"], choice=choice)
        assert talk.answer(turn)["result"]["text"] == "Done."
        talk.end()
    assert [deed["arguments"] for deed in server.deeds("ran")] == [{"x": "2"}]


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        (
            ("--allow", "mcp__one__a", "--allow", "Two__A", "--allow", "three__*"),
            ["one__a", "two__a", "three__a", "three__b"],
        ),
        (
            (*FULL, "--deny", "mcp__one__a", "--deny", "two__a", "--deny", "mcp__three"),
            ["one__b", "two__b"],
        ),
        (("--allow", "mcp__t*"), ["two__a", "two__b", "three__a", "three__b"]),
        ((*FULL, "--deny", "mcp__*"), []),
    ],
    ids=["allow", "deny", "allow servers", "deny servers"],
)
def test_rules_speak_of_tools_and_of_all_tools_of_a_server(
    home: Harbour, servers: dict[str, Server], words: tuple[str, ...], ran: list[str]
) -> None:
    home.go(ALL, words=words)
    assert _ran(servers) == ran


@requirement("deck.provision.tools-bound-grafts", "decision.profile-bounds-grafts")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--tools", "read,two__a,mcp__three__b"), ["read", "two__a", "three__b"]),
        (("--tools", "read,mcp__two"), ["read", "two__a", "two__b"]),
        (("--profile", "authoring"), None),
        (("--profile", "survey"), None),
        (("--no-tools",), []),
    ],
    ids=["tools", "server", "authoring", "survey", "none"],
)
def test_the_bounds_of_a_run_hold_for_them(
    home: Harbour, servers: dict[str, Server], words: tuple[str, ...], told: list[str] | None
) -> None:
    done = home.go(ALL, words=(*FULL, *words))
    assert done.code == 0, done.err
    if not told:
        assert [name for name in home.tools() if "__" in name] == []
        assert _ran(servers) == []
        assert [server.started() for server in servers.values()] == [0, 0, 0]
    else:
        assert set(home.tools()) == set(told)
        assert _ran(servers) == [name for name in told if "__" in name]


def test_a_name_that_no_server_could_have_is_refused_at_once(
    home: Harbour, servers: dict[str, Server]
) -> None:
    done = home.go(words=("--tools", "four__a"))
    assert done.code == 2
    assert "there is no tool 'four__a'" in done.err
    assert [server.started() for server in servers.values()] == [0, 0, 0]


@requirement("feature.mcp.normal-contributions", "addons.intercept.deck-tools")
def test_gates_stop_a_call_and_interceptors_change_arguments_and_result(home: Harbour) -> None:
    gate = '[[gate]]\nevent = "tool:before"\nmatch-tool = "{}"\nreason = "not here"\n'
    home.addon("shut", 'id = "shut"\n' + gate.format("srv__b") + gate.format("mcp__srv__c"))
    home.trust()
    done = home.run("addon", "install", str(REWRITER), "--yes")
    assert done.code == 0, done.err
    server = home.server("srv", *map(tool, "abcd"))
    home.configure(server)
    done = home.go([(f"srv__{each}", {"x": each}) for each in "abcd"])
    assert done.code == 0, done.err
    first, second, third, fourth = home.results()
    assert (first, fourth) == ("seen: a ran", "d ran")
    assert "not here" in second
    assert "not here" in third
    assert [deed["arguments"]["x"] for deed in server.deeds("ran")] == ["rewritten", "d"]
    assert home.replays()


def test_a_gate_on_a_server_stops_every_tool_of_it_and_no_other(
    home: Harbour, servers: dict[str, Server]
) -> None:
    gate = '[[gate]]\nevent = "tool:before"\nmatch-tool = "mcp__two"\nreason = "not here"\n'
    home.addon("shut", 'id = "shut"\n' + gate)
    home.trust()
    home.go(ALL, words=FULL)
    assert _ran(servers) == ["one__a", "one__b", "three__a", "three__b"]


def test_a_delegate_has_the_servers_of_its_sender_and_no_more(
    home: Harbour, servers: dict[str, Server]
) -> None:
    steps = [
        call("task", objective="Look there."),
        calls(("one__a", {}), ("two__a", {}), ("one__b", {})),
        say("Seen."),
        say("Done."),
    ]
    with AnthropicServer(steps) as model:
        home.url = model.url
        words = ("-m", "anthropic/claude-sonnet-4-5", *FULL)
        bounds = ("--tools", "task,one__a,one__b", "--deny", "one__b")
        done = home.run("-p", "go on", *words, *bounds)
        bodies = [json.loads(body) for body in model.bodies]
    assert (done.code, done.out) == (0, "Done.\n"), done.err
    assert _ran(servers) == ["one__a"]
    offered = [[each["name"] for each in body.get("tools", [])] for body in bodies]
    assert offered[0] == ["task", "one__a", "one__b"]
    assert set(offered[1]) <= {"task", "one__a", "one__b"}
    assert {server.started() for server in servers.values()} == {1}, "nothing is started anew"
    logs = {log.stem for log in home.logs()}
    assert len(logs) == 2
    assert all(home.run("replay", name).code == 0 for name in logs)
    [above] = [spoken(entry) for entry in home.entries("result")]
    assert "Seen." in above
