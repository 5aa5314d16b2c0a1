"""A whole run on each wire: tools, exact usage and cost, resume, fork, replay."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from tests.cli.home import Home
from tests.fakes import anthropic_steps, gemini_steps, openai_steps
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.gemini_server import GeminiServer
from tests.fakes.openai_server import OpenAIServer

STEPS = 20
PRICES = {"input": 2.0, "output": 8.0, "cache_read": 0.5, "cache_write": 2.5}


@dataclass(frozen=True)
class Wire:
    name: str
    server: Any
    steps: ModuleType
    version: str = ""

    def figures(self, number: int) -> dict[str, int]:
        """What the server counts for one answer, in the words of its fake."""
        counts = {"input": 1000 + 91 * number, "output": 20 + number}
        match self.name:
            case "anthropic":
                return {**counts, "cache_read": 70 * number, "cache_write": 7 * number}
            case "gemini":
                return {**counts, "cache_read": 70 * number}
            case _:
                return {**counts, "cached": 70 * number}

    def expected(self, number: int) -> dict[str, int]:
        """The same in ours: what came from a cache is not input."""
        told = {"cache_read": 0, "cache_write": 0, **self.figures(number)}
        cached = told.pop("cached", 0)
        told["input"] -= cached
        told["cache_read"] += cached
        return told


WIRES = [
    Wire("anthropic", AnthropicServer, anthropic_steps),
    Wire("openai-responses", OpenAIServer, openai_steps, "/v1"),
    Wire("openai-chat", OpenAIServer, openai_steps, "/v1"),
    Wire("gemini", GeminiServer, gemini_steps),
]


def total(rows: list[dict[str, int]]) -> dict[str, int]:
    keys = ("input", "output", "cache_read", "cache_write")
    return {key: sum(row[key] for row in rows) for key in keys}


def price(usage: dict[str, int]) -> float:
    return sum(usage[key] * PRICES[key] for key in usage) / 1_000_000


def logged(home: Home) -> list[dict[str, int]]:
    return [{k: r["usage"].get(k, 0) for k in total([])} for r in home.entries("response")]


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_a_run_of_twenty_steps_is_counted_exactly_also_after_resume_and_fork(
    home: Home, wire: Wire
) -> None:
    (home.work / "a.txt").write_text("one line\n")
    numbers = range(1, STEPS + 1)
    steps = [
        wire.steps.calls(("read", {"path": "a.txt"}), usage=wire.figures(n)) for n in numbers[:-1]
    ]
    steps.append(wire.steps.say("That is it.", usage=wire.figures(STEPS)))
    steps += [wire.steps.say(f"again {n}", usage=wire.figures(n)) for n in (40, 41)]
    with wire.server(steps) as server:
        fields = "\n".join(f"{name} = {value}" for name, value in PRICES.items())
        home.config(
            f'model = "house/m-1"\n[providers.house]\nwire = "{wire.name}"\n'
            f'base_url = "{server.url}{wire.version}"\napi_key_env = "ANTHROPIC_API_KEY"\n'
            f'[models."house/m-1"]\n{fields}\n'
        )
        first = home.run("-p", "read it twenty times", "--json").result
        second = home.run("-p", "again", "-c", "--json").result
        origin = home.logs()[-1]
        third = home.run("-p", "again", "--fork", "last", "--json").result

    one = total([wire.expected(n) for n in numbers])
    assert (first["exit"], first["text"], first["steps"]) == (0, "That is it.", STEPS)
    assert first["usage"] == one
    assert first["cost"] == pytest.approx(price(one), abs=1e-12)
    assert second["usage"] == total([wire.expected(40)])
    assert third["usage"] == total([wire.expected(41)])
    fork = home.logs()[-1]
    assert fork != origin
    rows = [wire.expected(n) for n in (*numbers, 40, 41)]
    assert total(logged(home)) == total(rows)
    costs = [entry["cost"] for entry in home.entries("response")]
    assert sum(costs) == pytest.approx(price(total(rows)), abs=1e-12)
    digests = [entry["body_sha256"] for entry in home.entries("request", fork)]
    assert digests == [hashlib.sha256(body).hexdigest() for body in server.bodies]
    for session in (origin.stem, fork.stem):
        assert home.run("replay", session).code == 0
