"""What an author writes: from the protocol page alone, with the SDKs, and the shipped examples."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from induscode.addons.acting import HostCalls, LogLevel
from induscode.addons.contract import (
    Block,
    ChatPayload,
    CommandContext,
    Continue,
    ExecOutcome,
    FrameworkHandles,
    HookEvent,
    HookKind,
    RewriteArguments,
    RewriteResult,
    ToolEnterContext,
    ToolExitContext,
    ToolPayload,
)
from induscode.addons.offers import (
    OfferedCommand,
    OfferedEvent,
    OfferedInterceptor,
    OfferedTask,
    OfferedTool,
    Offers,
    WantedCapability,
)
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.faults import ProcessFaultKind as Kind
from induscode.addons.process.limits import ProcessLimits
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ToolResult
from tests.addons.process.nursery import Nursery, called
from tests.docs_blocks import blocks_of
from tests.requirements import requirement
from tests.tools.waiting import until

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "addon-protocol.md"
EXAMPLES = ROOT / "examples" / "addons"
FORCED = ToolPayload("bash", {"command": "git push --force"})
PLAIN = ToolPayload("bash", {"command": "git push"})
EVENT = HookEvent.TOOL_BEFORE

PYTHON = """
from indus_addon import Addon, HostRefused

addon = Addon("all", "2.0", "Everything at once.")
addon.needs("scoped-fs(execute)", "to deploy", required=True)
addon.needs("emit-model-notification", "to tell")

@addon.on("turn:end")
@addon.on("tool:after", tool="bash")
def see(payload):
    pass

@addon.on("chat:params", transform=True)
def cool(payload):
    return {**payload, "params": {"temperature": 0}}

@addon.on("tool:before", gate=True)
async def judge(payload):
    return {"maybe": True} if payload["name"] == "odd" else None

@addon.enter("bash")
def enter(context):
    command = context["args"]["command"]
    return "not today" if command == "rm" else {"command": command.upper()} if command else None

@addon.exit()
def leave(context):
    return "changed" if context["error"] else None

@addon.command("deploy", "run it")
def deploy(args, call):
    done = call.host.exec(f"deploy {args}")
    call.host.notify(done["stdout"])
    call.host.state_set("last", args)
    call.host.log(f"deployed {call.host.state_get('last')}", "warning")
    try:
        call.host.set_model("x")
    except HostRefused as refused:
        return f"{done['code']} {refused.name} {sorted(call.host.granted)}"

@addon.tool("slow", "Waits.", {"type": "object", "properties": {}})
def slow(args, call):
    print("this is no message")
    call.progress("half")
    return "stopped" if call.wait(60) else "over"

@addon.task("watch", "looks", restarts=2)
def watch(call):
    while not call.wait(60):
        pass

addon.run()
"""

JAVASCRIPT = """
const { Addon } = await import(process.env.INDUS_ADDON_JS);
const addon = new Addon("all", "2.0", "Everything at once.");
addon.needs("scoped-fs(execute)", "to deploy", { required: true });
addon.needs("emit-model-notification", "to tell");
addon.on("tool:after", { tool: "bash" }, () => {});
addon.on("turn:end", {}, () => {});
addon.on("chat:params", { transform: true }, (payload) => (
  { ...payload, params: { temperature: 0 } }));
addon.on("tool:before", { gate: true }, async ({ name }) => (
  name === "odd" ? { maybe: true } : undefined));
addon.enter("bash", ({ args: { command } }) => {
  if (command === "rm") return "not today";
  if (command) return { command: command.toUpperCase() };
});
addon.exit(null, ({ error }) => (error ? "changed" : undefined));
addon.command("deploy", "run it", async (args, { host }) => {
  const done = await host.exec(`deploy ${args}`);
  await host.notify(done.stdout);
  await host.stateSet("last", args);
  host.log(`deployed ${await host.stateGet("last")}`, "warning");
  try {
    await host.setModel("x");
  } catch (refused) {
    const granted = [...host.granted].sort().map((name) => `'${name}'`).join(", ");
    return `${done.code} ${refused.reason} [${granted}]`;
  }
});
addon.tool("slow", "Waits.", { type: "object", properties: {} }, (args, { progress, signal }) => {
  console.log("this is no message");
  progress("half");
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("over"), 60000);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve("stopped"); });
  });
});
const watch = ({ signal }) => (
  new Promise((resolve) => signal.addEventListener("abort", resolve)));
addon.task("watch", "looks", watch, { restarts: 2 });
addon.run();
"""
SDKS = {"all.py": PYTHON, "all.mjs": JAVASCRIPT}
both = pytest.mark.parametrize("name", SDKS)


class Store:
    def __init__(self) -> None:
        self.kept: dict[str, str | None] = {}

    async def get(self, key: str) -> str | None:
        return self.kept.get(key)

    async def set(self, key: str, value: str | None) -> None:
        self.kept[key] = value


@requirement("addons.tier1.protocol-page", "addons.tier1.sdk", "addons.tier1.protocol")
@pytest.mark.parametrize("name", ["safety.sh", "safety.py", "safety.mjs"])
async def test_each_addon_of_the_protocol_page_works_as_written(
    name: str, nursery: Nursery
) -> None:
    (block,) = [block for block in blocks_of(PAGE) if block.file == name]
    path = nursery.write(name, block.text)
    path.chmod(0o755)
    addon = await nursery.addon(path)
    assert (await addon.gate(0, EVENT, PLAIN)).stop is False
    decision = await addon.gate(0, EVENT, FORCED)
    assert (decision.stop, decision.reason) == (True, "no force push from here")
    begun = time.monotonic()
    await addon.close()
    assert time.monotonic() - begun < ProcessLimits().close_seconds  # it ended by itself


@requirement("addons.tier1.sdk")
def test_the_python_addon_of_the_page_has_ten_lines() -> None:
    (block,) = [block for block in blocks_of(PAGE) if block.file == "safety.py"]
    assert len([line for line in block.text.splitlines() if line]) <= 10


@pytest.mark.parametrize("name", ["safety.sh", "safety.py", "safety.mjs"])
async def test_the_safety_example_does_the_same_in_each_language(
    name: str, nursery: Nursery
) -> None:
    addon = await nursery.addon(EXAMPLES / "safety" / name)
    assert (await addon.gate(0, EVENT, PLAIN)).stop is False
    assert (await addon.gate(0, EVENT, FORCED)).reason == "no force push from here"
    assert (await addon.gate(0, EVENT, ToolPayload("read", {"path": "x"}))).stop is False


async def test_the_redactor_example_takes_a_key_out_of_a_result(nursery: Nursery) -> None:
    addon = await nursery.addon(EXAMPLES / "redactor" / "redactor.py")
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    context = ToolExitContext("read", "1", {}, ToolResult.text(f"key={key}"))
    assert await addon.exit(0, context) == RewriteResult(ToolResult.text("key=[an AWS key]"))
    assert await addon.exit(0, ToolExitContext("ls", "2", {}, ToolResult.text("x"))) == Continue()


async def test_the_notifier_example_tells_where_the_branch_is_and_ends_when_asked(
    nursery: Nursery,
) -> None:
    told: list[str] = []

    async def run(command: str) -> ExecOutcome:
        return ExecOutcome("abc\n", "", 0)

    async def notify(text: str) -> None:
        told.append(text)

    calls = HostCalls(FrameworkHandles(exec=run), notify)
    addon = await nursery.addon(EXAMPLES / "notifier" / "notifier.py", calls=calls)
    cancel = CancelToken()
    running = asyncio.ensure_future(addon.task("watch", cancel))
    await until(lambda: bool(told))
    cancel.cancel()
    async with asyncio.timeout(10):
        await running
    assert (told, nursery.told) == (["the branch is at abc"], [])


@both
async def test_an_addon_registers_what_its_author_decorated(name: str, nursery: Nursery) -> None:
    addon = await nursery.addon(nursery.write(name, SDKS[name]))
    assert await addon.start() == Offers(
        "all",
        "2.0",
        "Everything at once.",
        events=(
            OfferedEvent(HookEvent.TOOL_AFTER, HookKind.OBSERVE, "bash"),
            OfferedEvent(HookEvent.TURN_END, HookKind.OBSERVE),
            OfferedEvent(HookEvent.CHAT_PARAMS, HookKind.TRANSFORM),
            OfferedEvent(HookEvent.TOOL_BEFORE, HookKind.GATE),
        ),
        interceptors=(OfferedInterceptor("bash", enter=True), OfferedInterceptor(exit=True)),
        commands=(OfferedCommand("deploy", "run it"),),
        tools=(OfferedTool("slow", "Waits.", {"type": "object", "properties": {}}),),
        tasks=(OfferedTask("watch", "looks", 2),),
        capabilities=(
            WantedCapability("scoped-fs(execute)", "to deploy"),
            WantedCapability("emit-model-notification", "to tell", required=False),
        ),
    )


@both
async def test_handlers_answer_in_their_own_words(name: str, nursery: Nursery) -> None:
    addon = await nursery.addon(nursery.write(name, SDKS[name]))
    hot = ChatPayload({"temperature": 1})
    assert await addon.transform(2, HookEvent.CHAT_PARAMS, hot) == ChatPayload({"temperature": 0})
    assert (await addon.gate(3, EVENT, PLAIN)).stop is False
    entered = [
        await addon.enter(0, ToolEnterContext("bash", "1", {"command": command}))
        for command in ("ls", "rm", "")
    ]
    assert entered[0] == RewriteArguments({"command": "LS"})
    assert isinstance(entered[1], Block)
    assert entered[1].decision.reason == "not today"
    assert entered[2] == Continue()
    failed = ToolExitContext("bash", "1", {}, ToolResult.error("x"), "it broke")
    assert await addon.exit(1, failed) == RewriteResult(ToolResult.text("changed"))


@both
async def test_a_gate_that_returns_neither_a_reason_nor_nothing_fails(
    name: str, nursery: Nursery
) -> None:
    addon = await nursery.addon(nursery.write(name, SDKS[name]))
    with pytest.raises(ProcessFault, match="a gate returns a reason") as raised:
        await addon.gate(3, EVENT, ToolPayload("odd", {}))
    assert raised.value.kind is Kind.FAILED


@both
async def test_a_command_acts_through_the_handles_that_were_granted(
    name: str, nursery: Nursery
) -> None:
    ran: list[str] = []
    logged: list[tuple[LogLevel, str]] = []

    async def run(command: str) -> ExecOutcome:
        ran.append(command)
        return ExecOutcome("done\n", "", 0)

    async def notify(text: str) -> None:
        ran.append(text)

    store = Store()
    calls = HostCalls(FrameworkHandles(exec=run), notify, store, lambda *said: logged.append(said))
    addon = await nursery.addon(nursery.write(name, SDKS[name]), calls=calls)
    typed = CommandContext("staging", nursery.folder, FrameworkHandles())
    said = await addon.command("deploy", typed)
    assert said == "0 not-granted ['exec', 'notify', 'state/get', 'state/set']"
    assert ran == ["deploy staging", "done\n"]
    assert store.kept == {"last": "staging"}
    assert logged == [(LogLevel.WARNING, "deployed staging")]
    assert nursery.kinds == [Kind.NOT_GRANTED]


@both
async def test_a_tool_tells_its_progress_and_is_cancelled_without_ending_the_addon(
    name: str, nursery: Nursery
) -> None:
    limits = ProcessLimits(cancel_seconds=10)
    addon = await nursery.addon(nursery.write(name, SDKS[name]), limits=limits)
    told: list[str] = []
    running = asyncio.ensure_future(called(addon, "slow", {}, progress=told.append))
    await until(lambda: told == ["half"])
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await addon.gate(3, EVENT, PLAIN)).stop is False
    await until(lambda: "this is no message" in addon.complaints)
    assert nursery.told == []


@both
async def test_a_task_runs_until_it_is_asked_to_end(name: str, nursery: Nursery) -> None:
    addon = await nursery.addon(nursery.write(name, SDKS[name]))
    await addon.start()
    cancel = CancelToken()
    running = asyncio.ensure_future(addon.task("watch", cancel))
    assert (await addon.gate(3, EVENT, PLAIN)).stop is False
    assert not running.done()
    cancel.cancel()
    async with asyncio.timeout(10):
        await running
    assert nursery.told == []


def test_the_sdk_starts_about_as_fast_as_what_it_is_made_of(tmp_path: Path) -> None:
    """`make bench` is where milliseconds count."""
    script = tmp_path / "addon.py"
    script.write_text("from indus_addon import Addon\nAddon('x').run()\n")

    def least(*words: str) -> float:
        took: list[float] = []
        for _ in range(7):
            begun = time.perf_counter()
            subprocess.run(
                [sys.executable, *words], stdin=subprocess.DEVNULL, check=True, timeout=30,
                env={"PATH": os.environ["PATH"]},
            )  # fmt: skip
            took.append(time.perf_counter() - begun)
        return min(took)

    for _ in range(4):  # neighbours may be at work
        times = least(str(script)) / least("-c", "import json, threading, typing, importlib")
        if times < 2:
            return
    pytest.fail(f"{times:.1f} times as long")


def test_the_sdk_imports_nothing_of_the_host_and_no_event_loop() -> None:
    code = "import indus_addon, sys; print('\\n'.join(sys.modules))"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    ).stdout.split()
    roots = {name.partition(".")[0] for name in said}
    assert not roots & {"induscode", "asyncio", "msgspec", "dataclasses", "inspect"}
