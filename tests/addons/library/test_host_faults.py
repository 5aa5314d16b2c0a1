"""What one addon does wrong is told, and everything else goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from induscode.addons.contract import (
    AddonApi,
    AddonDiscovery,
    AddonFault,
    AddonFaultKind,
    AddonManifest,
    AnyTool,
    CommandContext,
    HookEvent,
    LifecyclePayload,
    LoaderError,
    Observe,
    ToolEnterContext,
)
from induscode.addons.host import create_addon_host
from induscode.errors import Cancelled
from induscode.kernel.tool import ToolResult
from tests.addons.library.parts import Echo, addon, host_of, raising
from tests.addons.library.test_discovery import put
from tests.addons.library.test_host import nothing, paths, told
from tests.requirements import requirement


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


async def hang(*given: object) -> None:
    await asyncio.Event().wait()


def good(api: AddonApi) -> None:
    api.add_command(f"{api.id}-command", "", nothing)


def takes_its_manifest(api: AddonApi) -> None:
    api.add_tool(Echo())
    api.manifest()


class Nameless(Echo):
    @property
    def name(self) -> str:
        raise RuntimeError("no name today")

    @name.setter
    def name(self, value: str) -> None: ...


BROKEN: dict[str, tuple[AddonManifest | Exception, str]] = {
    "no file": (LoaderError.unsupported(Path("/bad"), "no file"), "load"),
    "loader raises": (ValueError("boom"), "load"),
    "register raises": (AddonManifest(raising(ValueError("boom"))), "register"),
    "register hangs": (AddonManifest(hang), "register"),
    "register is no coroutine": (AddonManifest(lambda api: None), "register"),
    "register is cancelled": (AddonManifest(raising(asyncio.CancelledError())), "register"),
    "records nonsense": (addon(lambda api: api.on("nonsense", None)), "register"),
    "takes its own manifest": (addon(takes_its_manifest), "register"),
    "bad id": (addon(good, "../../x"), "load"),
    "empty id": (addon(good, " "), "load"),
}


@requirement("addons.one-broken-addon-never-aborts-others", "addons.faults-routed-not-raised")
@pytest.mark.parametrize(("broken", "kind"), BROKEN.values(), ids=BROKEN)
async def test_one_broken_addon_is_a_fault_and_the_others_work(broken, kind, faults) -> None:
    table = {"/a": addon(good), "/bad": broken, "/z": addon(good)}
    host = host_of(table, faults, seconds=0.1)
    bundle = await host.load_all(paths("/a", "/bad", "/z"))
    assert bundle.loaded == ("a", "z")
    assert [command.name for command in bundle.commands] == ["a-command", "z-command"]
    assert bundle.tools == ()
    assert told(faults) == [(kind, "bad")]


async def test_a_tool_that_does_not_say_its_name_is_left_out_alone(faults) -> None:
    def record(api: AddonApi) -> None:
        api.add_tool(Nameless())
        api.add_tool(Echo(""))
        api.add_tool(Echo())

    host = host_of({"/x": addon(record)}, faults)
    assert [tool.name for tool in (await host.load_all(paths("/x"))).tools] == ["echo"]
    assert told(faults) == [("register", "x")] * 2


@requirement("addons.host.load-fault-skips-source")
async def test_a_load_fault_carries_the_loaders_error(faults) -> None:
    error = LoaderError.unsupported(Path("/dir/bad"), "no runtime", hint="take tier 1")
    await host_of({"/dir/bad": error}, faults).load_all(paths("/dir/bad"))
    (fault,) = faults
    assert (fault.kind, fault.addon, fault.cause) == (AddonFaultKind.LOAD, "bad", error)
    assert fault.message == "/dir/bad: no runtime; take tier 1"


async def test_faults_of_loading_come_in_the_order_of_the_sources(faults) -> None:
    names = [f"/x{index}" for index in range(9)]
    await host_of({}, faults).load_all(paths(*names))
    assert [fault.addon for fault in faults] == [name[1:] for name in names]


@requirement("addons.host.runtime-faults-reach-listeners")
async def test_faults_at_run_time_reach_who_listened_before_loading(faults) -> None:
    def record(api: AddonApi) -> None:
        api.on(HookEvent.TURN_END, Observe(raising(ValueError("late"))))
        api.intercept_tool(AnyTool(), raising(ValueError("in")), raising(ValueError("out")))

    host = host_of({"/x": addon(record)}, faults)
    bundle = await host.load_all(paths("/x"))
    assert faults == []
    await bundle.dispatch.dispatch(HookEvent.TURN_END, LifecyclePayload())

    async def tool(args: dict[str, Any]) -> ToolResult:
        return ToolResult.text("ran")

    await bundle.interceptors.run(ToolEnterContext("bash", "1", {}), tool)
    assert told(faults) == [("handler", "x"), ("handler", "x")]


@requirement("addons.host.failing-listener-contained")
async def test_a_listener_that_raises_keeps_nobody_from_being_told(faults) -> None:
    host = host_of({}, [])
    before: list[AddonFault] = []

    def broken(fault: AddonFault) -> None:
        before.append(fault)
        raise RuntimeError("listener")

    host.on_fault(broken)
    host.on_fault(faults.append)
    await host.load_all(paths("/gone", "/lost"))
    assert [fault.addon for fault in faults] == ["gone", "lost"]
    assert before == faults


@requirement("addons.host.on-fault-unsubscribe")
async def test_unsubscribing_ends_the_telling_and_may_be_done_twice(faults) -> None:
    host = host_of({}, [])
    first, second = host.on_fault(faults.append), host.on_fault(faults.append)
    await host.load_all(paths("/one"))
    assert [fault.addon for fault in faults] == ["one", "one"]
    first()
    first()
    await host.load_all(paths("/two"))
    assert [fault.addon for fault in faults[2:]] == ["two"]
    second()
    await host.load_all(paths("/three"))
    assert len(faults) == 3


async def test_a_listener_may_unsubscribe_itself_while_it_is_told(faults) -> None:
    host = host_of({}, [])
    once: list[AddonFault] = []

    def listen(fault: AddonFault) -> None:
        once.append(fault)
        stop()

    stop = host.on_fault(listen)
    host.on_fault(faults.append)
    await host.load_all(paths("/one", "/two"))
    assert (len(once), len(faults)) == (1, 2)


@requirement("addons.command.fault")
async def test_a_command_that_raises_is_a_fault_and_the_next_one_runs(tmp_path, faults) -> None:
    async def fine(context: CommandContext) -> str:
        return "fine"

    def record(api: AddonApi) -> None:
        api.add_command("bad", "", raising(ValueError("boom")))
        api.add_command("fine", "", fine)

    host = host_of({"/x": addon(record)}, faults)
    await host.load_all(paths("/x"))
    answer = await host.run_command("bad", "", cwd=tmp_path)
    assert isinstance(answer, AddonFault)
    assert faults == [answer]
    assert str(answer) == "[Command] /bad: it failed: ValueError('boom') (addon: x)"
    assert await host.run_command("FINE", "", cwd=tmp_path) == "fine"
    unknown = await host.run_command("nobody", "", cwd=tmp_path)
    assert isinstance(unknown, AddonFault)
    assert unknown.message == "no addon offers /nobody"


async def test_stopping_a_command_is_the_persons_and_no_fault(tmp_path, faults) -> None:
    host = host_of(
        {"/x": addon(lambda api: api.add_command("x", "", raising(Cancelled("stop"))))}, faults
    )
    await host.load_all(paths("/x"))
    with pytest.raises(Cancelled):
        await host.run_command("x", "", cwd=tmp_path)
    assert faults == []


async def test_cancelling_the_loading_passes_through_and_closing_still_ends_what_began(
    faults,
) -> None:
    begun = asyncio.Event()

    async def wait(api: AddonApi) -> None:
        begun.set()
        await asyncio.Event().wait()

    closed = asyncio.Event()

    async def close() -> None:
        closed.set()

    host = host_of({"/x": AddonManifest(wait, close=close)}, faults)
    task = asyncio.create_task(host.load_all(paths("/x")))
    await asyncio.wait_for(begun.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert faults == []
    await host.close()
    assert closed.is_set()


async def test_an_error_of_the_host_ends_the_loading_of_all(faults) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(api: AddonApi) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def stop(api: AddonApi) -> None:
        await begun.wait()
        raise Cancelled("stop")

    host = host_of({"/x": AddonManifest(wait), "/y": AddonManifest(stop)}, faults)
    with pytest.raises(Cancelled):
        await host.load_all(paths("/x", "/y"))
    await asyncio.wait_for(ended.wait(), 5)


async def test_closing_ends_every_addon_once_also_one_that_could_not_register(faults) -> None:
    closed: list[str] = []

    def closing(name: str) -> Any:
        async def close() -> None:
            closed.append(name)

        return close

    table = {
        "/a": addon(good, close=closing("a")),
        "/bad": AddonManifest(raising(ValueError("boom")), close=closing("bad")),
        "/c": addon(good, close=raising(ValueError("stuck"))),
        "/d": addon(good, close=closing("d")),
    }
    host = host_of(table, faults)
    await host.load_all(paths("/a", "/bad", "/c", "/d"))
    assert closed == ["bad"]
    await host.close()
    await host.close()
    assert closed == ["bad", "a", "d"]
    assert told(faults) == [("register", "bad"), ("handler", "c")]
    assert host.addons() == ()


async def test_hostile_folders_are_faults_and_the_good_one_loads(tmp_path: Path) -> None:
    """The addon cases of an untrusted repository, as a trusted one would have them."""
    folder = tmp_path / ".indus" / "addons"
    put(folder / "climber" / "manifest.toml", 'id = "../../x"')
    put(folder / "good" / "manifest.toml", 'id = "good"')
    put(folder / "imitator" / "manifest.toml", 'id = "good"')
    put(folder / "large" / "manifest.toml")
    with (folder / "large" / "manifest.toml").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    put(tmp_path / "elsewhere" / "manifest.toml", 'id = "elsewhere"')
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    put(folder / "program.py", "raise SystemExit(7)")
    (folder / "esc\x1b[2J").mkdir()
    put(folder / "esc\x1b[2J" / "manifest.toml", "id = ")
    faults: list[AddonFault] = []
    host = create_addon_host()
    host.on_fault(faults.append)
    bundle = await host.load_all(AddonDiscovery(tmp_path))
    assert bundle.loaded == ("good",)
    assert told(faults) == [
        ("load", "climber"),
        ("load", "esc\x1b[2J"),
        ("conflict", "good"),
        ("load", "large"),
        ("load", "linked"),
        ("load", "program"),
    ]
    assert all(str(fault).isprintable() for fault in faults)
