"""What the rows of a configuration say: used as far as they can be, and the rest is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.home import Ran
from tests.mcp.harbour import Harbour, Server, tool
from tests.requirements import requirement

TOOLS = (tool("one"), tool("two"), tool("three"))
CALLS = ("one", "two", "three")
NAMES = ("plain", "allowed", "denied", "both", "off", "typo", "patient")


class Run:
    """One session with all of these rows, in which the model called every tool."""

    def __init__(self, root: Path) -> None:
        self.home = home = Harbour(root)
        self.servers: dict[str, Server] = {name: home.server(name, *TOOLS) for name in NAMES}
        self.servers["patient"].offer(tool("one", does="wait"), tool("two"), tool("three"))
        rows = {name: server.row() for name, server in self.servers.items()}
        rows["allowed"] |= {"allow_tools": ["one"]}
        rows["denied"] |= {"excludeTools": ["one"]}
        rows["both"] |= {"allow_tools": ["one", "two"], "deny_tools": ["two"]}
        rows["off"] |= {"enabled": False}
        rows["typo"] |= {"startup_timeout": 5, "alwaysAllow": ["one"]}
        rows["patient"] |= {"tool_timeout_sec": 0.3}
        rows["mute"] = {
            "command": sys.executable,
            "args": ["-c", "import sys; sys.stdin.read()"],
            "startup_timeout_sec": 0.5,
        }
        rows["number"] = {"command": 5}
        rows["unset"] = {"command": "${NO_SUCH_VARIABLE}"}
        rows["missing"] = {"command": "no-such-program-anywhere"}
        home.configure(**rows)
        legacy = root / ".indusvx" / "agent" / "mcp.json"
        legacy.parent.mkdir(parents=True)
        legacy.write_text('{"mcpServers": {')
        calls = [(f"{name}__{each}", {}) for name in NAMES for each in CALLS]
        self.ran: Ran = home.go(calls)

    def line(self, words: str) -> str:
        """The one line that has these words."""
        [found] = [line for line in self.ran.complaints if words in line]
        return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(tmp_path_factory.mktemp("rows"))


@requirement("ledger.discover.malformed-skipped")
@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("mcpServers.number.command", "expected a text, found a number; skipped"),
        ("mcpServers.unset", "the variable NO_SUCH_VARIABLE is not set; skipped"),
        ("mcpServers.typo.startup_timeout", "did you mean 'startup_timeout_sec'?"),
        ("mcpServers.typo.alwaysAllow", "permissions are rules of yours"),
        (".indusvx/agent/mcp.json", "skipped"),
    ],
)
def test_what_is_wrong_with_the_files_is_told_line_by_line(run: Run, place: str, says: str) -> None:
    assert says in run.line(place)


def test_the_good_rows_count(run: Run) -> None:
    assert run.servers["plain"].ran() == [*CALLS]


def test_a_server_that_is_switched_off_does_not_start(run: Run) -> None:
    assert run.servers["off"].started() == 0
    assert not any(name.startswith("off__") for name in run.home.tools())


@pytest.mark.parametrize(
    ("name", "taken"),
    [("allowed", ["one"]), ("denied", ["two", "three"]), ("both", ["one"]), ("typo", [*CALLS])],
)
def test_of_the_tools_those_are_taken_that_the_row_admits(
    run: Run, name: str, taken: list[str]
) -> None:
    assert run.servers[name].ran() == taken
    told = [tool for tool in run.home.tools() if tool.startswith(f"{name}__")]
    assert told == sorted(f"{name}__{each}" for each in taken)


def test_a_call_ends_at_the_deadline_of_its_row(run: Run) -> None:
    [said] = [text for text in run.home.results() if "no answer within 0.3 s" in text]
    assert said.endswith("Whether patient__one had an effect is not known.")
    assert run.servers["patient"].ran() == [*CALLS]


def test_a_server_that_says_nothing_is_waited_for_as_long_as_its_row_says(run: Run) -> None:
    assert "it was not ready within 0.5 s" in run.line("'mute'")


def test_a_program_that_is_not_there_is_told_with_its_server(run: Run) -> None:
    assert "no-such-program-anywhere" in run.line("'missing'")


def test_the_run_is_a_good_one(run: Run) -> None:
    assert (run.ran.code, run.ran.out) == (0, "Done.\n")
    assert run.home.replays()


def test_a_row_that_admits_less_takes_the_tool_away_and_the_log_says_why(home: Harbour) -> None:
    server = home.server("srv", *TOOLS)
    home.configure(server)
    home.go()
    (server.folder / "tools.json").unlink()  # what it would list now is not known
    home.configure(srv=server.row(deny_tools=["one"]))
    home.go_on([("srv__one", {})])
    assert [name for name in home.tools() if "__" in name] == ["srv__three", "srv__two"]
    assert home.entries("bridge")[-1]["gone"] == [
        {"name": "srv__one", "reason": "the configuration of its server does not admit it"}
    ]
