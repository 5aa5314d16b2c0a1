"""The other pages: their commands run as written, their configuration is accepted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.boot.config import checked
from tests.docs_blocks import blocks_of
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_steps import say

DOCS = Path(__file__).parents[2] / "docs"
BOUND = 60.0


PAGES = ["providers.md", "local-model.md", "permissions.md", "features.md", "tools.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_runs(page: str, tmp_path: Path) -> None:
    lines = [
        line
        for block in blocks_of(DOCS / page)
        if block.info == "sh"
        for line in block.text.splitlines()
        if line.startswith("indus ")
    ]
    assert lines
    (tmp_path / "README.md").write_text("# Tides\n\nTides prints when the tide is high.\n")
    with OpenAIServer([say("yes")] * 9) as server:
        beside = str(Path(sys.executable).parent)
        env = {
            "PATH": os.pathsep.join([beside, os.environ["PATH"]]),
            "HOME": str(tmp_path),
            "INDUS_HOME": str(tmp_path / "home"),
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": server.base_url,
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }
        for line in lines:
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=tmp_path,
                env=env,
                input="a-key\n" if " login " in line else "",
                capture_output=True,
                text=True,
                timeout=BOUND,
                check=False,
            )
            good = done.returncode == 0 or line.startswith("indus doctor")
            assert good, f"{line}\n{done.stdout}{done.stderr}"


def test_every_piece_of_configuration_on_the_pages_is_accepted() -> None:
    pieces = [
        block
        for page in sorted(DOCS.glob("*.md"))
        for block in blocks_of(page)
        if block.info == "toml" and page.name == "providers.md"
    ]
    assert len(pieces) >= 3
    for piece in pieces:
        assert checked(piece.text, f"line {piece.line}")
