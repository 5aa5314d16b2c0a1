"""The shapes: closed, immutable, of the kernel, and nothing but shapes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import get_args

import msgspec
import pytest

from induscode.addons import contract
from induscode.addons.contract import (
    ADDON_MANIFEST_FIELD,
    ADDONS_DIR,
    PAYLOAD_TYPES,
    AddonFault,
    AddonFaultKind,
    AddonId,
    AddonTool,
    ChatPayload,
    CompactPayload,
    ContextMessage,
    ContextPayload,
    EventSubscription,
    FrameworkHandles,
    HookEvent,
    HookHandler,
    HookKind,
    InputPayload,
    LifecyclePayload,
    LoaderError,
    LoaderErrorKind,
    MessagePayload,
    Payload,
    RegisteredManifest,
    ShellPayload,
    ToolEnterContext,
    ToolPayload,
)
from induscode.kernel.tool import AgentTool, ToolResult
from tests.requirements import requirement

WATCH = """
import sys
acts = []
def hook(name, given):
    if name == "open" and str(given[0]).endswith((".py", ".pyc")):
        return
    if name.startswith(("open", "socket", "subprocess", "os.posix_spawn", "os.fork", "os.exec")):
        acts.append((name, str(given[0])))
{first}
sys.addaudithook(hook)
import induscode.addons.contract
import json
print(json.dumps([acts, sorted(m for m in sys.modules if m.startswith("induscode.addons"))]))
"""


@requirement("addons.contract.no-io")
def test_importing_the_contract_touches_nothing_and_no_other_module_of_addons() -> None:
    code = WATCH.format(first="import msgspec, typing, enum, asyncio, json, importlib")
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    acts, modules = json.loads(told.stdout)
    assert acts == []
    own = "induscode.addons.contract"
    assert [m for m in modules if m != own and not m.startswith(f"{own}.")] == ["induscode.addons"]


@requirement("addons.contract.reuses-kernel-tool", "addons.surface.addon-tool")
def test_tools_and_results_are_those_of_the_kernel() -> None:
    assert AddonTool is AgentTool
    assert contract.ToolExitContext.__annotations__["result"] == "ToolResult"
    assert contract.interception.ToolResult is ToolResult
    own = {name for name in contract.__all__ if name.endswith(("AgentTool", "ToolResult"))}
    assert own == set()


@requirement("addons.events.wire-names")
def test_events_read_and_write_their_wire_names_and_refuse_others() -> None:
    names = [
        "session:start", "session:end", "turn:start", "turn:end", "tool:before", "tool:after",
        "chat:params", "chat:message", "shell:env", "input:submit", "context:build",
        "compact:build", "compact:before",
    ]  # fmt: skip
    assert [str(event) for event in HookEvent] == names
    assert msgspec.json.decode(b'"tool:before"', type=HookEvent) is HookEvent.TOOL_BEFORE
    assert msgspec.json.encode(HookEvent.SHELL_ENV) == b'"shell:env"'
    for wrong in ("tool:befor", "TOOL:BEFORE", "tool-before", ""):
        with pytest.raises(ValueError, match="is not a valid HookEvent"):
            HookEvent(wrong)


@requirement("addons.events.guards")
def test_three_events_guard() -> None:
    assert {event for event in HookEvent if event.guards()} == {
        HookEvent.TOOL_BEFORE,
        HookEvent.INPUT_SUBMIT,
        HookEvent.COMPACT_BEFORE,
    }


@requirement("addons.payload.closed-union")
@pytest.mark.parametrize(
    ("payload", "fields"),
    [
        (ToolPayload("bash", {"command": "ls"}), {"name", "args"}),
        (ChatPayload({"temperature": 1}), {"params"}),
        (MessagePayload("hello"), set[str]()),
        (ShellPayload({"A": "b"}), {"env"}),
        (InputPayload("hi"), {"text"}),
        (ContextPayload((ContextMessage("user", "hi", "e1"),)), {"messages"}),
        (CompactPayload("full"), {"reason"}),
        (LifecyclePayload(), set[str]()),
    ],
)
def test_a_payload_survives_json_and_knows_its_group(payload: Payload, fields: set[str]) -> None:
    assert fields <= set(payload.__struct_fields__)
    assert msgspec.json.decode(msgspec.json.encode(payload), type=Payload) == payload
    assert len(get_args(Payload)) == 8


def test_every_event_has_its_payload() -> None:
    assert set(PAYLOAD_TYPES) == set(HookEvent)
    assert set(PAYLOAD_TYPES.values()) == set(get_args(Payload))
    assert PAYLOAD_TYPES[HookEvent.COMPACT_BEFORE] is CompactPayload


@requirement("addons.surface.hook-types")
def test_there_are_three_kinds_of_handlers() -> None:
    assert [str(kind) for kind in HookKind] == ["observe", "transform", "gate"]
    assert [handler.kind for handler in get_args(HookHandler)] == list(HookKind)


@requirement("addons.surface.registered-manifest", "addons.surface.seeded-empty")
def test_an_empty_manifest_has_four_empty_streams_and_cannot_be_changed() -> None:
    empty = RegisteredManifest.empty()
    streams = (empty.subscriptions, empty.interceptors, empty.commands, empty.tools)
    assert streams == ((), (), (), ())
    with pytest.raises(AttributeError):
        empty.tools = ()


@requirement("addons.surface.stage-types")
def test_the_enter_context_has_tool_call_and_arguments() -> None:
    assert ToolEnterContext.__struct_fields__ == ("tool", "call_id", "args")


@requirement("addons.handles.optional", "addons.handles.no-render")
def test_handles_are_four_and_absent_unless_given() -> None:
    handles = FrameworkHandles()
    assert handles.__struct_fields__ == ("send_message", "set_model", "set_thinking", "exec")
    assert {getattr(handles, name) for name in handles.__struct_fields__} == {None}


@requirement("addons.discovery.addons-dir", "addons.discovery.manifest-field")
def test_the_directory_and_the_field_have_their_names() -> None:
    assert ADDONS_DIR == ".indus/addons"
    assert ADDON_MANIFEST_FIELD == "indusAddon"


@requirement("addons.fault.kinds-closed")
def test_faults_have_five_kinds() -> None:
    assert [str(kind) for kind in AddonFaultKind] == [
        "load", "register", "handler", "command", "conflict",
    ]  # fmt: skip


@requirement("addons.fault.fields", "addons.fault.builders", "addons.fault.text")
def test_a_fault_says_its_kind_its_message_and_whose_it_is() -> None:
    bare = AddonFault(AddonFaultKind.LOAD, "no manifest")
    cause = OSError("gone")
    full = bare.with_addon(AddonId("safety")).with_cause(cause)
    assert (bare.addon, bare.cause, str(bare)) == (None, None, "[Load] no manifest")
    assert (full.kind, full.message, full.addon) == (AddonFaultKind.LOAD, "no manifest", "safety")
    assert isinstance(full, Exception)
    assert full.cause is cause
    assert full.__cause__ is cause
    assert str(full) == "[Load] no manifest (addon: safety)"


def test_a_fault_is_one_printable_line_of_bounded_length() -> None:
    fault = AddonFault(AddonFaultKind.HANDLER, "a\nb\x1b[2J\u202ec" + "x" * 9_999)
    assert fault.message.startswith("a b [2J c")
    assert fault.message.isprintable()
    assert len(fault.message) <= contract.FAULT_CHARACTERS
    assert str(fault.with_addon(AddonId("x\ny"))).endswith("(addon: x y)")


def test_an_unsupported_loader_error_says_so_and_names_the_path(tmp_path) -> None:
    error = LoaderError.unsupported(tmp_path / "x.ts", "no runtime", hint="take tier 1")
    assert error.kind is LoaderErrorKind.UNSUPPORTED
    assert str(error) == f"{tmp_path}/x.ts: no runtime; take tier 1"


def test_subscriptions_cannot_be_changed() -> None:
    async def watch(payload: Payload) -> None: ...

    made = EventSubscription(AddonId("a"), HookEvent.TURN_END, contract.Observe(watch))
    with pytest.raises(AttributeError):
        made.addon = AddonId("b")
