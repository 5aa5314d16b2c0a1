"""Names of servers and of their tools: one name for one tool, and none that deceives."""

from __future__ import annotations

import pytest

from tests.cli.home import Ran
from tests.mcp.harbour import Harbour, Server, tool
from tests.requirements import requirement

CYRILLIC = "p\u0430y"
LONG = "x" * 80
REFUSED = {
    CYRILLIC: "U+0430",
    LONG: "its name is too long",
    "ring\x07": "control character U+0007",
    "\u202egnp": "U+202E",
    "": "is empty",
}
GOOD = {
    "bash": "srv__bash",
    "read": "srv__read",
    "mcp_search": "srv__mcp_search",
    "a.b": "srv__a_z2eb",
    "a b": "srv__a_z20b",
    "a__b": "srv__a_z5f_b",
}


class Run:
    """One session with strange servers, in which the model called each good name."""

    def __init__(self, home: Harbour) -> None:
        self.home = home
        self.srv = home.server("srv", *map(tool, (*REFUSED, *GOOD)))
        self.srv_a = home.server("srv_a", tool("b"))
        self.others: dict[str, Server] = {
            name: home.server(name, tool("ping")) for name in ("git-hub", "git_hub", "bash")
        }
        rows = {name: server.row() for name, server in self.others.items()}
        home.configure(
            self.srv,
            self.srv_a,
            **rows,
            **{CYRILLIC: self.srv.row(), "mcp": self.srv.row(), "srv__a": self.srv_a.row()},
        )
        names = (*GOOD.values(), "srv_a__b", "git-hub__ping", "bash__ping")
        self.ran: Ran = home.go([(name, {}) for name in names])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(Harbour(tmp_path_factory.mktemp("names")))


@requirement("decision.mcp-names-escaped")
def test_every_good_name_is_one_tool_and_no_built_in_is_another(run: Run) -> None:
    assert run.ran.code == 0, run.ran.err
    assert run.srv.ran() == [*GOOD]
    assert set(GOOD.values()) <= set(run.home.tools())
    assert len(set(run.home.tools())) == len(run.home.tools())
    by = {row["name"]: row["by"] for row in run.home.entries("toolset")[-1]["tools"]}
    assert (by["bash"], by["read"]) == ("builtin:shell", "builtin:files")
    assert (by["srv__bash"], by["bash__ping"]) == ("mcp:srv", "mcp:bash")
    assert run.home.replays()


@pytest.mark.parametrize(("name", "why"), REFUSED.items(), ids=map(ascii, REFUSED))
def test_a_name_that_deceives_or_does_not_fit_is_refused_and_told(
    run: Run, name: str, why: str
) -> None:
    lines = [line for line in run.ran.complaints if "of the server 'srv' is refused" in line]
    assert len(lines) == len(REFUSED)
    [line] = [line for line in lines if why in line]
    assert line.isprintable()
    assert name not in run.srv.ran()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("git_hub", "'git_hub' and 'git-hub'"),
        ("mcpServers.p", "is not ASCII"),
        ("mcpServers.mcp:", "is what other agents' rules put in front"),
    ],
)
def test_a_server_whose_name_is_another_ones_or_deceives_is_refused_and_told(
    run: Run, name: str, why: str
) -> None:
    [line] = [line for line in run.ran.complaints if name in line]
    assert why in line


def test_of_two_servers_that_are_one_to_rules_the_first_starts(run: Run) -> None:
    assert run.others["git-hub"].ran() == ["ping"]
    assert run.others["git_hub"].started() == 0


def test_servers_whose_names_and_tools_run_together_stay_apart(run: Run) -> None:
    """`srv` with `a__b`, `srv_a` with `b`, and `srv__a` with `b`."""
    names = [name for name in run.home.tools() if name.endswith("b")]
    assert {"srv__a_z5f_b", "srv_a__b", "srv_z5f_a__b"} <= set(names)
    assert run.srv_a.ran() == ["b"]
