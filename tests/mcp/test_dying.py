"""Servers that end: in the middle of a call, before a session, and while nobody calls."""

from __future__ import annotations

import os
import signal

from tests.mcp.harbour import Harbour, tool, until
from tests.requirements import requirement

TOOLS = (tool("first"), tool("hangs", does="wait"), tool("last"))


@requirement("decision.ledger-on-hot-path")
def test_a_server_killed_in_a_call_leaves_an_honest_result_and_comes_back(home: Harbour) -> None:
    server, other = home.server("srv", *TOOLS), home.server("other", tool("works"))
    home.configure(server, other)
    turns = [
        [[("srv__first", {})]],
        [[("srv__hangs", {}), ("other__works", {})], [("other__works", {})]],
        [[("srv__last", {}), ("srv__first", {})]],
    ]
    with home.talk(*turns) as talk:
        home.met(server, other)
        assert talk.turn()["text"] == "Done."
        key = home.key_of("srv__last")

        turn = talk.send("submit", text="go on")
        until(lambda: "hangs" in server.ran(), "the call arrived")
        os.kill(server.pid(), signal.SIGKILL)
        assert talk.answer(turn)["result"]["exit"] == 0
        told = talk.told("the MCP server 'srv'")
        until(lambda: server.started() == 2, "it is started again")
        talk.wait(lambda m: "'srv' is connected again" in str(m))

        assert talk.turn()["exit"] == 0
        talk.end()
    first, hung, *_ = home.results()
    assert first == "first ran"
    assert hung == (
        "The MCP server 'srv': the tool hangs: it was ended by signal 9."
        " Whether srv__hangs had an effect is not known."
    )
    assert home.results()[2:4] == ["works ran", "works ran"]
    assert home.results()[4:] == ["last ran", "first ran"]
    assert "it was ended by signal 9" in told
    assert server.ran() == ["first", "hangs", "last", "first"]
    assert len(home.entries("toolset")) == len(home.entries("bridge")) == 1
    assert home.key_of("srv__last") == key
    assert home.replays()


def test_the_tools_of_a_server_that_does_not_start_stay_and_answer_honestly(home: Harbour) -> None:
    server = home.server("srv", *TOOLS)
    home.configure(server)
    assert home.go([("srv__first", {})]).code == 0
    [before] = home.entries("toolset")

    (server.folder / "tools.json").unlink()
    ran = home.go([("srv__first", {})])
    [after] = home.entries("toolset")
    assert (after["sha256"], after["tools"]) == (before["sha256"], before["tools"])
    [said] = home.results()
    assert said.startswith("The MCP server 'srv' "), said
    assert said.endswith("so srv__first did not run."), said
    assert (ran.code, ran.out) == (0, "Done.\n")
    [line] = ran.complaints
    assert "the MCP server 'srv'" in line
    assert "there is nothing to offer" in line, "what it said on stderr"
    assert server.ran() == ["first"]
    assert home.replays()


def test_a_call_between_the_end_of_a_server_and_its_return_is_told_not_made(home: Harbour) -> None:
    server = home.server("srv", tool("dies", does="die"), tool("first"))
    home.configure(server)
    ran = home.go([("srv__dies", {})], [("srv__first", {})])
    assert (ran.code, ran.out) == (0, "Done.\n")
    died, refused = home.results()
    assert died.endswith("Whether srv__dies had an effect is not known.")
    assert refused.endswith("so srv__first did not run."), refused
    assert server.ran() == ["dies"]
    assert len(ran.complaints) == 1
    assert home.replays()
