"""Commands, skills and rules that people keep, in a home and a workspace of a test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.home import BOUND, Home

SDK = """
import asyncio, sys
from induscode.sdk import Agent

async def main():
    async with Agent(model=sys.argv[1], cwd=".", mode="full") as agent:
        async for _ in agent.run(sys.argv[2]):
            pass

asyncio.run(main())
"""


def put(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def command(home: Home, name: str, body: str, **front: str) -> Path:
    """A command of the user."""
    return put(home.indus / "commands" / f"{name}.md", _headed(body, front))


def skill(home: Home, name: str, body: str, **front: str) -> Path:
    """A skill of the user."""
    known = {"name": name, "description": f"About {name}."} | front
    return put(home.indus / "skills" / name / "SKILL.md", _headed(body, known))


def _headed(body: str, front: dict[str, str]) -> str:
    lines = [f"{key.replace('_', '-')}: {value}\n" for key, value in front.items()]
    return f"---\n{''.join(lines)}---\n{body}\n" if front else f"{body}\n"


def typed(home: Home, mode: str, line: str, model: str) -> None:
    """What a person types, in one of the run modes."""
    match mode:
        case "print":
            ran = home.run("-p", line, "-m", model, "--mode", "full")
        case "json":
            ran = home.run("-p", line, "-m", model, "--mode", "full", "--json")
        case "plain":
            ran = home.run("--plain", "-m", model, "--mode", "full", stdin=f"{line}\n")
        case "rpc":
            asked: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "submit"}
            message = json.dumps({**asked, "params": {"text": line}})
            ran = home.run("--rpc", "-m", model, "--mode", "full", stdin=f"{message}\n")
        case _:
            subprocess.run(
                [sys.executable, "-c", SDK, model, line],
                cwd=home.work, env=home.environ(), check=True, timeout=BOUND,
            )  # fmt: skip
            return
    assert ran.code == 0, ran.out + ran.err


def said(home: Home) -> list[str]:
    return [entry["content"][0]["text"] for entry in home.entries("input")]


def place_of(home: Home, sentence: str) -> tuple[str, str, int]:
    """Who put a sentence in front of the model, and the file and line behind it."""
    found = home.run("why", "last", "--find", sentence, "--json")
    assert found.code == 0, found.out + found.err
    (finding,) = json.loads(found.out)
    return finding["piece"]["by"], finding["place"]["file"], finding["place"]["line"]
