"""Delegates in a real home: agents of the user, each with a script of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cli.home import Home, answer

Call = tuple[str, Mapping[str, Any]]

SAY = answer("Done.")


def task(objective: str, agent: str = "", **more: str) -> Call:
    named = {"agent": agent} if agent else {}
    return ("task", {"objective": objective, **named, **more})


def agent_file(folder: Path, stem: str, /, **fields: object) -> Path:
    """A profile; JSON strings, numbers and lists are TOML values."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{stem}.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items()))
    return file


def agent(home: Home, name: str, script: str, **fields: object) -> None:
    """An agent of the user that answers from a script."""
    model = home.script(script, f"{name}.toml")
    agent_file(home.indus / "agents", name, model=model, **fields)


def chain(home: Home, *calls: Call, **fields: object) -> str:
    """The model of a session that sends `middle`, which sends `leaf`, which makes these calls, one
    in each step."""
    agent(home, "leaf", "".join(answer("", call) for call in calls) + answer("Leaf."), **fields)
    agent(home, "middle", answer("", task("go on", "leaf")) + answer("Middle."))
    return home.script(answer("", task("begin", "middle")) + answer("Root."))


def sessions(home: Home) -> dict[str, list[dict[str, Any]]]:
    """The entries of each log, by what its session is: `root`, or the agent that worked there."""
    logs = {log.stem: home.entries(log=log) for log in home.logs()}
    names = {
        e["session"]: e.get("agent", "") for rows in logs.values() for e in of(rows, "delegate")
    }
    return {names.get(stem, "root"): rows for stem, rows in logs.items()}


def of(entries: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry["type"] == kind]


def outcomes(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(entry["tool"], entry["outcome"]) for entry in of(entries, "result")]


def told(entries: list[dict[str, Any]], tool: str = "task") -> str:
    """What the last result of a tool says to the model."""
    results = [entry for entry in of(entries, "result") if entry["tool"] == tool]
    return "".join(block["text"] for block in results[-1]["content"])
