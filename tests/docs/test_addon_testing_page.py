"""docs/addon-testing.md, played from top to bottom in one workspace."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec

from induscode.addons.trial.report import REPORT_FORMAT, Difference, HostCall, Outcome, Step
from induscode.addons.trial.report import TrialReport as Report
from induscode.addons.trial.samples import SAMPLE_CALLS, SAMPLE_PAYLOADS, SAMPLE_RESULT
from induscode.kernel.content import plain_text
from tests.cli.home import Home
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "addon-testing.md"
_VARIES = re.compile(r"(?<=session )[0-9a-z]{26}|(?<=entry )[0-9a-z]{8}|\d+\.\d(?= ms)")
BOUND = 60.0


def test_every_command_of_the_page_prints_what_the_page_says(tmp_path: Path) -> None:
    home = Home(tmp_path)
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = 0
    for block in blocks_of(PAGE):
        if block.file is not None:
            (home.work / block.file).write_text(block.text)
        elif block.info == "sh":
            done = subprocess.run(
                ["bash", "-ec", block.text],
                cwd=home.work,
                env=home.environ() | {"PATH": beside},
                capture_output=True,
                text=True,
                timeout=BOUND,
                check=False,
            )
            assert done.returncode == 0, f"line {block.line}: {done.stdout}{done.stderr}"
            assert _stable(done.stdout) == _stable(block.output or ""), f"line {block.line}"
            ran += 1
    assert ran == 3


def test_the_samples_of_the_page_are_the_ones_that_addons_get() -> None:
    shown = {
        block.info: json.loads(block.text) for block in blocks_of(PAGE) if "json" in block.info
    }

    assert shown["json samples"] == json.loads(msgspec.json.encode(dict(SAMPLE_PAYLOADS)))
    assert shown["json calls"] == dict(SAMPLE_CALLS)
    assert f"`{plain_text(SAMPLE_RESULT.content)}`" in PAGE.read_text()


def test_the_page_names_every_field_and_every_outcome() -> None:
    text = PAGE.read_text()
    fields = (field.name for kind in (Report, Step, Difference, HostCall) for field in _of(kind))
    for name in (*fields, *Outcome):
        assert f"`{name}`" in text, name
    assert f"| `format` | {REPORT_FORMAT} |" in text


def _of(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _stable(text: str) -> str:
    """Without what is never the same twice, and what this machine cannot keep a program from."""
    lines = [line for line in text.splitlines() if not line.startswith("note  ")]
    return _VARIES.sub("…", "\n".join(lines))
