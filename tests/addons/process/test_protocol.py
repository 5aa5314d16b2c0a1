"""The edges of the protocol: registrations, what an addon may ask, limits of both sides."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from induscode.addons.acting import HostCalls
from induscode.addons.contract import ExecOutcome, FrameworkHandles, HookEvent, ToolPayload
from induscode.addons.offers import CONTRIBUTIONS_MOST
from induscode.addons.process import started
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.faults import ProcessFaultKind as Kind
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.registration import registration_of
from induscode.errors import HandleClosed, ServiceRefused, UserError
from induscode.feature.limits import SCHEMA_BYTES
from induscode.kernel.content import plain_text
from tests.addons.process.nursery import CALL, Nursery, called
from tests.requirements import requirement

EVENT = HookEvent.TOOL_BEFORE
ASKING = """
import json
from indus_addon import Addon, HostRefused

addon = Addon("asking")

@addon.tool("ask", "Asks the host.")
def ask(args, call):
    try:
        return json.dumps(call._wire.ask(args["method"], args["params"]))
    except HostRefused as refused:
        return f"{refused.code} {refused.name}: {refused}"

@addon.on("tool:before", gate=True)
def gate(payload):
    return None

addon.run()
"""


def tool(name: str = "count", **parameters: Any) -> dict[str, Any]:
    return {"name": name, "description": "x", "parameters": {"type": "object", **parameters}}


@pytest.mark.parametrize(
    ("register", "says"),
    [
        ({"events": [{"event": "tool:befor", "kind": "gate"}]}, "tool:befor"),
        ({"events": [{"event": "tool:before", "kind": "veto"}]}, "veto"),
        ({"event": []}, "unknown field `event`"),
        ({"commands": [{"name": "two words"}]}, "name"),
        ({"commands": [{"name": "a"}, {"name": "a"}]}, "commands: a is there twice"),
        ({"tools": [tool(), tool()]}, "tools: count is there twice"),
        ({"tasks": [{"name": "a"}, {"name": "a"}]}, "tasks: a is there twice"),
        ({"tools": [tool("../x")]}, "name"),
        ({"tools": [tool() | {"parameters": {"type": "string"}}]}, "no schema of type object"),
        ({"tools": [tool(title="x" * SCHEMA_BYTES)]}, f"over {SCHEMA_BYTES} bytes"),
        ({"commands": [{"name": f"c{n}"} for n in range(CONTRIBUTIONS_MOST + 1)]}, "length"),
    ],
    ids=str,
)
def test_a_registration_that_cannot_be_used_names_its_field(
    register: dict[str, Any], says: str
) -> None:
    answer = msgspec.Raw(msgspec.json.encode({"protocol": 1, "name": "x", "register": register}))
    with pytest.raises(ProcessFault) as raised:
        registration_of(answer)
    assert raised.value.kind is Kind.BAD_REGISTRATION
    assert says in str(raised.value)


@requirement("addons.tier1.protocol")
def test_another_version_is_refused_before_its_registration_is_read() -> None:
    answer = msgspec.Raw(b'{"protocol":2,"name":"x","register":{"something":"new"}}')
    with pytest.raises(ProcessFault, match="this host speaks version 1") as raised:
        registration_of(answer)
    assert raised.value.kind is Kind.WRONG_PROTOCOL


async def ask(nursery: Nursery, calls: HostCalls, method: str, **params: Any) -> str:
    addon = await nursery.addon(nursery.write("asking.py", ASKING), calls=calls)
    result = await called(addon, "ask", {"method": method, "params": params})
    return plain_text(result.content)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ServiceRefused("it was taken back"), "-32001 not-granted: it was taken back"),
        (HandleClosed("the session is over"), "-32001 not-granted: the session is over"),
        (UserError("no shell here"), "-32004 failed: no shell here"),
        (OSError("disk full"), "-32004 failed: disk full"),
        (RuntimeError("our mistake"), "-32004 failed: the host failed"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
async def test_what_stands_behind_a_call_fails_in_its_own_words(
    nursery: Nursery, error: Exception, says: str
) -> None:
    async def run(command: str) -> ExecOutcome:
        raise error

    calls = HostCalls(FrameworkHandles(exec=run))
    assert await ask(nursery, calls, "exec", command="ls") == says
    assert len(nursery.told) == (0 if says.startswith("-32004") and "host" not in says else 1)


async def test_calls_that_make_no_sense_are_answered_by_name(nursery: Nursery) -> None:
    async def notify(text: str) -> None:
        raise AssertionError(text)

    calls = HostCalls(notify=notify)
    assert (await ask(nursery, calls, "format_disk")).startswith("-32601 unknown-method")
    assert (await ask(nursery, calls, "notify", text=7)).startswith("-32602 bad-params")
    assert nursery.told == []


async def test_more_calls_at_a_time_than_allowed_are_answered_as_busy(nursery: Nursery) -> None:
    release = asyncio.Event()

    async def notify(text: str) -> None:
        await release.wait()

    path = nursery.write("asking.py", ASKING)
    limits = ProcessLimits(host_calls=2)
    addon = await nursery.addon(path, calls=HostCalls(notify=notify), limits=limits)
    params = {"method": "notify", "params": {"text": "x"}}
    running = [asyncio.ensure_future(called(addon, "ask", params)) for _ in range(3)]
    async with asyncio.timeout(20):
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    assert [plain_text(task.result().content)[:11] for task in done] == ["-32002 busy"]
    release.set()
    await asyncio.gather(*running)


async def test_what_is_too_large_to_tell_fails_its_call_and_nothing_else(nursery: Nursery) -> None:
    limits = ProcessLimits(frame_bytes=10_000)
    addon = await nursery.addon(nursery.write("asking.py", ASKING), limits=limits)
    with pytest.raises(ProcessFault, match="over 10000 bytes") as raised:
        await addon.gate(0, EVENT, ToolPayload("write", {"content": "x" * 20_000}))
    assert raised.value.kind is Kind.TOO_LARGE
    assert (await addon.gate(0, EVENT, CALL)).stop is False
    assert nursery.told == []


LAUNCHER = """
import os, socket, struct

line = socket.socket(fileno=os.dup(1))
size, streams, _, _ = socket.recv_fds(line, 4, 2)
fields = line.recv(struct.unpack("!I", size)[0], socket.MSG_WAITALL).split(b"\\0")
if b"s" in fields[0]:
    line.sendall(b"namespaces\\n?")
    os._exit(1)
words = fields[7 : 7 + int(fields[3])]
pairs = fields[7 + len(words) :][: int(fields[4])]
os.dup2(streams[0], 0)
os.dup2(streams[1], 1)
os.execve(words[0], words, dict(pair.split(b"=", 1) for pair in pairs))
"""


async def test_where_namespaces_cannot_be_used_it_is_tried_without_and_told(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    launcher = tmp_path / "launcher.py"
    launcher.write_text(LAUNCHER)
    monkeypatch.setattr(started, "_LAUNCHER", str(launcher))
    addon = await nursery.addon(nursery.write("asking.py", ASKING))
    assert (await addon.gate(0, EVENT, CALL)).stop is False
    assert "use the network" in addon.unconfined
    assert "any number of processes" in addon.unconfined
