"""The house, read from its sources: who may import whom, and the one way to a request."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import induscode
from tests.requirements import requirement

HOUSE = Path(induscode.__file__).parent
ROOT = Path(__file__).resolve().parents[1]
SAMPLE = HOUSE / "boot" / "tour" / "project"  # a thing to mend, no part of the program
BOTTOM = {"errors", "version"}  # `version` is one constant, and imports as little as `errors`
LOWER = ("session", "gateway", "policy", "briefing")
IMPLEMENTATIONS = {"gateway", "tools", "channels", "console", "viewer", "checkpoint", "interop"}


def sources(folder: Path = HOUSE) -> dict[str, ast.Module]:
    """Every module of ours by its path from the house's root."""
    return {
        file.relative_to(HOUSE).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
        for file in sorted(folder.rglob("*.py"))
        if not file.is_relative_to(SAMPLE)
    }


TREES = sources()


def imported(tree: ast.AST) -> Iterator[str]:
    """Full names, at the top or inside functions, and those given to `import_module`."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(name), level=0):
                yield from (f"{name}.{alias.name}" for alias in node.names)
            case ast.ImportFrom():
                raise AssertionError("imports are absolute here")
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(name))]):
                yield name
            case ast.Call(
                func=ast.Name(id="import_module"),
                args=[ast.JoinedStr(values=[ast.Constant(value=str(name)), *_])],
            ):
                yield name
            case _:
                continue


def parts_used_by(part: str) -> set[str]:
    """The other parts of the house that a package or a module at the top imports."""
    found: set[str] = set()
    for name, tree in TREES.items():
        if name.partition("/")[0].removesuffix(".py") != part:
            continue
        ours = (each.split(".") for each in imported(tree) if each.startswith("induscode."))
        found |= {names[1] for names in ours}
    return found - {part}


PARTS = {name.partition("/")[0].removesuffix(".py") for name in TREES}


@requirement("invariant.imports-one-way")
def test_the_lower_layers_import_only_what_stands_below_them() -> None:
    for part in BOTTOM:
        assert parts_used_by(part) == set()
    assert parts_used_by("kernel") <= BOTTOM
    for part in LOWER:
        assert parts_used_by(part) <= {"kernel", *BOTTOM}, part


@requirement("invariant.imports-one-way")
def test_only_boot_knows_the_implementations() -> None:
    assert parts_used_by("boot") >= {"gateway", "tools", "channels"}
    known = {
        "addons": {"tools"},  # the keeper, which ends what a program leaves
        "capability_deck": {"gateway", "tools"},
        "interop": {"tools"},  # the keeper, too
        "tools": {"gateway"},
    }
    for part in sorted(PARTS - {"boot"} - IMPLEMENTATIONS):
        assert parts_used_by(part) & IMPLEMENTATIONS <= known.get(part, set()), part
    for part in sorted(PARTS & IMPLEMENTATIONS):
        assert parts_used_by(part) & IMPLEMENTATIONS <= known.get(part, set()), part


@requirement("invariant.imports-one-way")
def test_the_tools_know_of_the_gateway_how_bytes_travel_and_nothing_of_models() -> None:
    plumbing = {
        "endpoint", "faults", "inflate", "line", "proxy", "reply", "route", "single", "tls", "watch"
    }  # fmt: skip
    for part in ("tools", "capability_deck"):
        used = {
            name.split(".")[2]
            for file, tree in TREES.items()
            if file.startswith(f"{part}/")
            for name in imported(tree)
            if name.startswith("induscode.gateway.")
        }
        assert used <= plumbing


@requirement("invariant.imports-one-way")
def test_the_linter_holds_every_layer_and_is_part_of_the_gates() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "--no-logo", "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 kept, 0 broken" in done.stdout
    asked = subprocess.run(
        ["make", "--dry-run", "--assume-old=setup", "check"],
        cwd=ROOT, capture_output=True, text=True, timeout=50, check=True,
    )  # fmt: skip
    assert "lint-imports" in asked.stdout


# The one way to a request


def places(calling: str) -> set[str]:
    """The modules that call something of this name, `Name(...)` or `x.name(...)`."""
    found: set[str] = set()
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
                    if called == calling:
                        found.add(name)
                case _:
                    continue
    return found


def using(module: str) -> set[str]:
    """The modules that import this one, or something of it."""
    return {
        name
        for name, tree in TREES.items()
        if any(each == module or each.startswith(f"{module}.") for each in imported(tree))
    }


@requirement("invariant.01.one-way-to-a-request")
def test_only_projection_makes_a_request_and_only_an_encoder_makes_a_body_of_it() -> None:
    assert places("NeutralRequest") == {"session/projection.py"}
    released = {name for name in TREES if re.fullmatch(r"gateway/\w+/encoder\.py", name)}
    assert "gateway/encoding.py" in places("Body") <= {"gateway/encoding.py", *released}
    subclasses = {
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "FoldEncoder" for base in node.bases)
    }
    assert subclasses <= released


@requirement("invariant.01.one-way-to-a-request")
def test_a_body_is_sent_by_the_exchange_alone_right_after_it_was_recorded() -> None:
    callers = {name for name in places("exchange") if not name.startswith("gateway/")}
    assert callers == {"conductor/exchange.py"}
    assert places("post") == {"gateway/http_provider.py"}
    ask = next(
        node
        for node in ast.walk(TREES["conductor/exchange.py"])
        if isinstance(node, ast.AsyncFunctionDef) and node.name == "ask"
    )
    steps = [
        node.func.attr
        for node in ast.walk(ast.Module([*ask.body], []))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert [s for s in steps if s in {"request", "encode", "write", "_dispatch"}] == [
        "request", "encode", "write", "_dispatch",
    ]  # fmt: skip


@requirement("invariant.01.one-way-to-a-request")
@pytest.mark.parametrize(
    "library", ["h11", "http.client", "urllib.request", "httpx", "httpx2", "requests", "aiohttp"]
)
def test_nothing_but_the_gateway_speaks_http(library: str) -> None:
    others = {name for name in using(library) if not name.startswith("gateway/")}
    if library == "httpx2":
        # The MCP SDK speaks with it, to servers and to their issuers; no model is behind it.
        logins = {name for name in others if name.startswith("interop/oauth/")}
        others -= {"interop/remote.py", "interop/bounded.py", *logins}
    assert others == set()


def test_what_the_mcp_sdk_speaks_with_is_made_in_two_places() -> None:
    assert places("AsyncClient") == {"interop/remote.py", "interop/oauth/wire.py"}


# The one way into a session


@requirement("invariant.05.one-registry")
def test_nothing_but_the_registry_takes_what_is_contributed_and_nothing_else_makes_tools() -> None:
    for kind in ("DraftTool", "DraftHook", "DraftTask", "DraftCommand", "DraftFragment"):
        assert places(kind) == {"feature/hosting/draft.py"}, kind
    assert places("FeatureRegistry") <= {"feature/hosting/installed.py", "feature/registry.py"}
    assert places("BoundTool") == {"boot/binding.py"}
    assert places("bound_tools") == {"boot/features.py"}


@requirement("turn.epoch-causes")
def test_a_prefix_is_recorded_at_an_epoch_alone_and_epochs_begin_for_these_causes() -> None:
    for entry in ("Toolset", "Bridge", "Install", "ModelChoice"):
        assert places(entry) == {"conductor/epoch.py"}, entry
    assert places("begin_epoch") == {"conductor/epochs.py"}
    begins = ("_turn", "_run", "_open_epoch", "_begin_epoch")
    turn = TREES["conductor/turn.py"]
    causes = {
        node.args[0].value if isinstance(node.args[0], ast.Constant) else "what was given"
        for node in ast.walk(turn)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in begins
    }
    listed = {"start", "input", "resume", "compaction", "tools"}
    assert causes == {*listed, "what was given"}


@requirement("invariant.10.one-gate-function")
def test_one_function_decides_and_whoever_wants_something_done_comes_to_it() -> None:
    assert places("decide") == {
        "boot/permission.py",  # for a session
        "boot/verdicts.py",  # for somebody who asks what it would say
        "boot/checkpoints.py",  # whether a command only reads: what plan mode would allow
    }
    assert {name for name in places("judge") if not name.startswith("capability_deck/")} == {
        "conductor/consent.py",  # what is called as a tool, by any model or delegate
        "conductor/feature_exec.py",  # what commands, hooks, tasks and tools of features have run
    }


@requirement("invariant.indus-addon-imports-nothing")
def test_what_addon_authors_get_imports_the_standard_library_and_nothing_else() -> None:
    files = sorted((HOUSE.parent / "indus_addon").rglob("*.py"))
    assert files
    for file in files:
        names = {name.split(".")[0] for name in imported(ast.parse(file.read_text()))}
        assert names <= {*sys.stdlib_module_names, "indus_addon"}, file.name
