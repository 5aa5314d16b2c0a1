"""A host emits features: what it shows is a view of their registry, and a session takes them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import induscode.addons
from induscode.addons.contract import (
    AddonApi,
    AddonDiscovery,
    AddonFault,
    AddonId,
    AnyTool,
    CommandContext,
    Continue,
    ExecOutcome,
    FrameworkHandles,
    HookEvent,
    NamedTool,
    RewriteResult,
    ToolExitContext,
    ToolPayload,
)
from induscode.addons.host import AddonHostDeps, AddonRegistry, create_addon_host
from induscode.addons.package import package_at
from induscode.feature.capability import (
    CapabilityRequest,
    ContributeCommand,
    ContributeHook,
    ContributeTool,
    EmitAlert,
    ScopedFs,
)
from induscode.feature.points import HookPoint
from induscode.kernel.tool import ToolResult
from tests.addons.library.parts import Echo, addon, gate, host_of
from tests.addons.library.test_discovery import put
from tests.addons.library.test_host import go_on, nothing, paths, told
from tests.addons.library.test_manifest import SAFETY
from tests.channels.place import Place
from tests.features.hosting import TestHost
from tests.features.modules import report_of
from tests.features.sessions import entries, ran
from tests.requirements import requirement


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def full(api: AddonApi) -> None:
    api.on(HookEvent.TOOL_BEFORE, gate(stop=False))
    api.intercept_tool(NamedTool("bash"), go_on)
    api.add_command(f"{api.id}-command", "says nothing", nothing)
    api.add_tool(Echo(f"{api.id}_tool"))


@requirement("addons.host.registry-view")
async def test_what_a_host_shows_is_what_the_registry_of_features_installed(faults) -> None:
    host = host_of({"/a": addon(full), "/b": addon(full)}, faults)
    await host.load_all(paths("/a", "/b"))
    registry = TestHost().registry(*host.packages())

    seen = host.registry()
    assert [one.id for one in registry.features] == ["user:a", "user:b"]
    assert [one.name for one in seen.commands] == [
        draft.contribution.name for _, draft in registry.commands()
    ]
    assert [one.name for one in seen.tools] == [draft.tool.name for _, draft in registry.tools()]
    assert [(one.addon, one.event) for one in seen.subscriptions] == [
        ("a", HookEvent.TOOL_BEFORE),
        ("b", HookEvent.TOOL_BEFORE),
    ]
    assert [one.addon for one in seen.interceptors] == ["a", "b"]
    assert len(registry.hooks()) == 4
    assert faults == []


@requirement("addons.host.registry-view", "invariant.05.first-claimant-keeps")
async def test_a_session_and_a_host_decide_a_conflict_alike(faults) -> None:
    def first(api: AddonApi) -> None:
        api.add_command("deploy", "", nothing)
        api.add_tool(Echo("get_it"))

    def second(api: AddonApi) -> None:
        api.add_command("Deploy", "", nothing)
        api.add_tool(Echo("getIt"))
        api.add_tool(Echo("mine"))

    host = host_of({"/one": addon(first), "/two": addon(second)}, faults)
    await host.load_all(paths("/one", "/two"))
    registry = TestHost().registry(*host.packages())

    assert [one.name for one in host.registry().tools] == ["get_it", "mine"]
    assert [draft.tool.name for _, draft in registry.tools()] == ["get_it", "mine"]
    lost = report_of(registry, "user:two").skipped_contributions
    assert {(one.kind, one.name, one.owner) for one in lost} == {
        ("tool", "getIt", "user:one"),
        ("command", "Deploy", "user:one"),
    }
    assert {fault.message for fault in faults} == {
        "the tool getIt of two is left out: one offers it already",
        "/Deploy of two is left out: one offers it already",
    }


def test_no_name_is_compared_outside_the_registry_of_features() -> None:
    """One conflict rule: neither the host nor what it is made of has another."""
    folder = Path(induscode.addons.__file__).parent
    for name in ("host", "loaded_feature", "own_registry"):
        tree = ast.parse((folder / f"{name}.py").read_text())
        named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert "tool_name" not in named
    assert not (folder / "folding.py").exists()


async def test_an_addon_that_offers_a_name_twice_keeps_the_first(faults) -> None:
    def record(api: AddonApi) -> None:
        api.add_command("go", "first", nothing)
        api.add_command("go", "second", nothing)
        api.add_tool(Echo("say"))
        api.add_tool(Echo("say"))

    host = host_of({"/x": addon(record)}, faults)
    bundle = await host.load_all(paths("/x"))
    assert [command.summary for command in bundle.commands] == ["first"]
    assert [tool.name for tool in bundle.tools] == ["say"]
    assert told(faults) == [("conflict", "x")] * 2


async def test_one_that_is_loaded_later_takes_nothing_from_those_before(faults) -> None:
    host = host_of(
        {
            "/x": addon(lambda api: api.add_command("go", "x", nothing)),
            "/y": addon(lambda api: api.add_command("GO", "y", nothing)),
        },
        faults,
    )
    await host.load_all(paths("/x"))
    await host.load_all(paths("/y"))
    assert [(one.name, one.addon) for one in host.registry().commands] == [("go", "x")]
    assert told(faults) == [("conflict", "y")]


async def test_a_tool_is_what_it_was_when_it_was_registered(faults) -> None:
    tool = Echo("harmless")
    host = host_of({"/x": addon(lambda api: api.add_tool(tool))}, faults)
    (seen,) = (await host.load_all(paths("/x"))).tools
    tool.name = "bash"
    assert seen.name == "harmless"
    assert host.registry().tools[0].name == "harmless"


async def test_a_tool_that_no_model_could_be_told_of_is_left_out(faults) -> None:
    class Strange(Echo):
        parameters = {"type": "array"}  # noqa: RUF012 - as an author would write it

    host = host_of({"/x": addon(lambda api: (api.add_tool(Strange("a")), full(api)))}, faults)
    bundle = await host.load_all(paths("/x"))
    assert [tool.name for tool in bundle.tools] == ["x_tool"]
    assert told(faults) == [("register", "x")]
    assert "its schema is not of type object" in faults[0].message


@pytest.mark.parametrize(
    "name", ["\ud800", "a\u0301" * 60, "he\x1b[2J"], ids=["surrogate", "long", "escape"]
)
async def test_names_that_cannot_be_written_cost_the_addon_nothing_else(name, faults) -> None:
    def record(api: AddonApi) -> None:
        api.add_command(name, "", nothing)
        api.add_tool(Echo(name))
        full(api)

    host = host_of({"/x": addon(record)}, faults)
    bundle = await host.load_all(paths("/x"))
    assert ([c.name for c in bundle.commands], [t.name for t in bundle.tools]) == (
        ["x-command"],
        ["x_tool"],
    )
    assert told(faults) == [("register", "x")] * 2
    assert all(str(fault).isprintable() for fault in faults)


async def test_a_package_holds_what_it_contributes_and_what_was_granted_by_name(faults) -> None:
    wanted = CapabilityRequest.required(EmitAlert(), "to tell")
    table = {"/a": addon(full, requests=(wanted,)), "/b": addon(full)}
    host = host_of(table, faults)
    await host.load_all(paths("/a", "/b"))
    contributions = {
        ContributeHook(HookPoint.PRE_TOOL_CALL),
        ContributeTool("a_tool"),
        ContributeCommand("a-command"),
    }
    bare, _ = host.packages()
    given, other = host.packages({"a": (EmitAlert(),)})

    grants = [package.grants for package in (bare, given, other)]
    for right in contributions:
        assert [held.denial(right) for held in grants[:2] if held] == [None, None]
    assert [held.denial(EmitAlert()) is None for held in grants if held] == [False, True, False]
    assert not report_of(TestHost().registry(bare), "user:a").enabled
    assert report_of(TestHost().registry(given), "user:a").enabled
    assert [one.id for one in host.addons()] == ["a", "b"]


async def test_a_package_has_the_digest_of_what_lies_at_its_path(tmp_path: Path) -> None:
    put(tmp_path / "safety" / "manifest.toml", SAFETY)
    host = create_addon_host()
    await host.load_all(AddonDiscovery(explicit_paths=(tmp_path / "safety",)))
    (made,) = host.packages()
    assert made.digest == package_at(tmp_path / "safety").digest
    assert made.module.descriptor().runtime == "declarative"


async def test_a_closed_host_shows_nothing(faults) -> None:
    host = host_of({"/x": addon(full)}, faults)
    await host.load_all(paths("/x"))
    await host.close()
    assert host.registry() == AddonRegistry()
    assert host.packages() == []


CALLS = """
[[answer]]
[[answer.call]]
name = "bash"
arguments = { command = "touch ran" }
[[answer.call]]
name = "lookup"
arguments = { text = "token" }
[[answer]]
text = "Done."
"""
SAY = '[[answer]]\ntext = "Done."\n'


@requirement("addons.gate.tool-before-blocks")
async def test_addons_of_a_program_work_in_its_session(place: Place, tmp_path: Path) -> None:
    put(tmp_path / "safety" / "manifest.toml", SAFETY)
    safety = create_addon_host()
    await safety.load_all(AddonDiscovery(explicit_paths=(tmp_path / "safety",)))

    async def redact(context: ToolExitContext) -> Continue | RewriteResult:
        return RewriteResult(ToolResult.text("[redacted]"))

    def record(api: AddonApi) -> None:
        api.add_tool(Echo("lookup"))
        api.intercept_tool(NamedTool("lookup"), None, redact)

    own = host_of({"/own": addon(record)}, [])
    await own.load_all(paths("/own"))

    result, _ = await ran(place, CALLS, *safety.packages(), *own.packages())

    assert (result.text, result.exit) == ("Done.", 0)
    assert not (place.workspace / "ran").exists()
    blocked, looked = entries(place, "result")
    assert "blocked by safety addon" in blocked["content"][0]["text"]
    assert looked["content"][0]["text"] == "[redacted]"
    assert {entry["by"] for entry in entries(place, "hook")} == {"user:safety", "user:own"}
    assert place.replays()


async def test_an_exit_stage_learns_how_a_call_failed_and_nothing_of_a_mere_error(
    place: Place,
) -> None:
    seen: dict[str, tuple[str | None, bool]] = {}

    class Broken(Echo):
        async def execute(self, arguments: object, context: object) -> ToolResult:
            raise RuntimeError("the wire is cut")

    async def look(context: ToolExitContext) -> Continue:
        seen[context.tool] = (context.error, context.result.is_error)
        return Continue()

    def record(api: AddonApi) -> None:
        api.add_tool(Broken("lookup"))
        api.intercept_tool(AnyTool(), None, look)

    host = host_of({"/x": addon(record)}, [])
    await host.load_all(paths("/x"))
    await ran(place, CALLS.replace("touch ran", "exit 3"), *host.packages())

    error, is_error = seen["lookup"]
    assert is_error
    assert "the wire is cut" in (error or "")
    assert seen["bash"] == (None, True)


async def test_a_command_of_such_an_addon_is_typed_and_told(place: Place) -> None:
    lines: list[str] = []

    async def execute(line: str) -> ExecOutcome:
        lines.append(line)
        return ExecOutcome("shipped\n", "", 0)

    async def deploy(context: CommandContext) -> str:
        assert context.handles.exec is not None
        return (await context.handles.exec(f"ship {context.args}")).stdout

    handles = FrameworkHandles(exec=execute)
    host = host_of(
        {"/x": addon(lambda api: api.add_command("deploy", "", deploy))}, [], handles=handles
    )
    await host.load_all(paths("/x"))

    result, events = await ran(place, SAY, *host.packages(), said="/deploy staging")

    assert result.exit == 0
    assert lines == ["ship staging"]
    assert any("shipped" in repr(event) for event in events)


async def test_without_a_shell_of_the_program_its_commands_have_the_sessions(
    place: Place, tmp_path: Path
) -> None:
    put(
        tmp_path / "tools" / "manifest.toml",
        'id = "tools"\n[[command]]\nname = "mark"\nexec = "touch"\n',
    )
    host = create_addon_host(AddonHostDeps())
    await host.load_all(AddonDiscovery(explicit_paths=(tmp_path / "tools",)))
    granted: dict[str, Any] = {"tools": (ScopedFs(execute=True),)}

    await ran(place, SAY, *host.packages(), said="/mark without")
    await ran(place, SAY, *host.packages(granted), said="/mark granted")

    assert not (place.workspace / "without").exists()
    assert (place.workspace / "granted").exists()
    [installed] = entries(place, "install")
    packages = {one["id"]: one["package"] for one in installed["features"]}
    assert packages["user:tools"] == package_at(tmp_path / "tools").digest


async def test_a_name_of_the_session_is_not_taken_and_the_rest_works(place: Place) -> None:
    def record(api: AddonApi) -> None:
        api.add_tool(Echo("Bash"))
        api.add_tool(Echo("lookup"))
        api.add_command("Help", "", nothing)

    host = host_of({"/x": addon(record)}, [], reserved_actions=())
    await host.load_all(paths("/x"))
    script = CALLS.replace("touch ran", "echo real")

    _, events = await ran(place, script, *host.packages())

    real, looked = entries(place, "result")
    assert (real["by"], looked["by"]) == ("builtin:shell", "user:x")
    said = [repr(event) for event in events]
    assert any("builtin:shell has the name bash already" in one for one in said)
    assert any("the prompt itself has the name help already" in one for one in said)


async def test_an_interceptor_without_stages_and_one_for_every_tool_are_kept(faults) -> None:
    def record(api: AddonApi) -> None:
        api.intercept_tool(AnyTool())
        api.intercept_tool(AnyTool(), go_on, None)

    host = host_of({"/x": addon(record)}, faults)
    bundle = await host.load_all(paths("/x"))
    assert len(host.registry().interceptors) == 2
    assert bundle.interceptors.matches("anything")
    outcome = await bundle.dispatch.dispatch(HookEvent.TOOL_BEFORE, ToolPayload("x", {}))
    assert (outcome.gate, bundle.loaded) == (None, (AddonId("x"),))


async def test_an_addon_that_is_too_much_for_a_descriptor_is_a_fault_and_is_closed(faults) -> None:
    closed: list[str] = []

    async def close() -> None:
        closed.append("vast")

    def vast(api: AddonApi) -> None:
        for number in range(2_000):
            api.add_command(f"command-{number}", "x" * 500, nothing)

    host = host_of(
        {"/a": addon(full), "/vast": addon(vast, close=close), "/b": addon(full)}, faults
    )
    bundle = await host.load_all(paths("/a", "/vast", "/b"))

    assert bundle.loaded == ("a", "b")
    assert [command.name for command in bundle.commands] == ["a-command", "b-command"]
    assert told(faults) == [("register", "vast")]
    assert "the descriptor has over" in faults[0].message
    assert closed == ["vast"]
    await host.close()
    assert closed == ["vast"]
