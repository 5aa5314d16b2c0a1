"""Components in the addon host: loaded, registered, dispatched and intercepted like any addon."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonDiscovery,
    AddonFault,
    AddonId,
    ChatPayload,
    FrameworkHandles,
    HookEvent,
    InputPayload,
    LifecyclePayload,
    LoaderError,
    LoaderErrorKind,
    ShellPayload,
    ToolEnterContext,
    ToolPayload,
)
from induscode.addons.host import AddonBundle, AddonHost, AddonHostDeps, create_addon_host
from induscode.addons.wasm import CompileCache, WasmLimits, WasmLoader, prepare
from induscode.feature.capability import CapabilityRequest, SendMessage, ShapeEnvironment
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolResult
from tests.addons.wasm.parts import BUILT, GUARD, HOSTILE, Ear

OTHERS = [path for path in (BUILT / "guard-js.wasm", BUILT / "guard-python.wasm") if path.is_file()]


class Loaded:
    def __init__(self, host: AddonHost, bundle: AddonBundle, faults: list[AddonFault]) -> None:
        self.host, self.bundle, self.faults = host, bundle, faults

    async def call(self, command: str, answer: str) -> Any:
        async def tool(args: dict[str, Any]) -> ToolResult:
            return ToolResult.text(f"{args['command']}: {answer}")

        context = ToolEnterContext("bash", "c1", {"command": command})
        return await self.bundle.interceptors.run(context, tool)


async def load(path: Path, cache: CompileCache, handles: FrameworkHandles, **given: Any) -> Loaded:
    loader = WasmLoader(services=lambda _: HostCalls(), cache=cache, **given)
    host = create_addon_host(AddonHostDeps(loader=loader, handles=handles, seconds=60))
    faults: list[AddonFault] = []
    host.on_fault(faults.append)
    bundle = await host.load_all(AddonDiscovery(explicit_paths=(path,)))
    return Loaded(host, bundle, faults)


@pytest.fixture(params=[GUARD, *OTHERS], ids=lambda path: path.stem)
async def guard(request: pytest.FixtureRequest, cache: CompileCache) -> AsyncIterator[Loaded]:
    """The guard in C, and in the other languages where `make guests ALL=1` built them."""
    handles = Ear().host().handles
    kept = cache if request.param == GUARD else CompileCache(BUILT / "compiled")
    await prepare(request.param, kept)  # which may take longer than an addon may take to load
    loaded = await load(request.param, kept, handles)
    assert loaded.faults == []
    yield loaded
    await loaded.host.close()


@pytest.fixture
async def hostile(cache: CompileCache) -> AsyncIterator[Loaded]:
    limits = WasmLimits(seconds=0.2)
    loaded = await load(HOSTILE, cache, FrameworkHandles(), limits=limits)
    yield loaded
    await loaded.host.close()


@pytest.mark.timeout(240)  # the guest in Python may have to be compiled
async def test_a_guard_gates_transforms_intercepts_and_offers_a_command_and_a_tool(
    guard: Loaded, tmp_path: Path
) -> None:
    bundle = guard.bundle
    assert bundle.loaded == (AddonId("guard"),)
    (addon,) = guard.host.addons()
    assert addon.manifest.version == "1.0.0"
    assert addon.manifest.requests == (
        CapabilityRequest.required(SendMessage(), "to greet"),
        CapabilityRequest.required(ShapeEnvironment("GUARDED"), "to mark commands"),
    )

    bad = ToolPayload("bash", {"command": "rm -rf /"}, "c1")
    stopped = await bundle.dispatch.dispatch(HookEvent.TOOL_BEFORE, bad)
    assert stopped.gate is not None
    assert stopped.gate.reason == "rm -rf is not allowed here"
    good = await bundle.dispatch.dispatch(HookEvent.TOOL_BEFORE, ToolPayload("bash", {}, "c1"))
    assert good.gate is None

    for env in ({"A": "b"}, {}):
        shaped = await bundle.dispatch.dispatch(HookEvent.SHELL_ENV, ShellPayload(env))
        assert shaped.payload == ShellPayload({**env, "GUARDED": "1"})

    blocked = await guard.call("shutdown now", "")
    assert blocked.blocked.reason == "this machine stays up"
    ran = await guard.call("sudo ls", 'the key is "sk-1234567890abc", and sk-short')
    assert plain_text(ran.result.content) == 'ls: the key is "[gone]", and sk-short'

    assert await guard.host.run_command("greet", "wörld", cwd=tmp_path) == "greeted"
    (tool,) = bundle.tools
    answer = await tool.execute({"text": "one two\nthree  vier"}, _context())
    assert (plain_text(answer.content), answer.is_error) == ("4", False)
    assert guard.faults == []


def _context() -> Any:
    class Context:
        cancel = CancelToken()
        call = "c1"

    return Context()


async def test_answers_that_do_not_fit_are_faults_and_a_gate_then_stops(hostile: Loaded) -> None:
    dispatch = hostile.bundle.dispatch
    observed = await dispatch.dispatch(HookEvent.SESSION_START, LifecyclePayload())
    assert observed.payload == LifecyclePayload()
    params = ChatPayload({"temperature": 1})
    assert (await dispatch.dispatch(HookEvent.CHAT_PARAMS, params)).payload == params
    typed = await dispatch.dispatch(HookEvent.INPUT_SUBMIT, InputPayload("hi"))
    assert typed.payload == InputPayload("hi")
    gate = (await dispatch.dispatch(HookEvent.TOOL_BEFORE, ToolPayload("ls", {}))).gate
    assert gate is not None
    assert (gate.stop, gate.how) == (True, "failed")
    said = [fault.message for fault in hostile.faults]
    for words, message in zip(
        (
            "an observer may only answer `unchanged`",
            "a transform may not answer `stopped`",
            "input:submit: ",
            "a gate may not answer `transformed`",
        ),
        said,
        strict=True,
    ):
        assert words in message
    assert {fault.addon for fault in hostile.faults} == {AddonId("hostile")}


async def test_an_interceptor_whose_rewriting_does_not_fit_is_a_fault(hostile: Loaded) -> None:
    result = await hostile.call("ls", "")
    assert result.blocked is not None
    assert "expected a JSON object" in hostile.faults[0].message


async def test_a_tool_that_never_ends_is_a_fault_of_the_tool(hostile: Loaded) -> None:
    (tool,) = hostile.bundle.tools
    with pytest.raises(Exception, match="tool spin: out of time"):
        await tool.execute({}, _context())


async def test_a_command_that_fails_says_why_in_its_own_words(
    hostile: Loaded, tmp_path: Path
) -> None:
    fault = await hostile.host.run_command("fail", "", cwd=tmp_path)
    assert isinstance(fault, AddonFault)
    assert "the dog ate it" in fault.message
    assert await hostile.host.run_command("silent", "", cwd=tmp_path) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("module.js", LoaderErrorKind.UNSUPPORTED),
        ("missing.wasm", LoaderErrorKind.UNREADABLE),
        ("junk.wasm", LoaderErrorKind.INVALID),
    ],
)
async def test_what_cannot_be_loaded_is_a_loader_error_of_its_kind(
    tmp_path: Path, name: str, kind: LoaderErrorKind
) -> None:
    (tmp_path / "module.js").touch()
    (tmp_path / "junk.wasm").write_bytes(b"junk")
    with pytest.raises(LoaderError) as error:
        await WasmLoader(services=lambda _: HostCalls()).load(tmp_path / name)
    assert error.value.kind is kind


async def test_a_component_that_traps_at_once_could_not_be_started(cache: CompileCache) -> None:
    loader = WasmLoader(
        services=lambda _: HostCalls(), cache=cache, limits=WasmLimits(memory_bytes=65536)
    )
    with pytest.raises(LoaderError, match="out of memory") as error:
        await loader.load(GUARD)
    assert error.value.kind is LoaderErrorKind.FAILED


async def test_without_the_engine_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    monkeypatch.delitem(sys.modules, "induscode.addons.wasm.addon")
    with pytest.raises(LoaderError, match=r"pip install 'induscode\[wasm\]'") as error:
        await WasmLoader(services=lambda _: HostCalls()).load(GUARD)
    assert error.value.kind is LoaderErrorKind.UNSUPPORTED


async def test_an_addon_that_was_loaded_and_never_registered_leaves_nothing_behind(
    cache: CompileCache,
) -> None:
    manifest = await WasmLoader(services=lambda _: HostCalls(), cache=cache).load(GUARD)
    assert manifest.close is not None
    addon = weakref.ref(manifest.close.__self__)
    del manifest
    gc.collect()
    assert addon() is None


def test_naming_the_loader_does_not_import_the_engine() -> None:
    code = "import sys, induscode.addons.wasm as w; w.WasmLoader; print('wasmtime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
