"""Sessions whose servers come late or not at all, whose ledger is not well, or that delegate."""

from __future__ import annotations

import json

import pytest

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, calls, say
from tests.mcp.harbour import FULL, Harbour, tool
from tests.mcp.pulls import BEFORE, DEFINITION, OFFERS

pytestmark = pytest.mark.long

NO_PART = "its server is not part of this session"


def _foreign(home: Harbour) -> list[str]:
    return [name for name in home.tools() if "__" in name]


def test_a_server_that_comes_late_is_taken_in_with_the_next_turn(home: Harbour) -> None:
    server = home.server("srv")
    home.configure(server)
    with home.talk([], [[("srv__a", {})]]) as talk:
        told = talk.told("'srv'")
        assert talk.turn()["exit"] == 0
        before = _foreign(home)
        server.offer(tool("a"))
        home.met(server)
        assert talk.turn()["exit"] == 0
        talk.end()
    assert "there is nothing to offer" in told
    assert before == []
    assert _foreign(home) == ["srv__a"]
    assert home.results() == ["a ran"]
    assert home.replays()


def test_a_session_that_goes_on_without_its_servers_says_so_and_comes_back(home: Harbour) -> None:
    server = home.server("srv", tool("a"))
    home.configure(server)
    home.go()
    [first] = home.entries("toolset")
    ran = home.go_on([("srv__a", {})], words=(*FULL, "--mcp", "off"))
    assert (ran.code, ran.complaints) == (0, [])
    assert _foreign(home) == []
    assert home.entries("bridge")[-1]["gone"] == [{"name": "srv__a", "reason": NO_PART}]
    home.go_on([("srv__a", {})])
    assert server.ran() == ["a"]
    assert home.entries("toolset")[-1]["sha256"] == first["sha256"]
    assert home.replays()


def test_a_server_launched_another_way_that_does_not_answer_has_no_tools(home: Harbour) -> None:
    server = home.server("srv", tool("a"))
    home.configure(server)
    home.go()
    (server.folder / "tools.json").unlink()
    home.configure(srv=server.row("--more"))
    home.go()
    assert _foreign(home) == []


def test_where_the_ledger_cannot_be_written_no_tool_is_live(home: Harbour) -> None:
    server = home.server("srv", tool("a"))
    home.configure(server)
    (home.indus / "mcp").write_text("in the way")
    ran = home.go([("srv__a", {})])
    assert (ran.code, ran.out) == (0, "Done.\n")
    assert (_foreign(home), server.ran()) == ([], [])
    assert [line for line in ran.complaints if "the ledger of MCP tools cannot be" in line]


def test_a_change_that_cannot_be_recorded_is_held_as_long_as_that_lasts(home: Harbour) -> None:
    server = home.server("srv", *BEFORE)
    home.configure(server)
    with home.talk(*[[[("srv__pulled", {})]]] * 2) as talk:
        home.met(server)
        [file] = (home.indus / "mcp").glob("*.jsonl")
        file.chmod(0o666)
        server.offer(*OFFERS["description"].after)
        talk.told("others may write it")
        assert talk.turn()["exit"] == 0
        file.chmod(0o600)
        server.offer(*OFFERS["schema"].after)
        talk.told(DEFINITION)
        assert talk.turn()["exit"] == 0
        talk.end()
    assert server.ran() == []
    assert [row["name"] for row in home.entries("toolset")[0]["tools"] if "__" in row["name"]] == []
    assert _foreign(home) == ["srv__keep"]
    assert home.replays()


def test_after_damage_to_the_ledger_nothing_counts_as_seen_for_the_first_time(
    home: Harbour,
) -> None:
    server, fresh = home.server("srv", tool("a")), home.server("fresh", tool("b"))
    home.configure(server)
    home.go()
    [file] = (home.indus / "mcp").glob("*.jsonl")
    file.write_bytes(file.read_bytes() + b'{"seq": "damaged"}\n')
    home.configure(server, fresh)
    ran = home.go([("srv__a", {}), ("fresh__b", {})])
    assert (server.ran(), fresh.ran()) == (["a"], [])
    assert _foreign(home) == ["srv__a"]
    assert [line for line in ran.complaints if "the ledger of MCP tools is damaged" in line]
    assert [line for line in ran.complaints if "indus mcp approve fresh" in line]


def test_a_delegate_is_not_given_what_is_held_meanwhile(home: Harbour) -> None:
    after = (*OFFERS["description"].after, tool("become"))
    server = home.server("srv", *BEFORE, tool("become", does={"become": after}))
    home.configure(server)
    steps = [
        calls(("srv__become", {})),
        call("task", objective="Look there."),
        calls(("srv__pulled", {}), ("srv__keep", {})),
        say("Seen."),
        say("Done."),
    ]
    with AnthropicServer(steps) as model:
        home.url = model.url
        ran = home.run("-p", "go on", "-m", "anthropic/claude-sonnet-4-5", *FULL)
        bodies = [json.loads(body) for body in model.bodies]
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    assert server.ran() == ["become", "keep"]
    assert DEFINITION in ran.err
    below = [each["name"] for each in bodies[2]["tools"]]
    assert "srv__keep" in below
    assert "srv__pulled" not in below
    assert all(home.run("replay", log.stem).code == 0 for log in home.logs())


def test_a_launch_line_that_another_session_finds_changed_is_held_in_this_one(
    home: Harbour,
) -> None:
    server = home.server("srv", tool("a"))
    home.configure(server)
    turn = [[("srv__a", {})]]
    with home.talk(turn, turn) as talk:
        home.met(server)
        assert talk.turn()["exit"] == 0
        home.configure(srv=server.row("--more"))
        ran = home.go([("srv__a", {})])
        assert talk.turn()["exit"] == 0
        told = talk.faults()
        names = [row["name"] for row in home.entries("toolset", home.logs()[-1])[-1]["tools"]]
        talk.end()
    assert server.ran() == ["a"]
    assert "launched another way" in ran.err
    [line] = told
    assert f"indus: {line}\n" == ran.err
    assert "srv__a" not in names
