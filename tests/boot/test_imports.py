"""Nothing is imported that is not used: start-up is what a person waits for first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements import requirement

HEAVY = {"mcp", "textual", "wasmtime", "dbos", "acp", "httpx", "pydantic", "anyio", "rich"}
SCRIPT = '[[answer]]\ntext = "Hello."\n'


def imported(code: str, tmp_path: Path, *words: str) -> set[str]:
    """The modules that a fresh interpreter has after `code`."""
    listing = tmp_path / "modules"
    told = f"{code}\nimport sys\nopen({str(listing)!r}, 'w').write('\\n'.join(sys.modules))"
    environ = {"PATH": os.environ["PATH"], "INDUS_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-c", told, *words],
        cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=True,
        timeout=30,
    )  # fmt: skip
    return set(listing.read_text().split())


def test_importing_the_package_imports_nothing_else(tmp_path: Path) -> None:
    bare = imported("", tmp_path)
    found = imported("import induscode", tmp_path)
    assert found - bare <= {"induscode", "induscode.version", "__future__"}


@requirement("cli.flag.help-version")
@pytest.mark.parametrize("flag", ["--version", "-v"])
def test_the_version_costs_no_more_than_itself(tmp_path: Path, flag: str) -> None:
    bare = imported("", tmp_path)
    code = "from induscode.entry import main; assert main() == 0"
    own = {"induscode", "induscode.version", "induscode.entry", "__future__"}
    assert imported(code, tmp_path, flag) - bare <= own


@requirement("invariant.heavy-imports-lazy")
def test_a_run_with_one_answer_imports_no_part_it_does_not_use(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCRIPT)
    code = "from induscode.entry import main; assert main() == 0"
    found = imported(code, tmp_path, "-p", "hi", "-m", "scripted/s.toml")
    roots = {name.partition(".")[0] for name in found}
    assert not roots & (HEAVY | {"readline", "jsonschema_rs"})
    house = {name for name in found if name.startswith("induscode.")}
    assert not {name for name in house if name.startswith("induscode.gateway.anthropic.provider")}
    for part in ("induscode.boot.talk", "induscode.boot.rpc", "induscode.sdk"):
        assert part not in house


def test_getting_ready_for_print_mode_imports_no_parser_and_no_network(tmp_path: Path) -> None:
    found = imported("import induscode.boot.runs", tmp_path)
    assert not found & {"tomllib", "readline", "h11", "textual", "jsonschema_rs"}
    assert "induscode.boot.talk" not in found
    assert "induscode.boot.rpc" not in found
