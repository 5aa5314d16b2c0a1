"""The order of the tools that a model is told of: that of the set, not that of their arrival."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mcp.harbour import Harbour, Server, tool
from tests.requirements import requirement

SERVERS = ("alpha", "beta")
TOOLS = ("one", "two", "three")
ADDONS = ("axe", "bow")
PROGRAM = """\
from indus_addon import Addon
addon = Addon("{name}", "1.0.0")
for each in {tools}:
    addon.tool("{name}_" + each, "It is " + each + ".")(lambda args, call: "done")
addon.run()
"""


class Arrival(Harbour):
    """A home in which everything arrives in one order or in the other."""

    def __init__(self, root: Path, *, backwards: bool) -> None:
        root.mkdir()
        super().__init__(root)
        self._step = -1 if backwards else 1
        for name in self.turned(ADDONS):
            place = root / f"{name}.py"
            place.write_text(PROGRAM.format(name=name, tools=self.turned(TOOLS)))
            done = self.run("addon", "install", str(place), "--yes")
            assert done.code == 0, done.err
        self.configure(*(self.offering(name) for name in self.turned(SERVERS)))

    def turned(self, names: Sequence[str]) -> list[str]:
        return [*names][:: self._step]

    def offering(self, name: str) -> Server:
        return self.server(name, *map(tool, self.turned(TOOLS)))


@pytest.fixture
def told(tmp_path: Path) -> tuple[list[str], str]:
    """The names that are told where all arrive forwards, and the digest of the definitions."""
    home = Arrival(tmp_path / "forwards", backwards=False)
    assert home.go().code == 0
    return home.tools(), home.entries("toolset")[-1]["sha256"]


@requirement("turn.tool-order-deterministic")
def test_the_same_tools_stand_in_the_same_order_whatever_came_first(
    told: tuple[list[str], str], tmp_path: Path
) -> None:
    names, digest = told
    ours = len(names) - len((*ADDONS, *SERVERS)) * len(TOOLS)
    ordered = ("one", "three", "two")
    assert names[ours:] == [
        *(f"{addon}_{each}" for addon in ADDONS for each in ordered),
        *(f"{server}__{each}" for server in SERVERS for each in ordered),
    ]

    other = Arrival(tmp_path / "backwards", backwards=True)
    late = other.root / "servers" / "alpha" / "tools.json"
    late.rename(late.with_name("later.json"))
    with other.talk([], []) as talk:
        talk.told("'alpha'")
        other.met(other.server("beta"))
        assert talk.turn()["exit"] == 0
        early = other.tools()
        other.offering("alpha")
        other.met(other.server("alpha"))
        assert talk.turn()["exit"] == 0
        talk.end()
    assert early == [name for name in names if not name.startswith("alpha__")]
    assert (other.tools(), other.entries("toolset")[-1]["sha256"]) == (names, digest)
    assert other.replays()
