"""Pages whose code blocks run: `run_page(docs / "sdk.md", folder)`.

A fence whose info string ends in `file=NAME` is written to that file of the folder first. Each
fence that begins with `python` then runs, in order, as a program of its own in that folder, with
`indus` on its path and a home of its own; `await` may stand at its top level, as the pages show
it. A `text output` fence right after one must be exactly what it printed. Any other fence is only
read.
"""

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Block", "blocks_of", "run_page"]

BOUND = 30.0
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_RUN = """
import ast, asyncio, inspect, sys
source = open(sys.argv[1], encoding="utf-8").read()
code = compile(source, sys.argv[2], "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
outcome = eval(code, {"__name__": "__main__"})
if inspect.iscoroutine(outcome):
    async def main():
        await outcome
    asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Block:
    """`output` is what a following `text output` fence promises, None when there is none."""

    info: str
    text: str
    line: int
    output: str | None = None

    @property
    def file(self) -> str | None:
        found = re.search(r"\bfile=(\S+)", self.info)
        return found[1] if found else None

    @property
    def runs(self) -> bool:
        return self.info.split()[:1] == ["python"] and self.file is None


def blocks_of(page: Path) -> list[Block]:
    source = page.read_text(encoding="utf-8")
    found: list[Block] = []
    for match in _FENCE.finditer(source):
        info, text = match["info"].strip(), match["text"]
        if info == "text output":
            last = found.pop()
            found.append(Block(last.info, last.text, last.line, text))
        else:
            found.append(Block(info, text, source.count("\n", 0, match.start()) + 1))
    return found


def run_page(page: Path, folder: Path) -> int:
    """Run every Python block of the page; returns how many there were."""
    work, home = folder / "work", folder / "home"
    work.mkdir()
    home.mkdir()
    blocks = blocks_of(page)
    for block in blocks:
        if block.file is not None:
            (work / block.file).parent.mkdir(parents=True, exist_ok=True)
            (work / block.file).write_text(block.text, encoding="utf-8")
    running = [block for block in blocks if block.runs]
    for block in running:
        _run(block, f"{page.name}:{block.line}", work, home)
    return len(running)


def _run(block: Block, name: str, work: Path, home: Path) -> None:
    ast.parse(block.text, filename=name)
    program = home / "block.py"
    program.write_text(block.text, encoding="utf-8")
    beside = str(Path(sys.executable).parent)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _RUN, str(program), name],
        cwd=work,
        env={
            "PATH": os.pathsep.join([beside, os.environ.get("PATH", "")]),
            "HOME": str(home),
            "INDUS_HOME": str(home),
            "LANG": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == 0, f"{name} failed:\n{done.stderr}\n{done.stdout}"
    if block.output is not None:
        assert done.stdout == block.output, f"{name} printed:\n{done.stdout}"
