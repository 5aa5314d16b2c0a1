"""A home with MCP servers whose tools a test changes, and `indus` as a process in it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger, capability_key
from induscode.capability_deck.bridge_ledger.store import LedgerStore
from tests.addons.session.house import House, spoken
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.cli.home import Ran, answer
from tests.interop.harbour import answers, free_port

PROGRAM = Path(__file__).with_name("changing.py")
SITE = Path(__file__).with_name("changing_site.py")
BOUND = 20.0
FULL = ("--mode", "full")
_WAITS = "indus: waiting for MCP servers: "
Tool = dict[str, Any]
Call = tuple[str, Mapping[str, Any]]
Step = Sequence[Call]
"""Calls that the model makes at once."""
Turn = Sequence[Step]


def script(*turns: Turn) -> str:
    """A model that makes these steps in each turn, and then says that it is done."""
    said = [[*(answer("", *step) for step in turn), answer("Done.")] for turn in turns]
    return "".join(part for turn in said for part in turn)


def tool(name: str, description: str = "", does: object = None, **more: Any) -> Tool:
    """As a server lists it, with what a call of it does."""
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    return {
        "name": name,
        "description": description or f"It is {name}.",
        "inputSchema": schema,
        "does": f"{name} ran" if does is None else does,
        **more,
    }


def until(held: Callable[[], Any], what: str) -> Any:
    """What it gives as soon as that is something; fails when it does not come to that."""
    deadline = time.monotonic() + BOUND
    while not (found := held()):
        assert time.monotonic() < deadline, f"it did not come to this: {what}"
        time.sleep(0.01)
    return found


class Server:
    """One server: what it offers, how it is configured, and what it did."""

    def __init__(self, folder: Path, name: str, *tools: Tool) -> None:
        self.folder = folder
        self.name = name
        folder.mkdir(parents=True, exist_ok=True)
        if tools:
            self.offer(*tools)

    def offer(self, *tools: Tool) -> None:
        """From now on it has these tools; a running one notices."""
        fresh = self.folder / "tools.fresh"
        fresh.write_text(json.dumps(tools))
        fresh.replace(self.folder / "tools.json")

    def offers(self) -> list[Tool]:
        return json.loads((self.folder / "tools.json").read_text())

    def row(self, *more: str, **keys: Any) -> dict[str, Any]:
        """How it is started, with further arguments, which it does not use."""
        args = ["-S", str(PROGRAM), str(self.folder), *more]
        return {"command": sys.executable, "args": args, **keys}

    def deeds(self, deed: str) -> list[dict[str, Any]]:
        file = self.folder / "deeds.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [row for row in map(json.loads, lines) if row["deed"] == deed]

    def ran(self) -> list[str]:
        """The tools of it that were run, in order."""
        return [row["tool"] for row in self.deeds("ran")]

    def started(self) -> int:
        return len(self.deeds("started"))

    def pid(self) -> int:
        return self.deeds("started")[-1]["pid"]


class Remote(Server):
    """The same at an address, as long as it is entered."""

    def __init__(self, folder: Path, name: str, *tools: Tool) -> None:
        super().__init__(folder, name, *tools)
        self.port = free_port()

    def __enter__(self) -> Self:
        words = [sys.executable, "-S", str(SITE), str(self.folder), str(self.port)]
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        until(lambda: answers(self.port), "it listens")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(BOUND)

    def row(self, *more: str, **keys: Any) -> dict[str, Any]:
        del more
        return {"url": f"http://127.0.0.1:{self.port}/mcp", **keys}


class Harbour(House):
    def run(self, *words: str, stdin: str = "", cwd: Path | None = None) -> Ran:
        """Without the word that servers are slow, which a busy machine makes them."""
        ran = super().run(*words, stdin=stdin, cwd=cwd)
        lines = ran.err.splitlines(keepends=True)
        return replace(ran, err="".join(line for line in lines if _WAITS not in line))

    def server(self, name: str, *tools: Tool) -> Server:
        return Server(self.root / "servers" / name, name, *tools)

    def remote(self, name: str, *tools: Tool) -> Remote:
        return Remote(self.root / "servers" / name, name, *tools)

    def configure(self, *servers: Server, **rows: Mapping[str, Any]) -> Path:
        """The user's own servers."""
        file = self.indus / "mcp.json"
        named = {server.name: server.row() for server in servers}
        file.write_text(json.dumps({"mcpServers": {**named, **rows}}))
        file.chmod(0o600)
        return file

    def project(self, file: str, **rows: Mapping[str, Any]) -> Path:
        """Servers of the workspace."""
        path = self.work / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"mcpServers": rows}))
        return path

    def go(self, *steps: Step, words: Sequence[str] = FULL) -> Ran:
        """One turn of a session of its own, in print mode."""
        return self.run("-p", "go on", "-m", self.script(script(steps)), *words)

    def go_on(self, *steps: Step, words: Sequence[str] = FULL) -> Ran:
        """One more turn of the last session, in a process of its own."""
        model = self.script_after(script(steps))
        return self.run("-c", "-p", "go on", "-m", model, *words)

    def talk(self, *turns: Turn, words: Sequence[str] = FULL) -> Talk:
        return Talk(self, turns, words)

    def met(self, *servers: Server) -> None:
        """All tools that they offer are in the ledger."""
        until(lambda: all(self._knows(server) for server in servers), "they were met")

    def _knows(self, server: Server) -> bool:
        if not any((self.indus / "mcp").glob("*.jsonl")):
            return False
        enrolled = self.ledger().snapshot.enrolled.values()
        names = {each.definition.tool for each in enrolled if each.server == server.name}
        return names == {each["name"] for each in server.offers()}

    # What there is on disk

    def tools(self) -> list[str]:
        """The names that the model was last told of."""
        return [row["name"] for row in self.entries("toolset")[-1]["tools"]]

    def results(self) -> list[str]:
        """What the model was told of its calls, in order."""
        return [spoken(entry) for entry in self.entries("result")]

    def ledger(self) -> BridgeLedger:
        return self._store().ledger

    def held(self) -> dict[str, str]:
        """What is in quarantine, and why."""
        snapshot = self.ledger().snapshot
        return {snapshot.enrolled[key].name: why for key, why in snapshot.held.items()}

    def key_of(self, name: str) -> str:
        return capability_key(self.offered(name))

    def offered(self, name: str) -> BridgeCapability:
        """A tool as the ledger has it enrolled now."""
        [found] = [t for t in self.ledger().snapshot.enrolled.values() if t.name == name]
        return found

    def approve(self, shown: BridgeCapability) -> None:
        """Accept exactly this, whatever came after it."""
        self._store().record(lambda ledger: ledger.approve(shown, "2026-01-01T00:00:00.000Z"))

    def _store(self) -> LedgerStore:
        [file] = (self.indus / "mcp").glob("*.jsonl")
        store, report = LedgerStore.open(file)
        assert report.whole
        return store

    def everything(self) -> bytes:
        """All that is kept of all sessions, and the ledger."""
        files = (path for path in self.indus.rglob("*") if path.is_file())
        return b"\n".join(path.read_bytes() for path in files if path.name != "mcp.json")


class Talk(RpcClient):
    """A session that lives while its servers change. What the model does in each turn is known from
    the beginning."""

    def __init__(self, home: Harbour, turns: Sequence[Turn], words: Sequence[str]) -> None:
        super().__init__(served(home), "-m", home.script(script(*turns)), *words)

    def turn(self) -> dict[str, Any]:
        """The next one."""
        return self.result("submit", text="go on")

    def faults(self) -> list[str]:
        return [each["message"] for each in self.events() if each["type"] == "fault"]

    def told(self, words: str) -> str:
        """The fault that says this, as soon as there is one."""
        message = self.wait(
            lambda m: (
                isinstance(m, dict)
                and m.get("method") == "event"
                and m["params"]["type"] == "fault"
                and words in m["params"]["message"]
            )
        )
        return message["params"]["message"]

    def end(self) -> None:
        self.result("shutdown")
        assert self.ends_with() == 0


def served(home: Harbour) -> Place:
    """The same home and workspace, for a client that talks to the process."""
    return _Served(home)


class _Served(Place):
    def __init__(self, home: Harbour) -> None:
        self.workspace, self.home = home.work, home.indus
        self._environ = home.environ()

    @property
    def environ(self) -> dict[str, str]:
        return self._environ
