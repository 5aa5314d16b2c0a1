"""The host: many addons, one runtime, each name with one owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.addons.contract import (
    AddonApi,
    AddonDiscovery,
    AddonFault,
    AddonFaultKind,
    AddonId,
    AddonSource,
    AnyTool,
    CommandContext,
    Continue,
    ExecOutcome,
    FrameworkHandles,
    HookEvent,
    InputPayload,
    NamedTool,
    ToolEnterContext,
    ToolPayload,
)
from induscode.addons.host import (
    RESERVED_ACTION_NAMES,
    AddonHostDeps,
    AddonRegistry,
    create_addon_host,
)
from induscode.kernel.prompt_commands import COMMANDS, RESERVED
from tests.addons.library.parts import Echo, addon, gate, host_of, transform
from tests.addons.library.test_discovery import put
from tests.addons.library.test_manifest import SAFETY
from tests.requirements import requirement


async def nothing(context: CommandContext) -> None: ...


async def go_on(context: ToolEnterContext) -> Continue:
    return Continue()


def paths(*names: str) -> AddonDiscovery:
    return AddonDiscovery(explicit_paths=tuple(map(Path, names)))


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


def told(faults: list[AddonFault]) -> list[tuple[str, str | None]]:
    return [(str(fault.kind), fault.addon) for fault in faults]


@requirement(
    "addons.host.load-all",
    "addons.host.bundle-fields",
    "addons.tier0.default-loader",
    "addons.tier0.register-cannot-fail",
)
async def test_a_workspace_of_manifests_becomes_one_runtime(tmp_path: Path, faults) -> None:
    folder = tmp_path / ".indus" / "addons"
    put(folder / "b" / "manifest.toml", SAFETY)
    put(folder / "a" / "manifest.toml", 'id = "first"\n[[command]]\nname = "hello"')
    host = create_addon_host()
    host.on_fault(faults.append)
    bundle = await host.load_all(AddonDiscovery(tmp_path))
    assert bundle.loaded == ("first", "safety")
    assert [command.name for command in bundle.commands] == ["hello", "deploy"]
    assert bundle.tools == ()
    outcome = await bundle.dispatch.dispatch(HookEvent.TOOL_BEFORE, ToolPayload("bash", {}))
    assert outcome.gate is not None
    assert (outcome.gate.reason, outcome.by) == ("blocked by safety addon", "safety")
    assert not bundle.interceptors.matches("bash")
    assert faults == []


@requirement("addons.loader.injectable")
async def test_a_scripted_loader_serves_all_loads_without_a_disk(faults) -> None:
    host = host_of({"/no/such/x": addon(lambda api: api.add_tool(Echo()), "x")}, faults)
    bundle = await host.load_all(paths("/no/such/x"))
    assert (bundle.loaded, [tool.name for tool in bundle.tools]) == (("x",), ["echo"])


@requirement("addons.host.load-one")
async def test_one_source_can_be_grafted_without_discovery(faults) -> None:
    def record(api: AddonApi) -> None:
        api.add_command("extra", "", nothing)

    host = host_of({"/bundled": addon(record)}, faults)
    assert await host.load_one(AddonSource(Path("/bundled"), AddonId("always-on"))) == "always-on"
    assert await host.load_one(AddonSource(Path("/gone"), AddonId("gone"))) is None
    assert [(one.name, one.addon) for one in host.bundle().commands] == [("extra", "always-on")]
    assert told(faults) == [("load", "gone")]


@requirement("addons.host.manifest-id-wins")
async def test_the_id_of_the_manifest_wins_over_that_of_the_path(faults) -> None:
    host = host_of({"/x/folder": addon(lambda api: None, "named"), "/x/other": addon(id)}, faults)
    bundle = await host.load_all(paths("/x/folder", "/x/other"))
    assert bundle.loaded == ("named", "other")


@requirement("addons.host.fold-keeps-load-order", "addons.host.streams-append")
async def test_the_order_of_loading_is_the_order_of_everything(faults) -> None:
    def record(api: AddonApi) -> None:
        api.on(HookEvent.INPUT_SUBMIT, transform(lambda p: InputPayload(f"{p.text} {api.id}")))
        api.intercept_tool(NamedTool("bash"), go_on)
        api.intercept_tool(AnyTool(), go_on)

    host = host_of({f"/{name}": addon(record) for name in "cab"}, faults)
    bundle = await host.load_all(paths("/c", "/a", "/b"))
    found = host.registry()
    assert [one.addon for one in found.subscriptions] == ["c", "a", "b"]
    assert [one.addon for one in found.interceptors] == ["c", "c", "a", "a", "b", "b"]
    outcome = await bundle.dispatch.dispatch(HookEvent.INPUT_SUBMIT, InputPayload("hi"))
    assert outcome.payload == InputPayload("hi c a b")


@requirement("addons.host.reserved-names-constant")
def test_six_names_belong_to_the_host() -> None:
    assert set(RESERVED_ACTION_NAMES) == {"help", "quit", "exit", "clear", "model", "compact"}
    assert len(RESERVED_ACTION_NAMES) == 6
    assert {name.removeprefix("/") for name in COMMANDS} | set(RESERVED_ACTION_NAMES) <= RESERVED


async def commands(faults: list[AddonFault], *names: str, **deps: object) -> list[str]:
    """Which of these names an addon gets."""

    def record(api: AddonApi) -> None:
        for name in names:
            api.add_command(name, "", nothing)

    host = host_of({"/x": addon(record)}, faults, **deps)
    return [command.name for command in (await host.load_all(paths("/x"))).commands]


@requirement("addons.host.reserved-names-all-builtins")
@pytest.mark.parametrize(
    "name", [*sorted(RESERVED), "/help", "HELP", "Session", "rewind", "Rewind"]
)
async def test_a_name_of_the_host_is_refused_however_it_is_written(name: str, faults) -> None:
    assert await commands(faults, name, "mine", builtin_commands=["reWind"]) == ["mine"]
    assert told(faults) == [("conflict", "x")]
    assert "is reserved for the host" in faults[0].message


@requirement("addons.host.reserved-names-injected")
async def test_reserved_names_that_are_given_replace_the_default(faults) -> None:
    got = await commands(
        faults, "help", "mine", "rewind", reserved_actions=["mine"], builtin_commands=["rewind"]
    )
    assert got == ["help", "rewind"]


@pytest.mark.parametrize("name", ["", "a b", "a/b", "he\u200blp", "x\n", "x" * 101])
async def test_a_name_that_cannot_be_typed_is_left_out(name: str, faults) -> None:
    assert await commands(faults, name, "mine") == ["mine"]
    assert told(faults) == [("register", "x")]


@requirement(
    "addons.host.duplicate-command-conflict",
    "addons.host.duplicate-tool-conflict",
    "addons.host.reserved-command-conflict",
    "addons.host.rest-of-conflicting-addon-kept",
)
async def test_the_first_claimant_keeps_a_name_and_the_later_keeps_the_rest(faults) -> None:
    def first(api: AddonApi) -> None:
        api.add_command("deploy", "first", nothing)
        api.add_tool(Echo("say"))

    def second(api: AddonApi) -> None:
        api.add_command("Deploy", "second", nothing)
        api.add_command("help", "", nothing)
        api.add_command("other", "", nothing)
        api.add_tool(Echo("say"))
        api.add_tool(Echo("sing"))
        api.on(HookEvent.TURN_END, gate(stop=False))

    host = host_of({"/one": addon(first), "/two": addon(second)}, faults)
    bundle = await host.load_all(paths("/one", "/two"))
    assert [(c.name, c.addon) for c in bundle.commands] == [("deploy", "one"), ("other", "two")]
    assert [tool.name for tool in bundle.tools] == ["say", "sing"]
    assert bundle.loaded == ("one", "two")
    assert bundle.dispatch.has(HookEvent.TURN_END)
    assert [(fault.kind, fault.addon) for fault in faults] == [(AddonFaultKind.CONFLICT, "two")] * 3
    assert {fault.message for fault in faults} == {
        "/Deploy of two is left out: one offers it already",
        "/help is reserved for the host",
        "the tool say of two is left out: one offers it already",
    }


@pytest.mark.parametrize("name", ["bash", "Bash", "todo-set", "shell"])
async def test_a_tool_with_the_name_of_a_built_in_is_left_out(name: str, faults) -> None:
    host = host_of(
        {"/x": addon(lambda api: api.add_tool(Echo(name)))},
        faults,
        builtin_tools=["bash", "todo_set"],
    )
    assert (await host.load_all(paths("/x"))).tools == ()
    assert "a built-in has that name" in faults[0].message


async def test_two_addons_with_one_id_are_one_and_a_conflict(faults) -> None:
    registered: list[str] = []

    def record(api: AddonApi) -> None:
        registered.append(api.id)

    host = host_of({"/a": addon(record, "twin"), "/b": addon(record, "twin")}, faults)
    bundle = await host.load_all(paths("/a", "/b"))
    assert bundle.loaded == ("twin",)
    assert registered == ["twin"]
    assert told(faults) == [("conflict", "twin")]
    assert faults[0].message == "/b: the id twin belongs to /a"
    assert await host.load_one(AddonSource(Path("/a"), AddonId("twin"))) is None


@requirement("addons.host.handles-threaded", "addons.command.context")
async def test_handles_reach_every_surface_and_every_command(tmp_path: Path, faults) -> None:
    lines: list[str] = []
    seen: list[object] = []

    async def execute(line: str) -> ExecOutcome:
        lines.append(line)
        return ExecOutcome("shipped\n", "", 0)

    async def show(context: CommandContext) -> str:
        seen.append((context.args, context.cwd, context.handles))
        assert context.handles.exec is not None
        return (await context.handles.exec("ship")).stdout

    def record(api: AddonApi) -> None:
        seen.append(api.handles())
        api.add_command("ship", "", show)

    handles = FrameworkHandles(exec=execute)
    host = host_of({"/x": addon(record)}, faults, handles=handles)
    await host.load_all(paths("/x"))
    assert await host.run_command("ship", " it now ", cwd=tmp_path) == "shipped\n"
    assert seen == [handles, (" it now ", tmp_path, handles)]
    assert lines == ["ship"]


async def test_the_registry_can_be_seen_before_the_bundle_and_does_not_follow(faults) -> None:
    def record(api: AddonApi) -> None:
        api.add_tool(Echo())

    host = host_of({"/x": addon(record)}, faults)
    before = host.registry()
    await host.load_one(AddonSource(Path("/x"), AddonId("x")))
    assert before == AddonRegistry()
    assert [tool.name for tool in host.registry().tools] == ["echo"]
    with pytest.raises(AttributeError):
        before.tools = ()


async def test_a_host_can_load_again(faults) -> None:
    host = host_of({"/x": addon(id), "/y": addon(id)}, faults)
    await host.load_all(paths("/x"))
    assert (await host.load_all(paths("/y"))).loaded == ("x", "y")
    assert [one.id for one in host.addons()] == ["x", "y"]


def test_a_host_has_defaults() -> None:
    deps = AddonHostDeps()
    assert (deps.reserved_actions, deps.handles) == (None, FrameworkHandles())
