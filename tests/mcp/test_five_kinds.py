"""One session with features of all five kinds: each in the one registry, and none out of bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.addons.examples.shop import EXAMPLES
from tests.addons.session.misdeeds import OWN
from tests.mcp.harbour import Harbour, Server
from tests.mcp.pulls import BEFORE, OFFERS
from tests.requirements import requirement

TOML = """\
id = "fence"
version = "2.0.0"
[[gate]]
event = "tool:before"
match-tool = "ls"
reason = "not this way"
[[command]]
name = "open"
summary = "open it"
exec = "./open.sh"
"""
KINDS = {
    "builtin:files": "builtin",
    "user:fence": "declarative",
    "user:reach": "external-process",
    "user:project-tool": "wasm",
    "mcp:srv": "mcp-bridge",
}
GIVEN = {
    "builtin:files": ("installed_tools", ["read", "ls", "write", "edit"]),
    "user:fence": ("installed_commands", ["open"]),
    "user:reach": ("installed_tools", ["reach"]),
    "user:project-tool": ("installed_tools", ["find_marks"]),
    "mcp:srv": ("installed_tools", ["srv__keep", "srv__pulled"]),
}


class Fair(Harbour):
    """A home with an addon of each kind, installed and granted all that it asks for, and a server
    that was met."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        (root / "fence").mkdir()
        (root / "fence" / "manifest.toml").write_text(TOML)
        component = EXAMPLES / "project-tool" / "project_tool.wasm"
        for place in (root / "fence", OWN / "reach.py", component):
            done = self.run("addon", "install", str(place), "--yes")
            assert done.code == 0, done.err
        self.srv: Server = self.server("srv", *BEFORE)
        self.configure(self.srv)
        (self.work / "notes.txt").write_text("MARK here\n")
        self.ran = self.go(
            [
                ("read", {"path": "notes.txt"}),
                ("ls", {}),
                ("reach", {"tried": []}),
                ("find_marks", {"mark": "MARK"}),
                ("srv__pulled", {}),
            ]
        )

    def reports(self) -> dict[str, dict[str, Any]]:
        rows = json.loads(self.run("feature", "list", "--json").out)
        return {row["feature_id"]: row for row in rows}


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Fair:
    return Fair(tmp_path_factory.mktemp("fair"))


@requirement("invariant.05.one-registry")
def test_features_of_all_kinds_are_in_the_one_registry_with_all_that_it_knows(fair: Fair) -> None:
    assert (fair.ran.code, fair.ran.out) == (0, "Done.\n"), fair.ran.err
    reports = fair.reports()
    assert {name: reports[name]["runtime"] for name in KINDS} == KINDS
    for name, (kind, names) in GIVEN.items():
        report = reports[name]
        assert report["enabled"]
        assert len(report["package"]) == 64
        assert report[kind] == names
        asked = [each["capability"] for each in report["requested"]]
        assert asked
        assert asked == report["granted"], "all of it was granted"
        assert all(each["reason"] for each in report["requested"])
        assert (report["denied"], report["skipped_contributions"]) == ([], [])
    assert len(reports["user:fence"]["installed_hooks"]) == 1


@requirement("invariant.05.one-registry", "cli.command.feature")
def test_the_log_says_of_each_what_the_list_of_features_says(fair: Fair) -> None:
    rows = {row["id"]: row for entry in fair.entries("install") for row in entry["features"]}
    reports = fair.reports()
    for name, runtime in KINDS.items():
        assert rows[name].get("runtime", "builtin") == runtime
        assert rows[name]["package"] == reports[name]["package"]
        assert rows[name]["grant"]
    by = {row["name"]: row["by"] for row in fair.entries("toolset")[-1]["tools"]}
    given = {each: name for name, report in reports.items() for each in report["installed_tools"]}
    assert by == given, "each tool that the model has is of a feature that is listed"
    shown = fair.run("feature", "list").out
    assert all(f"{name} " in shown and f"· {runtime} ·" in shown for name, runtime in KINDS.items())
    assert "open" in shown


@requirement("mode.full-still-bounded")
def test_in_full_mode_rules_gates_quarantine_and_confinement_hold(fair: Fair) -> None:
    secret = fair.root / "private.txt"
    secret.write_text("a private key")
    fair.srv.offer(*OFFERS["description"].after)
    calls = [
        ("bash", {"command": "touch made"}),
        ("ls", {}),
        ("srv__pulled", {}),
        ("reach", {"tried": [["read", str(secret)], ["write", str(fair.work / "made")]]}),
        ("srv__keep", {}),
    ]
    done = fair.go(calls, words=("--mode", "full", "--deny", "bash(touch *)"))
    assert done.code == 0, done.err
    ruled, gated, held, confined, kept = fair.results()
    assert "denied by the rule 'bash(touch *)'" in ruled
    assert gated == "Blocked by fence: not this way"
    assert "srv__pulled" in held
    assert "srv__pulled" not in fair.tools()
    assert ["refused" in each for each in json.loads(confined)] == [True, True]
    assert kept == "keep ran"
    assert not (fair.work / "made").exists()
    assert "pulled" not in fair.srv.ran()[1:]
    outcomes = [row["outcome"] for row in fair.entries("result")]
    assert outcomes == ["denied", "denied", "invalid", "ok", "ok"]
