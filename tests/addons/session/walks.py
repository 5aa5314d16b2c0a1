"""One session in each run mode, with an addon that hears it.

`walked` drives the same turn through a mode, against a server that answers as Anthropic does, and
gives what came of it: requests, what the addon heard, the log, and what was told.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from induscode.sdk import Agent
from tests.addons.session.house import House
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import Step, call, say

MODEL = "anthropic/claude-sonnet-4-5"
SENT_FOR = "Sent for an answer."
_WORDS = ("-m", MODEL, "--mode", "full")
_AGAIN = ("-c", "--mode", "full")


@dataclass(frozen=True)
class Told:
    """What the mode told: the answer to its prompt, its exit code, and what was said besides."""

    text: str
    exit: int
    aside: str


Drive = Callable[[House, str], Told]
"""Says each line of a text to one session, and tells what came of the last."""


@dataclass(frozen=True)
class Walk:
    """A session that is over. `session` is the one that was walked, `heard` what the addon was
    given in it, in order."""

    mode: str
    session: str
    told: Told
    bodies: list[dict[str, Any]]
    heard: list[tuple[str, dict[str, Any]]]
    entries: list[dict[str, Any]]
    replays: bool

    def of(self, event: str) -> list[dict[str, Any]]:
        return [payload for name, payload in self.heard if name == event]

    def logged(self, type_: str, **fields: object) -> list[dict[str, Any]]:
        return [
            entry
            for entry in self.entries
            if entry["type"] == type_
            and all(entry.get(name) == value for name, value in fields.items())
        ]


def printed(house: House, prompt: str) -> Told:
    first, *more = prompt.splitlines()
    ran = house.run("-p", first, *_WORDS)
    for line in more:
        ran = house.run("-p", line, *_AGAIN)
    return Told(ran.out.removesuffix("\n"), ran.code, ran.err)


def as_json(house: House, prompt: str) -> Told:
    first, *more = prompt.splitlines()
    ran = house.run("-p", first, *_WORDS, "--json")
    for line in more:
        ran = house.run("-p", line, *_AGAIN, "--json")
    aside = [json.dumps(event) for event in ran.events if event["type"] != "result"]
    return Told(ran.result["text"], ran.result["exit"], "\n".join(aside))


def over_rpc(house: House, prompt: str) -> Told:
    with RpcClient(_Served(house), *_WORDS) as client:
        done = [client.result("submit", text=line) for line in prompt.splitlines()][-1]
        client.stdin.close()
        assert client.ends_with() == 0
        aside = [json.dumps(event) for event in client.events()]
    return Told(done["text"], done["exit"], "\n".join(aside))


class _Served(Place):
    """The same home and workspace, for a client that talks to the process."""

    def __init__(self, house: House) -> None:
        self.workspace, self.home = house.work, house.indus
        self._environ = house.environ()

    @property
    def environ(self) -> dict[str, str]:
        return self._environ


def talked(house: House, prompt: str) -> Told:
    ran = house.run("--plain", *_WORDS, stdin=f"{prompt}\n")
    return Told(ran.out.removesuffix("\n"), ran.code, ran.err)


def by_program(house: House, prompt: str) -> Told:
    async def run() -> Told:
        options: dict[str, Any] = {"cwd": house.work, "environ": house.environ(), "mode": "full"}
        seen: list[object] = []
        async with Agent(MODEL, **options) as agent:
            for line in prompt.splitlines():
                seen += [event async for event in agent.run(line)]
        assert agent.result is not None
        return Told(agent.result.text, agent.result.exit, "\n".join(map(str, seen)))

    return asyncio.run(run())


def delegated(house: House, prompt: str) -> Told:
    """The answer is the one that the delegate gave to the session above it, whose model calls for
    it: the prompt is in its script."""
    del prompt
    ran = house.run("-p", SENT_FOR, *_WORDS)
    [result] = house.of("result")
    return Told("".join(block["text"] for block in result["content"]), ran.code, ran.err)


MODES: dict[str, Drive] = {
    "print": printed,
    "json": as_json,
    "rpc": over_rpc,
    "plain": talked,
    "sdk": by_program,
    "delegate": delegated,
}


def installed(root: Path, addon: Path) -> House:
    """A home in which an addon is installed with everything that it asks for."""
    root.mkdir()
    house = House(root)
    done = house.run("addon", "install", str(addon), "--yes")
    assert done.code == 0, done.err
    return house


def copied(template: House, root: Path) -> House:
    """Another home of the same content."""
    root.mkdir()
    house = House(root)
    shutil.copytree(template.indus, house.indus, dirs_exist_ok=True, symlinks=True)
    return house


def driven(
    house: House, mode: str, prompt: str, steps: Sequence[Step]
) -> tuple[Told, list[dict[str, Any]]]:
    """What one turn told, and the bodies of its requests: a delegate's are between those of the
    session that sends it."""
    script = [*steps]
    if mode == "delegate":
        script = [call("task", objective=prompt), *steps, say("Done.")]
    with AnthropicServer(script) as server:
        house.url = server.url
        told = MODES[mode](house, prompt)
        return told, [json.loads(body) for body in server.bodies]


def walked(template: House, root: Path, mode: str, prompt: str, steps: Sequence[Step]) -> Walk:
    """One turn in a copy of this home."""
    house = copied(template, root)
    told, bodies = driven(house, mode, prompt, steps)
    logs = {log.stem: log for log in house.logs()}
    above = house.entries("session")[0]["session"]
    [session] = [name for name in logs if name != above] if len(logs) > 1 else logs
    return Walk(
        mode,
        session,
        told,
        bodies,
        _within(session, heard(house)),
        house.entries(log=logs[session]),
        all(house.run("replay", name).code == 0 for name in logs),
    )


def heard(house: House) -> list[tuple[str, dict[str, Any]]]:
    """What the addon keeps in its state."""
    kept = house.indus.glob("features/user-*/version-*/*")
    rows = sorted(json.loads(file.read_text()) for file in kept)
    return [(event, payload) for _, event, payload in rows]


def _within(
    session: str, heard: list[tuple[str, dict[str, Any]]]
) -> list[tuple[str, dict[str, Any]]]:
    """From the session's start to its end: what a delegate's parent hears comes before and after.
    The input comes before the session begins."""
    first = next(at for at, (_, payload) in enumerate(heard) if payload.get("session") == session)
    last = max(at for at, (_, payload) in enumerate(heard) if payload.get("session") == session)
    if first and heard[first - 1][0] == "input:submit":
        first -= 1
    return heard[first : last + 1]
