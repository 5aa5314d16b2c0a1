"""What trust in a workspace is enough for, and what it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.harbour import Harbour, Server, tool
from tests.requirements import requirement

MANIFEST = """\
id = "pack"
version = "1.0.0"

[[gate]]
event = "tool:before"
match-tool = "ls"
reason = "not this way"

[[command]]
name = "sweep"
summary = "sweep the floor"
exec = "touch swept"

[[capability]]
name = "scoped-fs(read, write, execute)"
reason = "to run what it brings"
required = false

[[tool]]
name = "polish"
description = "Polish it."
command = ["touch", "polished"]
[tool.parameters]
type = "object"

[[hook]]
event = "tool:after"
kind = "observe"
command = ["touch", "observed"]

[[task]]
id = "watch"
command = ["touch", "watched"]
"""
PROGRAM = """\
from indus_addon import Addon
addon = Addon("prog", "1.0.0")
@addon.on("tool:before", gate=True)
def gate(payload, call):
    return "it said no"
@addon.tool("scrub", "Scrub it.")
def scrub(args, call):
    return "scrubbed"
addon.run()
"""
TOOL, FILES = "contribute-tool(polish)", "scoped-fs(read, write, execute)"
MADE = ("swept", "polished", "observed", "watched")


class Yard(Harbour):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.addon("pack", MANIFEST)
        self.addon("prog.py", PROGRAM, file="")
        self.srv: Server = self.server("srv", tool("first"))
        self.project(".mcp.json", srv=self.srv.row())

    def made(self) -> list[str]:
        return [name for name in MADE if (self.work / name).exists()]

    def reports(self) -> dict[str, dict[str, Any]]:
        rows = json.loads(self.run("feature", "list", "--json").out)
        return {row["feature_id"]: row for row in rows}

    def calls(self) -> list[str]:
        """What comes of a call of everything that the workspace brings, in full mode."""
        names = ("ls", "polish", "scrub", "srv__first")
        ran = self.go(*([(name, {})] for name in names))
        assert ran.code == 0, ran.err
        return [row["outcome"] for row in self.entries("result")]


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


@requirement("invariant.06.trust-grants-narrowly")
def test_trust_is_enough_for_gates_commands_and_servers_and_for_nothing_else(yard: Yard) -> None:
    assert yard.calls() == ["ok", "invalid", "invalid", "invalid"]
    assert (yard.srv.started(), yard.made()) == (0, [])

    yard.trust()
    assert yard.calls() == ["denied", "invalid", "invalid", "ok"]
    assert yard.entries("result")[0]["by"] == "project:pack"
    assert (yard.srv.ran(), yard.made()) == (["first"], [])
    pack = yard.reports()["project:pack"]
    granted = {_words(each) for each in pack["granted"]}
    assert granted == {"contribute-hook pre-tool-call", "contribute-command sweep"}
    denied = {_words(each["capability"]).split()[0] for each in pack["denied"]}
    assert denied >= {"contribute-tool", "run-background-task", "scoped-fs"}

    refused = yard.run("-p", "/sweep", "-m", yard.script(""))
    assert (refused.code, yard.made()) == (3, []), "a command still passes the gate"
    ran = yard.run("-p", "/sweep", "-m", yard.script(""), "--allow", "bash(touch swept)")
    assert (ran.code, yard.made()) == (0, ["swept"]), ran.err

    yard.srv.offer(tool("first"), tool("second"))
    yard.go([("srv__second", {}), ("srv__first", {})])
    assert yard.srv.ran() == ["first", "first"], "only what was seen then"

    assert yard.run("grants", "give", "project:pack", TOOL, FILES).code == 0
    assert yard.calls() == ["denied", "ok", "invalid", "ok"]
    assert yard.made() == ["swept", "polished"], "and nothing that was not named"


def _words(capability: dict[str, Any]) -> str:
    kind, *rest = (capability.pop("kind"), *capability.values())
    return " ".join([kind, *(str(each) for each in rest if isinstance(each, str))])
