"""What addons cost: where none listens, around a call in each tier, and at the start of a session.

The programs of tier 1 and 2 are the ones of `examples/addons`. A round trip is measured as the
conductor makes it: through the grant, the deadline and the check of the answer.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.measure import Cost, interleaved, run
from bench.report import Row
from induscode.addons import EventDispatcher, HookEvent, InputPayload
from induscode.boot.invocation import Invocation
from induscode.boot.listing import features_here
from induscode.boot.surroundings import surroundings
from induscode.conductor.hooks import ToolHook, ToolView
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say

__all__ = ["measure_addons"]

_INDUS = str(Path(sys.executable).parent / "indus")
_EXAMPLES = Path(__file__).parent.parent / "examples" / "addons"
_MANY = 20
_CALLS = 50
_SERIES = 60
_EVENTS = 5_000
_TIERS = (
    ("a gate of tier 0", None, "gate", None),
    ("a gate of tier 1", "safety/safety.py", "safety", 1.0),
    ("a gate of tier 2", "wasm/guard.wasm", "guard", 0.3),
)
_GATE = """
id = "NAME"
[[gate]]
event = "tool:before"
match-tool = "bash"
reason = "not here"
"""
_VIEW = ToolView("call", "bash", {"command": "git status --short"})


def measure_addons(rounds: int) -> list[Row]:
    return [_unheard(), *(_around(*tier) for tier in _TIERS), _program(rounds), _start(rounds)]


def _unheard() -> Row:
    dispatcher = EventDispatcher(())
    payload = InputPayload("hello")

    async def nothing(event: HookEvent, payload: InputPayload) -> None:
        del event, payload

    ours = _each(lambda: dispatcher.dispatch(HookEvent.INPUT_SUBMIT, payload), _EVENTS)
    bare = _each(lambda: nothing(HookEvent.INPUT_SUBMIT, payload), _EVENTS)
    return Row("an event that nobody hears", "an empty coroutine", ours, bare, None, "ms")


def _around(name: str, source: str | None, addon: str, limit: float | None) -> Row:
    """The least of several series: what it takes when nothing else happens."""
    with tempfile.TemporaryDirectory() as folder:
        home = _home(Path(folder))
        _installed(home, _EXAMPLES / source if source else _manifest(home, addon))
        ours = asyncio.run(_heard(home, addon))
    bare = _each(_bare, _CALLS)
    bound = None if limit is None else (ours, limit, "ms a call")
    return Row(name, "a task that is awaited", ours, bare, None, "ms", limit=bound)


async def _bare() -> None:
    await asyncio.ensure_future(_nothing())


async def _nothing() -> None:
    """All that is left of a call when nobody is asked."""


async def _heard(home: Path, addon: str) -> float:
    environ = {**os.environ, "INDUS_HOME": str(home), "HOME": str(home)}
    features = features_here(surroundings(Invocation(cwd=str(home / "work")), environ))
    [gate] = [hook for hook in features.hooks.tool if hook.by.endswith(addon)][:1]
    try:
        return min([await _series(gate) for _ in range(_SERIES)])
    finally:
        await features.close()


async def _series(gate: ToolHook) -> float:
    await gate.enter(_VIEW)
    begun = time.perf_counter()
    for _ in range(_CALLS):
        await gate.enter(_VIEW)
    return (time.perf_counter() - begun) / _CALLS * 1000


def _each(work: Callable[[], Awaitable[object]], count: int) -> float:
    async def series() -> float:
        begun = time.perf_counter()
        for _ in range(count):
            await work()
        return (time.perf_counter() - begun) / count * 1000

    return min(asyncio.run(series()) for _ in range(_SERIES))


def _program(rounds: int) -> Row:
    """A Python addon from its start until it is ready to be asked; nobody asks, so it ends."""
    python = [sys.executable, "-B"]
    bare, ours = interleaved(
        rounds,
        lambda: run([*python, "-c", "pass"], cwd=_EXAMPLES, env=os.environ),
        lambda: run([*python, str(_EXAMPLES / "safety/safety.py")], cwd=_EXAMPLES, env=os.environ),
    )
    over = ((ours.wall - bare.wall) * 1000, 60.0, "ms over it")
    name = "a Python addon starts, wall"
    return Row(name, "bare interpreter", ours.wall, bare.wall, None, "s", limit=over)


def _start(rounds: int) -> Row:
    """One answer with twenty addons installed, against the same with none."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        without, with_many = _home(root / "none"), _home(root / "many")
        for number in range(_MANY):
            _installed(with_many, _copied(root, number))
        with AnthropicServer([say("Hello.")] * rounds * 2) as server:
            none, many = interleaved(
                rounds,
                lambda: _answer(without, server.url),
                lambda: _answer(with_many, server.url),
            )
    name = f"start with {_MANY} addons, wall"
    return Row(name, "start with none", many.wall, none.wall, 1.5, "s")


def _copied(root: Path, number: int) -> Path:
    """A third each of manifests, programs and components."""
    source = (None, _EXAMPLES / "safety/safety.py", _EXAMPLES / "wasm/guard.wasm")[number % 3]
    if source is None:
        return _manifest(root, f"addon{number}")
    place = root / f"addon{number}{source.suffix}"
    place.write_bytes(source.read_bytes().replace(b'"safety"', f'"addon{number}"'.encode()))
    return place


def _manifest(root: Path, name: str) -> Path:
    (root / name).mkdir()
    (root / name / "manifest.toml").write_text(_GATE.replace("NAME", name))
    return root / name


def _home(place: Path) -> Path:
    (place / "work").mkdir(parents=True)
    return place


def _environ(home: Path, url: str = "") -> dict[str, str]:
    return dict(os.environ) | {
        "INDUS_HOME": str(home),
        "HOME": str(home),
        "ANTHROPIC_API_KEY": "bench",
        "ANTHROPIC_BASE_URL": url,
    }


def _installed(home: Path, addon: Path) -> None:
    subprocess.run(
        [_INDUS, "addon", "install", str(addon), "--yes"],
        cwd=home / "work",
        env=_environ(home),
        check=True,
        capture_output=True,
    )


def _answer(home: Path, url: str) -> Cost:
    words = ["-p", "hello", "-m", "anthropic/claude-sonnet-4-5"]
    return run([_INDUS, *words], cwd=home / "work", env=_environ(home, url))
