"""A trusted workspace with all that people keep for a prompt, and the requests made in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.home import BOUND, Home
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, say

MODEL = "anthropic/claude-sonnet-4-5"
SDK = """
import asyncio, sys
from induscode.sdk import Agent

async def main():
    async with Agent(model=sys.argv[1], cwd=".") as agent:
        async for _ in agent.run("hi"):
            pass

asyncio.run(main())
"""
RPC = [
    {"method": "submit", "params": {"text": "hi"}},
]


class Kept:
    """`sentences` are what must be in front of the model, with the file and line behind each, and
    the importer."""

    def __init__(self, home: Home) -> None:
        self.home = home
        work = home.work
        self.put("AGENTS.md", "# House\n\nPrefer tabs, says the house.\nMore in @docs/style.md\n")
        self.put("docs/style.md", "\n\nNames are nouns, says the style.\n")
        self.put(
            ".indus/skills/ship-it/SKILL.md",
            "---\nname: ship-it\ndescription: Ships what is ready.\n---\nRun the ship script.\n",
        )
        self.put(
            ".indus/agents/scout.toml", 'description = "Looks around for you."\nmax_steps = 2\n'
        )
        self.put(".claude/rules/always.md", "Rules are rules.\n")
        home_file = home.root / "CLAUDE.md"
        home_file.write_text("Call the user Ada.\n")
        self.sentences = {
            "Prefer tabs, says the house.": (work / "AGENTS.md", 3, ""),
            "Names are nouns, says the style.": (
                work / "docs/style.md",
                3,
                f"{work / 'AGENTS.md'}:4",
            ),
            "Ships what is ready.": (work / ".indus/skills/ship-it/SKILL.md", 3, ""),
            "Looks around for you.": (work / ".indus/agents/scout.toml", 1, ""),
            "Rules are rules.": (work / ".claude/rules/always.md", 1, ""),
            "Call the user Ada.": (home_file, 1, ""),
        }

    def put(self, name: str, text: str) -> Path:
        file = self.home.work / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def trust(self) -> None:
        granted = self.home.run("trust", "grant")
        assert granted.code == 0, granted.err + granted.out

    def asked(self, mode: str) -> str:
        """The system prompt of the last request that a run in this mode makes."""
        steps = [say("ok")]
        if mode == "delegate":
            steps = [call("task", objective="look", agent="scout"), say("seen"), say("ok")]
        with AnthropicServer(steps) as server:
            self.home.url = server.url
            self._run(mode)
        request = server.requests[1 if mode == "delegate" else -1]
        return prompt_of(request.json)

    def _run(self, mode: str) -> None:
        match mode:
            case "print" | "delegate":
                ran = self.home.run("-p", "hi", "-m", MODEL)
                assert ran.code == 0, ran.err
            case "json":
                ran = self.home.run("-p", "hi", "-m", MODEL, "--json")
                assert ran.code == 0, ran.err
            case "plain":
                ran = self.home.run("--plain", "-m", MODEL, stdin="hi\n")
                assert ran.code == 0, ran.err
            case "rpc":
                lines = [
                    json.dumps({"jsonrpc": "2.0", "id": number, **message})
                    for number, message in enumerate(RPC)
                ]
                ran = self.home.run("--rpc", "-m", MODEL, stdin="\n".join(lines) + "\n")
                assert '"exit":0' in ran.out.replace(" ", ""), ran.out + ran.err
            case _:
                subprocess.run(
                    [sys.executable, "-c", SDK, MODEL],
                    cwd=self.home.work,
                    env=self.home.environ(),
                    check=True,
                    timeout=BOUND,
                )

    def why(self, sentence: str) -> list[dict[str, Any]]:
        found = self.home.run("why", "last", "--find", sentence, "--json")
        assert found.code == 0, found.out + found.err
        return json.loads(found.out)


def prompt_of(body: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in body["system"])
