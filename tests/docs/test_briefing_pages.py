"""The pages about the briefing and about commands: what they show works, their numbers are true."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from induscode.boot.briefing_settings import BriefingSettings
from induscode.briefing import BRIEFING_SECTION_IDS, MacroOrigin, compose_briefing, read_macro_file
from induscode.briefing.context_docs import (
    CANDIDATE_FILES,
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_BYTES_PER_DOC,
    DEFAULT_MAX_IMPORT_DEPTH,
)
from induscode.briefing.files import DiskFiles
from induscode.briefing.rules import load_rules
from induscode.briefing.skill_listing import LISTING_CHARACTERS
from tests.briefing.compose.inputs import WHOLE
from tests.cli.home import Home, answer
from tests.docs_blocks import blocks_of, run_page

DOCS = Path(__file__).parents[2] / "docs"
BRIEFING, COMMANDS = DOCS / "briefing.md", DOCS / "commands.md"


@pytest.mark.parametrize("page", [BRIEFING, COMMANDS], ids=["briefing", "commands"])
def test_every_command_of_the_page_runs_in_order(page: Path, tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.config(f'model = "{home.script(answer("Yes.") * 3)}"\n')
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    lines = [
        line for block in blocks_of(page) if block.info == "sh" for line in block.text.splitlines()
    ]
    assert len(lines) >= 4
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=home.work,
            env=home.environ() | {"PATH": beside},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    if page is COMMANDS:
        said = home.entries("input")[0]["content"][0]["text"]
        assert said == "Explain README.md to a new colleague, in three sentences."
        assert f"{home.work}/.indus/commands/explain.md:1" in done.stdout


def test_the_python_of_the_page_runs(tmp_path: Path) -> None:
    run_page(BRIEFING, tmp_path)


def test_the_settings_of_the_page_are_accepted_and_are_the_defaults() -> None:
    (block,) = [block for block in blocks_of(BRIEFING) if block.info == "toml"]
    table = tomllib.loads(block.text)["briefing"]
    settings = msgspec.convert(table, BriefingSettings)
    assert set(table) == {field.name for field in msgspec.structs.fields(BriefingSettings)}
    assert settings.max_bytes_per_doc == DEFAULT_MAX_BYTES_PER_DOC
    assert settings.max_bytes == DEFAULT_MAX_BYTES
    assert settings.max_import_depth == DEFAULT_MAX_IMPORT_DEPTH
    assert settings.max_skills_characters == LISTING_CHARACTERS


def test_the_names_and_numbers_of_the_page_are_the_ones_in_force() -> None:
    text = BRIEFING.read_text()
    assert ", ".join(f"`{name}`" for name in CANDIDATE_FILES) in text
    assert f"followed {DEFAULT_MAX_IMPORT_DEPTH} deep" in text
    assert (
        f"{DEFAULT_MAX_BYTES_PER_DOC:,} bytes are told, of all together {DEFAULT_MAX_BYTES:,}"
        in text
    )
    headings = [line for line in compose_briefing(WHOLE).splitlines() if line.startswith("# ")]
    rows = [line.split("|")[1].strip(" `") for line in text.splitlines() if line.startswith("| ")]
    assert [row for row in rows if row.startswith("# ")] == headings
    assert rows.index("role") < rows.index("footer")
    assert len(rows) - 2 == len(BRIEFING_SECTION_IDS)


def test_the_rule_and_the_command_of_the_pages_are_read_as_they_say(tmp_path: Path) -> None:
    (rule,) = [block.text for block in blocks_of(BRIEFING) if block.info == "md"]
    (tmp_path / "rule.md").write_text(rule)
    (read,) = load_rules([tmp_path], DiskFiles(), tmp_path, tmp_path).rules
    assert read.globs == ("src/**/*.py",)
    (command,) = [block.text for block in blocks_of(COMMANDS) if block.info == "md"]
    (tmp_path / "review.md").write_text(command)
    macro = read_macro_file(tmp_path / "review.md", MacroOrigin.PROJECT, "(project)")
    assert macro.allowed_tools == ("Read", "Grep", "Bash(git diff *)")
    assert (macro.hint, macro.description) == ("[focus]", "Review what is staged (project)")
