"""The subject in every tier, installed for real, and what a session with it leaves in its log.

`subject/` has the same addon six times: what it does is decided by words in what it is given. The
tests here are behaviours; each runs with every tier that can show it, and expects the same of all.
Features that are no addons are there as well, for what every kind of feature can show: a server,
and one that ships.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from induscode.boot.commands import replay, why
from induscode.feature.capability import parse_capability
from induscode.feature.descriptor import FeatureRuntimeKind
from induscode.feature.hosting.grant_store import GrantStore
from tests.addons.session.house import House, spoken
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient

FEATURE = "user:subject"
BEFORE, AFTER = "contribute-hook(pre-tool-call)", "contribute-hook(post-tool-call)"
ALERT, EXECUTE, MARK = "emit-alert", "scoped-fs(execute)", "shape-environment(SUBJECT_MARK)"
_HERE = Path(__file__).parent / "subject"
_GUESTS = Path(__file__).parents[3] / "build" / "guests"
_SLOW, _COMPILING = "wasm-python", 200
_ENTRIES = ("input", "notice", "amendment", "hook", "intent", "result", "compaction")
_FACTS = ("point", "decision", "outcome", "rewritten_by", "arguments", "parameters", "summary")


@dataclass(frozen=True)
class Calls:
    """Arguments with which a tool answers, with which it fails, and which are not for it; and the
    words that it then says."""

    good: dict[str, Any]
    wrong: dict[str, Any]
    misfit: dict[str, Any]
    said: str
    told: str


_MEASURED = Calls({"text": "cloth"}, {"text": "wrong"}, {"text": 7}, "it fits", "that is wrong")
_LISTED = Calls(
    {}, {"id": "W-0009"}, {"id": 7}, "No work item is open or doing; 0 in all.", "there is no work"
)


@dataclass(frozen=True)
class Tier:
    """`intercepts`: it can stand around tools; `asks`: it can call the host; `tasks`: it has one.
    `needs` is what its programs need besides the grants of a behaviour. `feature` is who it is,
    and `tool` what it offers the model."""

    name: str
    path: Path
    intercepts: bool = True
    asks: bool = True
    tasks: bool = True
    needs: tuple[str, ...] = ()
    feature: str = FEATURE
    tool: str = "measure"
    calls: Calls = _MEASURED

    @property
    def runtime(self) -> str:
        """As the log names it."""
        if self.feature != FEATURE:
            return "mcp-bridge" if self.feature.startswith("mcp:") else "builtin"
        if self.path.suffix == ".wasm":
            return "wasm"
        return "external-process" if self.path.suffix else "declarative"


TIERS = {
    tier.name: tier
    for tier in (
        Tier(
            "toml",
            _HERE / "toml",
            intercepts=False,
            asks=False,
            needs=("scoped-fs(read, write, execute)",),
        ),
        Tier("python", _HERE / "subject.py"),
        Tier("javascript", _HERE / "subject.mjs"),
        Tier("shell", _HERE / "subject.sh"),
        Tier("wasm-c", _HERE / "subject.wasm", tasks=False),
        Tier("wasm-javascript", _GUESTS / "subject-js.wasm", tasks=False),
        Tier(_SLOW, _GUESTS / "subject-python.wasm", tasks=False),
    )
}
OTHERS = {
    tier.name: tier
    for tier in (
        Tier("server", _HERE / "server.py", feature="mcp:subject", tool="subject__measure"),
        Tier(
            "builtin",
            _HERE,
            feature="builtin:work-item",
            tool="work_item_list",
            calls=_LISTED,
        ),
    )
}
EVERY = {**TIERS, **OTHERS}


class Stage(House):
    """A home in which the subject is installed, and a workspace."""

    def __init__(self, root: Path, tier: Tier) -> None:
        self.tier = tier
        super().__init__(root)

    @classmethod
    def copied(cls, template: Path, root: Path, tier: Tier) -> Stage:
        stage = cls(root, tier)
        shutil.copytree(template / "home", stage.indus, dirs_exist_ok=True, symlinks=True)
        return stage

    def installed(self) -> None:
        """With everything granted that it asks for. The component in Python is 18 MB of code, which
        is compiled now."""
        match self.tier.name:
            case "server":
                row = {"command": sys.executable, "args": ["-S", str(self.tier.path)]}
                (self.indus / "mcp.json").write_text(json.dumps({"mcpServers": {"subject": row}}))
                return
            case "builtin":
                self.config("[features]\nwork-item = true\n")
                return
            case _:
                pass
        installing = self.start("addon", "install", str(self.tier.path), "--yes")
        out, err = installing.communicate(timeout=_COMPILING)
        assert installing.returncode == 0, (out + err).decode()

    def only(self, *capabilities: str) -> None:
        """Of what was granted, leave these and what its programs need. What the host or the ledger
        grants by itself stays."""
        if self.tier.name in OTHERS:
            return
        store = GrantStore(self.indus)
        held = store.of(FEATURE)
        assert held is not None
        kept = {parse_capability(text).text() for text in (*capabilities, *self.tier.needs)}
        gone = [one for one in held.granted if one.text() not in kept]
        store.withdraw(FEATURE, gone, held.at)

    def rpc(self, *words: str) -> RpcClient:
        place = Place.__new__(Place)
        place.workspace, place.home = self.work, self.indus
        return RpcClient(place, *words)

    def trace(self, *types: str) -> list[tuple[Any, ...]]:
        """What the last session recorded: types, who, decisions, words; no ids and no digests."""
        return [_traced(entry) for entry in self.entries() if entry["type"] in (types or _ENTRIES)]

    def checked(self) -> None:
        """The log explains every request. The command runs in this process: it is no session."""
        said = io.StringIO()
        with contextlib.chdir(self.work), contextlib.redirect_stdout(said):
            assert replay.run(["last"], self.environ()) == 0, said.getvalue()

    def why(self, text: str) -> str:
        said = io.StringIO()
        with contextlib.chdir(self.work), contextlib.redirect_stdout(said):
            why.run(["last", "--find", text], self.environ())
        return said.getvalue()


def _traced(entry: dict[str, Any]) -> tuple[Any, ...]:
    facts: list[Any] = [entry["type"], entry["by"]]
    facts += [_plain(entry[name]) for name in _FACTS if entry.get(name)]
    match entry["type"]:
        case "hook" if entry["decision"] not in ("failed", "rewrite"):
            facts.append(entry.get("reason", ""))
        case "input" | "result":
            facts.append(spoken(entry))
        case "amendment" if "operations" in entry:
            facts += [spoken(one) for one in entry["operations"]]
        case "notice":
            facts.append(entry["text"])
        case _:
            pass
    return tuple(facts)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def across(*, lacking: Iterable[str] = ()) -> pytest.MarkDecorator:
    """Run with every tier but those that lack one of these: intercepts, asks, tasks."""
    fit = [tier for tier in TIERS.values() if all(getattr(tier, one) for one in lacking)]
    slow = pytest.mark.timeout(_COMPILING + 40)
    given = [pytest.param(tier.name, marks=slow if tier.name == _SLOW else ()) for tier in fit]
    return pytest.mark.parametrize("stage", given, indirect=True)


def of_every_kind() -> pytest.MarkDecorator:
    """Run with a feature of each runtime kind."""
    kinds = ("builtin", "toml", "python", "wasm-c", "server")
    assert len({EVERY[name].runtime for name in kinds}) == len(FeatureRuntimeKind)
    return pytest.mark.parametrize("stage", kinds, indirect=True)
