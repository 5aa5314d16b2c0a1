"""A few scenarios of the suite, one of each sort; `make conformance` runs them all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interop.conformance.page import page, suite_version
from tests.interop.conformance.scenarios import NOT_OURS, Run, runs
from tests.interop.conformance.suite import HERE, Result, Suite
from tests.interop.npm import install

PAGE = Path(__file__).parents[3] / "docs" / "mcp-conformance.md"
LOCKED = [HERE, HERE.with_name("servers")]
FEW = [
    Run("initialize", "2025-11-25"),
    Run("elicitation-sep1034-client-defaults", "2025-11-25"),
    Run("http-custom-headers", "2026-07-28"),
    Run("sep-2322-client-request-state", "2026-07-28"),
    Run("auth/metadata-default", "2026-07-28"),
]


@pytest.mark.parametrize("run", FEW, ids=[each.scenario for each in FEW])
def test_a_scenario_passes(run: Run) -> None:
    try:
        suite = Suite(fetch=False)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    result = suite.result(run)
    assert result.faults == ()
    assert result.passed == result.checks > 0


def test_each_scenario_is_run_in_both_eras_or_has_a_reason_not_to_be() -> None:
    rows = "".join(f"  - {name} [extension]\n" for name in NOT_OURS)
    listed = (
        f"Client scenarios:\n{rows}  - a [2025-06-18,2025-11-25,2026-07-28]\n  - b [2025-03-26]\n"
    )
    assert runs(listed) == [
        Run("a", "2025-11-25"),
        Run("a", "2026-07-28"),
        Run("b", "2025-03-26"),
    ]
    with pytest.raises(ValueError, match="auth/dpop"):
        runs("  - a [2025-11-25]\n")


def test_the_page_is_about_the_version_and_the_scenarios_that_are_used() -> None:
    text = PAGE.read_text()
    assert f"Version {suite_version()} of the suite" in text
    assert "**failed**" not in text
    _, _, skipped = page([]).partition("## Not about us")
    assert text.endswith(f"## Not about us{skipped}"), "run: make conformance PAGE=1"


def test_a_fault_and_a_remark_are_seen_on_the_page() -> None:
    told = page(
        [
            Result(Run("good", "2025-11-25"), 3, 3),
            Result(Run("bad", "2026-07-28"), 1, 3, faults=("x: wrong",), remarks=("y: odd",)),
        ]
    )
    assert "1 of 2 runs passed" in told
    assert "| `good` | 3 |  |\n" in told
    assert "| `bad` |  | **failed**, 1 of 3 |\n\n- `bad`: y: odd\n\n## Not about us" in told


@pytest.mark.parametrize("folder", LOCKED, ids=[each.name for each in LOCKED])
def test_what_comes_from_npm_is_pinned_by_its_bytes_and_by_no_address(folder: Path) -> None:
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert packages.pop("")["dependencies"] == wanted
    for name, version in wanted.items():
        assert packages[f"node_modules/{name}"]["version"] == version
    for name, locked in packages.items():
        assert locked["integrity"].startswith("sha512-"), name
        assert "resolved" not in locked, name


def test_without_a_network_it_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_noproxy", "127.0.0.1")
    assert install(HERE, tmp_path / "into") == "npm error code ECONNREFUSED"
    assert not (tmp_path / "into" / ".installed").exists()
