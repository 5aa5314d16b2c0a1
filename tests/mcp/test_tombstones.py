"""What is left of a server that died: its tools, until the next epoch."""

from __future__ import annotations

from tests.mcp.harbour import Harbour, tool, until
from tests.requirements import requirement

WAITS = {"command": "until [ -e back ]; do sleep 0.02; done"}


def _offered(home: Harbour) -> list[list[str]]:
    """What of servers was told in each epoch that changed the tools."""
    rows = [entry["tools"] for entry in home.entries("toolset")]
    return [[row["name"] for row in each if "__" in row["name"]] for each in rows]


@requirement("turn.tombstones")
def test_the_tools_of_a_server_that_died_stay_until_the_next_epoch(home: Harbour) -> None:
    server = home.server("srv", tool("dies", does="die"), tool("gone"), tool("kept"))
    home.configure(server)
    dying = [[("srv__dies", {})], [("srv__gone", {})], [("bash", WAITS)], [("srv__gone", {})]]
    with home.talk(dying, [[("srv__gone", {}), ("srv__kept", {})]]) as talk:
        home.met(server)
        turn = talk.send("submit", text="go on")
        until(lambda: "dies" in server.ran(), "it died")
        server.offer(tool("dies"), tool("kept"))
        talk.wait(lambda m: "'srv' is connected again" in str(m))
        home.met(server)
        (home.work / "back").touch()
        assert talk.answer(turn)["result"]["exit"] == 0
        before = _offered(home)
        assert talk.turn()["exit"] == 0
        talk.end()
    assert before == [["srv__dies", "srv__gone", "srv__kept"]], "nothing else was told meanwhile"
    assert _offered(home) == [*before, ["srv__dies", "srv__kept"]]
    died, dead, _, refused, unknown, kept = home.results()
    assert died.endswith("Whether srv__dies had an effect is not known.")
    assert dead.endswith("so srv__gone did not run.")
    assert "srv__gone" in refused
    assert "does not offer it" in refused
    assert "srv__gone" in unknown
    assert kept == "kept ran"
    assert server.ran() == ["dies", "kept"]
    [gone] = home.entries("bridge")[-1]["gone"]
    assert gone == {"name": "srv__gone", "reason": "its server does not offer it any more"}
    assert home.replays()
