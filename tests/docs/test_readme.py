"""README's commands run as they are written, against a loopback provider."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.docs_blocks import blocks_of
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BOUND = 60.0


def _commands() -> list[str]:
    lines = [
        line
        for block in blocks_of(README)
        if block.info == "sh"
        for line in block.text.splitlines()
    ]
    return [line for line in lines if ".venv/bin/indus" in line]


def test_the_first_block_shows_the_two_commands_that_do_everything() -> None:
    first = next(block for block in blocks_of(README) if block.info == "sh")
    assert [line.split("#")[0].strip() for line in first.text.splitlines()] == [
        "make demo",
        "make test",
    ]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test", "bench", "torture"} <= set(targets)
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_every_command_of_readme_runs(tmp_path: Path) -> None:
    commands = _commands()
    assert len(commands) >= 8
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parent.parent)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with AnthropicServer([say("be concise")] * len(commands)) as server:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "INDUS_HOME": str(tmp_path / "home"),
            "ANTHROPIC_API_KEY": "key",
            "ANTHROPIC_BASE_URL": server.url,
        }
        for command in commands:
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command],
                cwd=tmp_path,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=BOUND,
                check=False,
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_every_link_of_the_pages_leads_somewhere() -> None:
    pages = [README, ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
