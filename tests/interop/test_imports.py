"""The SDK costs a second: only the fleet imports it, and only where there is one."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "induscode"
HEAVY = {"mcp", "mcp_types", "pydantic", "anyio", "httpx2"}
LIGHT = (
    "child", "faults", "fleet", "ground", "launching", "limits", "member", "offers", "opening",
    "standing", "watch",
)  # fmt: skip


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Import(names=names):
                found |= {each.name.partition(".")[0] for each in names}
            case ast.ImportFrom(module=str(module)):
                found.add(module.partition(".")[0])
    return found


def test_nothing_but_the_fleet_imports_the_sdk() -> None:
    others = [path for path in SOURCE.rglob("*.py") if "interop" not in path.parts]
    assert {str(path) for path in others if imported(path) & HEAVY} == set()


@pytest.mark.parametrize("name", LIGHT)
def test_what_only_describes_servers_is_light(name: str) -> None:
    code = f"import induscode.interop.{name}, sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {each.partition(".")[0] for each in ran.stdout.split()} & HEAVY


def test_what_the_sdk_logs_is_not_printed() -> None:
    code = (
        "import logging, induscode.interop.connection, mcp.client.session as session;"
        "logging.getLogger('mcp.client.stdio').error('noise');"
        "session.logger.error('noise')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
