"""What `grep` and `find` cost against ripgrep itself, on a tree of 20,000 files."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bench.measure import Cost, interleaved
from bench.report import Row
from induscode.boot.permission import SessionPermission
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import AgentTool, ToolContext
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.rules import Effect, parse_rule
from induscode.policy.verdict import Layer
from induscode.tools.guarded import GuardedFilesystem
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.search.ripgrep import program
from tests.decks import bound

__all__ = ["measure_search"]

_FILES = 20_000
_BUDGET = 1.3
_SAME_JOB = ("--no-config", "--hidden", "--glob=!.git")
"""What both look at: hidden files too, but not git's own."""
_CASES: tuple[tuple[str, str, dict[str, Any], tuple[str, ...]], ...] = (
    ("grep, 80 matches", "grep", {"pattern": "the needle"}, ("-n", "the needle")),
    ("grep, no match", "grep", {"pattern": "nowhere at all"}, ("-n", "nowhere at all")),
    ("grep, files", "grep", {"pattern": "the needle", "mode": "files"}, ("-l", "the needle")),
    ("grep, counts", "grep", {"pattern": "the needle", "mode": "count"}, ("-c", "the needle")),
    ("find, a name", "find", {"query": "file_01234"}, ("--files",)),
    ("find, a glob", "find", {"query": "*.py"}, ("--files", "-t", "python")),
    ("find, the whole tree", "find", {"query": "*"}, ("--files",)),
)


def measure_search(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(os.path.realpath(folder))
        _write(tree)
        return [_row(tree, rounds, *case) for case in _CASES]


def _row(
    tree: Path,
    rounds: int,
    name: str,
    tool: str,
    arguments: Mapping[str, Any],
    words: tuple[str, ...],
) -> Row:
    deny = parse_rule("read(**/.env)", effect=Effect.DENY, layer=Layer.USER)
    permission = SessionPermission(Policy(Mode.ASK, tree, (deny,)))
    known = bound(tool, tree)
    reach = partial(permission.reaches, permission.view(known, arguments))
    context = ToolContext(
        cwd=tree,
        fs=GuardedFilesystem(LocalFilesystem(), reach),
        shell=LocalShell(tree, environ={}),
        cancel=CancelToken(),
        progress=lambda _: None,
        spill=lambda name, _: tree / name,
    )
    with asyncio.Runner() as runner:
        floor, ours = interleaved(
            rounds,
            lambda: _bare(tree, words),
            lambda: runner.run(_called(known.tool, arguments, context)),
        )
    return Row(name, "rg", ours.wall * 1000, floor.wall * 1000, _BUDGET, "ms")


def _bare(tree: Path, words: tuple[str, ...]) -> Cost:
    started = time.perf_counter()
    subprocess.run(
        [program(), *_SAME_JOB, *words],
        cwd=tree,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Cost(time.perf_counter() - started, 0.0, 0.0)


async def _called(tool: AgentTool, arguments: Mapping[str, Any], context: ToolContext) -> Cost:
    started = time.perf_counter()
    result = await tool.execute(arguments, context)
    cost = Cost(time.perf_counter() - started, 0.0, 0.0)
    if result.is_error:
        raise SystemExit(f"{tool.name} failed: {result.content}")
    return cost


def _write(tree: Path) -> None:
    """Text of about the shape of sources: 60 lines a file, one file in 250 with the needle."""
    chance = random.Random(20_000)
    words = [f"word{number}" for number in range(3_000)]
    lines = [f"    {' '.join(chance.choices(words, k=8))}\n" for _ in range(2_000)]
    for number in range(_FILES):
        part = number // 50
        folder = tree / f"package{part % 20:02}" / f"module{part // 20:02}"
        if number % 50 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        text = "".join(chance.choices(lines, k=60))
        if number % 250 == 0:
            text += "here is the needle\n"
        suffix = ("py", "ts", "md", "json")[number % 4]
        (folder / f"file_{number:05}.{suffix}").write_text(text)
