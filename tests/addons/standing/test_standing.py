"""Addons at rest: known, started by their first call, and held to what is known."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonFaultKind,
    CommandContext,
    ExecOutcome,
    FrameworkHandles,
    GateDecision,
    HookEvent,
    HookKind,
    LoaderError,
    LoaderErrorKind,
)
from induscode.addons.offers import OfferedEvent, OfferedTask, Offers
from induscode.addons.package import package_at
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.faults import ProcessFaultKind as Kind
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.standing import look
from induscode.errors import HandleClosed
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from tests.addons.process.nursery import context
from tests.addons.standing.field import BASH, READ, Field
from tests.addons.wasm.parts import GUARD

MANIFEST = """
version = "2.0"
description = "Keeps you safe."
[[capability]]
name = "scoped-fs(execute)"
reason = "to count"
[[command]]
name = "deploy"
summary = "run it"
exec = "./deploy.sh"
[[gate]]
event = "tool:before"
match-tool = "bash"
reason = "no"
[[hook]]
event = "turn:end"
command = ["./hook.sh"]
[[tool]]
name = "count"
description = "Counts."
command = ["wc"]
[[task]]
id = "watch"
restarts = 2
command = ["./watch.sh"]
"""
PYTHON = """
from indus_addon import Addon

addon = Addon("made", "1.0")

@addon.on("tool:before", gate=True, tool="bash")
def judge(payload):
    return "not " + payload["args"]["command"]

@addon.command("where")
def where(args, call):
    return " ".join(sorted(call.host.granted)) + call.host.exec("x")["stdout"]

@addon.tool("say", "Says.")
def say(args, call):
    call.progress("half")
    return args["text"]

@addon.task("wait")
def wait(call):
    call.wait(60)

addon.run()
"""


async def test_a_manifest_offers_everything_that_it_declares(field: Field) -> None:
    package = field.manifest(MANIFEST)
    offers = await look(package, field.footing())
    assert msgspec.json.decode(msgspec.json.encode(offers)) == {
        "id": "made",
        "version": "2.0",
        "description": "Keeps you safe.",
        "events": [
            {"event": "tool:before", "kind": "gate", "tool": "bash"},
            {"event": "turn:end", "kind": "observe", "program": True},
        ],
        "commands": [{"name": "deploy", "summary": "run it", "exec": "./deploy.sh"}],
        "tools": [
            {
                "name": "count",
                "description": "Counts.",
                "parameters": {"type": "object", "properties": {}},
            }
        ],
        "tasks": [{"name": "watch", "description": "", "restarts": 2}],
        "capabilities": [{"name": "scoped-fs(execute)", "reason": "to count", "required": True}],
    }
    recorded = (await field.placed(package)).recorded
    kinds = [(one.event, one.handler.kind) for one in recorded.subscriptions]
    assert kinds == [
        (HookEvent.TOOL_BEFORE, HookKind.GATE),
        (HookEvent.TURN_END, HookKind.OBSERVE),
    ]
    assert [command.name for command in recorded.commands] == ["deploy"]
    assert [(card.name, card.read_only) for card in recorded.tools] == [("count", False)]
    assert [(task.name, task.restarts) for task in recorded.tasks] == [("watch", 2)]
    gate = recorded.subscriptions[0].handler
    assert await gate.run(BASH) == GateDecision(stop=True, reason="no")
    assert await gate.run(READ) == GateDecision(stop=False)


async def test_a_manifest_that_is_not_the_approved_one_does_not_stand(field: Field) -> None:
    package = field.manifest(MANIFEST)
    offers = await look(package, field.footing())
    field.manifest(MANIFEST.replace("./deploy.sh", "./other.sh"))
    with pytest.raises(LoaderError, match="something else than what was approved"):
        await field.placed(package, offers=offers)


async def test_a_program_at_rest_is_not_started_before_its_first_call(field: Field) -> None:
    package = package_at(field.write("made.py", PYTHON))
    offers = await look(package, field.footing())
    assert list(field.left()) == []
    placed = await field.placed(package, offers=offers)
    assert await placed.handler.run(READ) == GateDecision(stop=False)  # is not about its tool
    assert list(field.left()) == []
    assert await placed.handler.run(BASH) == GateDecision(stop=True, reason="not ls")
    assert len(list(field.left())) == 1
    assert placed.standing.unconfined == ""
    await placed.standing.close()
    assert list(field.left()) == []
    with pytest.raises(ProcessFault, match="it is closed"):
        await placed.handler.run(BASH)


async def test_a_program_at_rest_serves_its_tools_commands_and_tasks(field: Field) -> None:
    async def run(command: str) -> ExecOutcome:
        return ExecOutcome(f" ran {command}", "", 0)

    package = package_at(field.write("made.py", PYTHON))
    offers = await look(package, field.footing())
    handles = FrameworkHandles(exec=run)
    placed = await field.placed(package, offers=offers, calls=HostCalls(handles))
    told: list[str] = []
    result = await placed.tool.execute({"text": "hello"}, context(field.folder, told.append))
    assert (plain_text(result.content), told) == ("hello", ["half"])
    typed = CommandContext("", field.folder, FrameworkHandles())
    assert await placed.recorded.commands[0].run(typed) == "exec ran x"
    cancel = CancelToken()
    running = asyncio.ensure_future(placed.task(cancel))
    cancel.cancel()
    async with asyncio.timeout(20):
        await running
    assert field.faults == []


TELLING = """
import json, os, sys
asked = json.loads(sys.stdin.readline())
said = list(asked["params"]["granted"])
for path in sys.argv[0], "WORKSPACE":
    try:
        said.append(str(len(os.listdir(path) if os.path.isdir(path) else open(path).read()) > 0))
    except OSError as error:
        said.append(error.strerror)
answer = {"protocol": 1, "name": "Not An Id", "version": " ".join(said)}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
sys.stdin.read()
"""


async def test_a_look_grants_nothing_and_leaves_nothing(field: Field) -> None:
    async def notify(text: str) -> None:
        raise AssertionError(text)

    (field.workspace / "notes").write_text("mine")
    text = TELLING.replace("WORKSPACE", str(field.workspace))
    package = package_at(field.write("own/telling.py", text))
    footing = field.footing(allow_fs=True, calls=HostCalls(notify=notify))
    offers = await look(package, footing)
    assert offers == Offers(version="True Permission denied")
    assert list(field.left()) == []
    assert field.faults == []


async def test_a_look_at_a_program_that_does_not_register_says_why(field: Field) -> None:
    package = package_at(field.write("own/broken.py", "import sys\nsys.exit('no such module')\n"))
    with pytest.raises(LoaderError, match="exit code 1; it said: no such module") as raised:
        await look(package, field.footing())
    assert raised.value.kind is LoaderErrorKind.FAILED
    assert list(field.left()) == []


async def test_a_look_at_what_no_interpreter_runs_says_what_to_do(field: Field) -> None:
    package = package_at(field.write("own/view.tsx", ""))
    with pytest.raises(LoaderError, match=r"no interpreter runs .tsx") as raised:
        await look(package, field.footing())
    assert raised.value.kind is LoaderErrorKind.UNSUPPORTED
    placed = await field.placed(package, offers=Offers(tasks=(OfferedTask("x"),)))
    with pytest.raises(ProcessFault, match="it could not be started") as fault:
        await placed.task(CancelToken())
    assert fault.value.kind is Kind.NOT_STARTED
    assert "compile it to .js" in fault.value.hint


async def test_a_look_at_a_file_that_is_no_component_says_so(field: Field) -> None:
    package = package_at(field.write("own/junk.wasm", "junk"))
    with pytest.raises(LoaderError, match="no WebAssembly component") as raised:
        await look(package, field.footing())
    assert raised.value.kind is LoaderErrorKind.INVALID


@pytest.mark.parametrize(
    "other",
    [
        Offers("made", "1.0"),
        Offers("made", "1.0", tasks=(OfferedTask("wait", restarts=1),)),
        Offers("made", "1.0", events=(OfferedEvent(HookEvent.TOOL_BEFORE, HookKind.GATE),)),
    ],
)
async def test_a_program_that_registers_something_else_than_approved_answers_nothing(
    field: Field, other: Offers
) -> None:
    package = package_at(field.write("made.py", PYTHON))
    offers = await look(package, field.footing())
    approved = msgspec.structs.replace(other, events=offers.events, tools=offers.tools)
    placed = await field.placed(package, offers=approved)
    for _ in range(2):
        with pytest.raises(ProcessFault) as raised:
            await placed.handler.run(BASH)
        assert raised.value.kind is Kind.BAD_REGISTRATION
        assert "it registers something else than what was approved" in str(raised.value)
    with pytest.raises(ProcessFault, match="something else"):
        await placed.tool.execute({"text": ""}, context(field.folder))
    await field.until_nothing_is_left()
    assert [fault.kind for fault in field.faults] == [AddonFaultKind.HANDLER]


async def test_a_program_that_says_what_only_a_manifest_can_say_is_refused(field: Field) -> None:
    for register, says in [
        ({"commands": [{"name": "x", "exec": "rm -rf ."}]}, "only a manifest's has"),
        ({"events": [{"event": "turn:end", "kind": "observe", "program": True}]}, "manifest"),
        ({"id": "../../x"}, "no id of an addon"),
        ({"capabilities": [{"name": "root", "reason": "fun"}]}, "root"),
    ]:
        answer = f'answer["register"] = {register!r}\nprint(json'
        text = TELLING.replace("print(json", answer)
        package = package_at(field.write("own/telling.py", text))
        with pytest.raises(LoaderError, match=says):
            await look(package, field.footing())


STAND = """
import sys
from pathlib import Path
from induscode.addons.contract import AddonId, FrameworkHandles
from induscode.addons.offers import OfferedTask, Offers
from induscode.addons.package import package_at
from induscode.addons.standing import Footing, standing
from induscode.addons.surface import RecordingSurface
from induscode.tools.processes.line import Keeper

for path in sys.argv[1:]:
    footing = Footing(Keeper(), Path("/"), Path("/"))
    surface = RecordingSurface(AddonId("x"), FrameworkHandles())
    standing(package_at(Path(path)), Offers(tasks=(OfferedTask("x"),)), footing).record(surface)
heavy = ("wasmtime", "tomllib", "induscode.addons.starting", "induscode.addons.process.peer")
print([name for name in heavy if name in sys.modules])
"""


def test_making_addons_stand_imports_nothing_that_runs_them(tmp_path: Path) -> None:
    script = tmp_path / "made.py"
    script.write_text(PYTHON)
    words = [sys.executable, "-c", STAND, str(script), str(GUARD)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_an_addon_that_was_closed_before_its_first_call_does_not_begin(
    field: Field,
) -> None:
    package = package_at(field.write("made.py", PYTHON))
    placed = await field.placed(package)
    await placed.standing.close()
    with pytest.raises(HandleClosed, match="it is closed"):
        await placed.handler.run(BASH)
    assert list(field.left()) == []


async def test_a_program_that_crashes_too_often_is_disabled_in_the_same_words(
    field: Field,
) -> None:
    dying = PYTHON.replace('return "not "', 'import os; os._exit(5); return "not "')
    package = package_at(field.write("made.py", dying))
    placed = await field.placed(package, process_limits=ProcessLimits(close_seconds=0.5))
    for _ in range(4):
        with pytest.raises(ProcessFault, match="exit code 5"):
            await placed.handler.run(BASH)
    with pytest.raises(ProcessFault, match="it is disabled: it ended 4 times within 5 minutes"):
        await placed.handler.run(BASH)
    assert len(field.faults) == 5
