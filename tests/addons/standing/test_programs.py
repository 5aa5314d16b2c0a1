"""Programs that a manifest declares: tools, hooks and tasks, run and ended."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

from induscode.addons.contract import GateDecision, HookEvent, InputPayload, ToolPayload
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.faults import ProcessFaultKind as Kind
from induscode.addons.process.limits import ProcessLimits
from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext, ToolResult
from tests.addons.process.nursery import context
from tests.addons.standing.field import BASH, READ, TURN, Field, Placed
from tests.requirements import requirement
from tests.tools.waiting import until, until_written

ECHO = """
[[tool]]
name = "echo"
description = "Says what it is given."
command = ["./echo.sh", "--", "{text}", "{more}"]
[tool.parameters.properties.text]
type = "string"
[tool.parameters.properties.more]
type = "array"
"""
WORDS = 'for word; do printf "<%s>" "$word"; done'


def hook(event: str, kind: str = "observe", extra: str = "") -> str:
    return f'[[hook]]\nevent = "{event}"\nkind = "{kind}"\ncommand = ["./hook.sh"]\n{extra}\n'


def tool(*command: str, extra: str = "") -> str:
    words = json.dumps(command)
    return f'[[tool]]\nname = "it"\ndescription = "Does it."\ncommand = {words}\n{extra}\n'


TASK = '[[task]]\nid = "watch"\ncommand = ["./watch.sh"]\n'


async def told(placed: Placed, folder: Path, **arguments: object) -> ToolResult:
    return await placed.tool.execute(arguments, context(folder))


@requirement("addons.tier0.extended-manifest")
async def test_a_tool_gets_each_argument_as_a_word_of_its_own(field: Field) -> None:
    placed = await field.declared(ECHO, echo=WORDS)
    nasty = "a b; $(touch hacked) `id` \"q\" 'p' \n* \\"
    result = await told(placed, field.folder, text=nasty, more=["-x", "ü", {"a": 1}])
    assert plain_text(result.content) == f'<--><{nasty}><-x><ü><{{"a":1}}>'
    assert not result.is_error
    assert list(field.workspace.iterdir()) == []


async def test_a_program_runs_in_the_workspace_with_an_environment_of_its_own(
    field: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INDUS_SECRET_THING", "canary")
    placed = await field.declared(tool("./it.sh"), it="pwd; umask; env; cat /dev/stdin")
    said = plain_text((await told(placed, field.folder)).content)
    where, mask, *environ = said.splitlines()
    assert (where, mask) == (str(field.workspace), "0077")
    assert f"MARK={field.mark}" in environ
    assert "canary" not in said


async def test_a_bare_word_is_a_program_on_the_path_and_never_a_file_of_the_workspace(
    field: Field,
) -> None:
    trap = field.workspace / "wc"
    trap.write_text("#!/bin/sh\necho trapped\n")
    trap.chmod(0o755)
    placed = await field.declared(tool("wc", "-c", "/etc/hostname"))
    size = Path("/etc/hostname").stat().st_size
    result = await told(placed, field.folder)
    assert plain_text(result.content).split() == [str(size), "/etc/hostname"]


async def test_a_program_that_fails_is_an_error_with_its_code_and_its_complaints(
    field: Field,
) -> None:
    field.secrets.add("MY_KEY", "sk-canary-9f2c41d7e8")
    script = "echo half; echo no such branch sk-canary-9f2c41d7e8 >&2; exit 7"
    placed = await field.declared(tool("./it.sh"), it=script)
    result = await told(placed, field.folder)
    assert result.is_error
    said = "half\nno such branch [redacted: MY_KEY]\n[it ended with exit code 7]"
    assert plain_text(result.content) == said
    assert result.details == {"exit_code": 7}


async def test_what_a_tool_says_is_cleaned_before_anybody_reads_it(field: Field) -> None:
    placed = await field.declared(tool("./it.sh"), it="printf 'key=canary\\377'")
    clean = msgspec.structs.replace(
        context(field.folder), clean=lambda text: text.replace("canary", "[secret]")
    )
    result = await placed.tool.execute({}, clean)
    assert plain_text(result.content) == "key=[secret]\ufffd"


async def test_a_program_that_says_nothing_says_so(field: Field) -> None:
    placed = await field.declared(tool("true"))
    assert plain_text((await told(placed, field.folder)).content) == "(no output)"


async def test_a_tool_that_is_not_done_in_time_is_ended_and_the_model_is_told(
    field: Field,
) -> None:
    script = "setsid sleep 300 & sleep 300"
    placed = await field.declared(tool("./it.sh", extra="seconds = 0.3"), it=script)
    result = await told(placed, field.folder)
    assert result.is_error
    assert plain_text(result.content) == "it was not done within 0.3 s"
    assert list(field.left()) == []


async def test_a_tool_that_says_too_much_is_ended(field: Field) -> None:
    package = field.manifest(tool("yes"))
    limits = ProcessLimits(frame_bytes=100_000)
    placed = await field.placed(package, process_limits=limits)
    result = await told(placed, field.folder)
    assert result.is_error
    assert plain_text(result.content) == "it said over 100000 bytes"
    assert list(field.left()) == []


async def test_a_cancelled_tool_is_killed_with_everything_that_it_started(field: Field) -> None:
    script = "trap '' TERM; setsid sleep 300 & echo begun > begun; sleep 300"
    placed = await field.declared(tool("./it.sh"), it=script, allow_fs=True)
    cancel = CancelToken()
    given: ToolContext = msgspec.structs.replace(context(field.folder), cancel=cancel)
    running = asyncio.ensure_future(placed.tool.execute({}, given))
    await until_written(field.workspace / "begun")
    cancel.cancel()
    with pytest.raises(Cancelled):
        await running
    assert list(field.left()) == []


async def test_a_tool_whose_program_is_not_there_fails_its_call(field: Field) -> None:
    placed = await field.declared(tool("./absent.sh"))
    with pytest.raises(ProcessFault, match=r"no program ./absent.sh in its package") as raised:
        await told(placed, field.folder)
    assert raised.value.kind is Kind.NOT_STARTED


async def test_a_text_that_no_program_can_be_given_is_an_error(field: Field) -> None:
    placed = await field.declared(ECHO, echo=WORDS)
    result = await told(placed, field.folder, text="a\0b")
    assert plain_text(result.content) == "an argument holds a NUL character"
    assert result.is_error


async def test_a_program_reaches_its_own_folder_and_no_files_of_the_workspace(
    field: Field,
) -> None:
    (field.workspace / "notes").write_text("mine")
    script = 'cat "$(dirname "$0")/own.txt"; cat notes; echo x > new'
    field.write("addon/own.txt", "own\n")
    placed = await field.declared(tool("./it.sh"), it=script)
    result = await told(placed, field.folder)
    said = plain_text(result.content)
    assert said.startswith("own\n")
    assert "mine" not in said
    assert said.count("Permission denied") == 2
    assert not (field.workspace / "new").exists()


async def test_a_program_reaches_the_files_that_were_granted(field: Field) -> None:
    (field.workspace / "notes").write_text("mine")
    placed = await field.declared(tool("./it.sh"), it="cat notes; echo x > new", allow_fs=True)
    assert plain_text((await told(placed, field.folder)).content) == "mine"
    assert (field.workspace / "new").read_text() == "x\n"


async def test_files_that_may_only_be_read_are_not_written(field: Field) -> None:
    (field.workspace / "notes").write_text("mine\n")
    package = field.manifest(tool("./it.sh"), it="cat notes; echo x > new")
    placed = await field.placed(package, allow_fs=True, read_only=True)
    said = plain_text((await told(placed, field.folder)).content)
    assert said.startswith("mine\n")
    assert "Permission denied" in said
    assert not (field.workspace / "new").exists()


async def test_a_program_of_somebody_s_home_reads_what_was_installed_with_it_and_no_more(
    field: Field,
) -> None:
    script = 'home=$(dirname "$(dirname "$0")"); cat "$home/lib/data" "$home/private"'
    program = field.write("home/bin/greet", f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    field.write("home/lib/data", "hello\n")
    field.write("home/private", "canary")
    field.path = f"{program.parent}:{field.path}"
    placed = await field.declared(tool("greet"))
    said = plain_text((await told(placed, field.folder)).content)
    assert said.startswith("hello\n")
    assert "canary" not in said
    assert "private: Permission denied" in said


async def test_an_observing_hook_reads_the_payload_and_is_not_asked_for_an_answer(
    field: Field,
) -> None:
    text = hook("tool:before", extra='match-tool = "Bash"')
    placed = await field.declared(text, hook="cat > heard; echo junk", allow_fs=True)
    handler = placed.handler
    await handler.run(READ)
    assert not (field.workspace / "heard").exists()
    await handler.run(BASH)
    heard = (field.workspace / "heard").read_bytes()
    assert msgspec.json.decode(heard, type=ToolPayload) == BASH


async def test_a_hook_need_not_read_what_it_is_given(field: Field) -> None:
    placed = await field.declared(hook("input:submit", "transform"), hook="exec <&-; exit 0")
    payload = InputPayload("x" * 1_000_000)
    assert await placed.handler.run(payload) == payload


async def test_a_transforming_hook_answers_with_the_payload_or_nothing(field: Field) -> None:
    script = (
        'read -r line; case $line in *leave*) ;; *) echo \'{"type":"input","text":"y"}\';; esac'
    )
    placed = await field.declared(hook("input:submit", "transform"), hook=script)
    run = placed.handler.run
    assert await run(InputPayload("x")) == InputPayload("y")
    assert await run(InputPayload("leave it")) == InputPayload("leave it")


@pytest.mark.parametrize(
    ("script", "decision"),
    [
        ("exit 0", GateDecision(stop=False)),
        ("echo '{\"stop\": false}'", GateDecision(stop=False)),
        (
            'echo \'{"stop": true, "reason": "not on friday"}\'',
            GateDecision(stop=True, reason="not on friday"),
        ),
    ],
)
async def test_a_gate_decides_by_what_it_says(
    field: Field, script: str, decision: GateDecision
) -> None:
    placed = await field.declared(hook("tool:before", "gate"), hook=script)
    assert await placed.handler.run(BASH) == decision


@pytest.mark.parametrize(
    ("script", "says", "kind"),
    [
        ("echo broken >&2; exit 1", "exit code 1; it said: broken", Kind.FAILED),
        ('echo \'{"stop": "no"}\'', "its answer is not usable", Kind.BAD_ANSWER),
        ("echo fine", "its answer is not usable", Kind.BAD_ANSWER),
        ("kill -9 $$", "signal 9", Kind.FAILED),
        ("sleep 300", "within 0.3 s", Kind.OUT_OF_TIME),
    ],
)
async def test_a_gate_that_does_not_decide_fails(
    field: Field, script: str, says: str, kind: Kind
) -> None:
    text = hook("tool:before", "gate", "seconds = 0.3")
    placed = await field.declared(text, hook=script)
    with pytest.raises(ProcessFault, match=says) as raised:
        await placed.handler.run(BASH)
    assert raised.value.kind is kind


async def test_a_task_runs_until_it_is_cancelled_and_may_take_its_leave(field: Field) -> None:
    script = (
        "trap 'echo left > left; exit 0' TERM; echo begun > begun; while :; do sleep 0.05; done"
    )
    placed = await field.declared(TASK, watch=script, allow_fs=True)
    cancel = CancelToken()
    running = asyncio.ensure_future(placed.task(cancel))
    await until_written(field.workspace / "begun")
    assert not running.done()
    cancel.cancel()
    async with asyncio.timeout(20):
        await running
    assert (field.workspace / "left").read_text() == "left\n"
    assert list(field.left()) == []


async def test_a_task_that_was_cancelled_before_it_began_ends(field: Field) -> None:
    placed = await field.declared(TASK, watch="sleep 300")
    cancel = CancelToken()
    cancel.cancel()
    async with asyncio.timeout(20):
        await placed.task(cancel)


async def test_a_task_that_does_not_listen_is_killed(field: Field) -> None:
    script = "trap '' TERM; echo begun > begun; while :; do sleep 0.05; done"
    package = field.manifest(TASK, watch=script)
    limits = ProcessLimits(close_seconds=0.3)
    placed = await field.placed(package, allow_fs=True, process_limits=limits)
    cancel = CancelToken()
    running = asyncio.ensure_future(placed.task(cancel))
    await until_written(field.workspace / "begun")
    cancel.cancel()
    async with asyncio.timeout(20):
        await running
    assert list(field.left()) == []


async def test_a_task_that_ends_badly_fails_and_one_that_ends_well_is_over(field: Field) -> None:
    placed = await field.declared(TASK, watch="echo why >&2; exit $(cat code)", allow_fs=True)
    (field.workspace / "code").write_text("3")
    with pytest.raises(ProcessFault, match="it ended with exit code 3; it said: why"):
        await placed.task(CancelToken())
    (field.workspace / "code").write_text("0")
    await placed.task(CancelToken())


async def test_what_runs_ends_when_the_addon_is_closed(field: Field) -> None:
    script = "trap '' TERM; setsid sleep 300 & echo begun > begun; sleep 300; sleep 300"
    placed = await field.declared(TASK + tool("true"), watch=script, allow_fs=True)
    running = asyncio.ensure_future(placed.task(CancelToken()))
    await until_written(field.workspace / "begun")
    await placed.standing.close()
    assert list(field.left()) == []
    with pytest.raises(ProcessFault, match="signal 9"):
        await running
    with pytest.raises(ProcessFault, match="it is closed"):
        await told(placed, field.folder)


async def test_on_this_machine_programs_of_a_manifest_are_confined(field: Field) -> None:
    placed = await field.declared(hook("turn:end"), hook="true")
    await placed.handler.run(TURN)
    assert placed.standing.unconfined == ""
    assert placed.recorded.subscriptions[0].event is HookEvent.TURN_END


async def test_where_a_wall_is_missing_the_person_is_told(
    field: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.addons.process.workshop.told_of", lambda _reach, walls: walls)
    placed = await field.declared(tool("true"))
    assert placed.standing.unconfined == ""
    await told(placed, field.folder)
    assert placed.standing.unconfined != ""


async def test_a_task_that_talks_without_end_costs_no_memory(field: Field) -> None:
    placed = await field.declared(
        TASK, watch="yes | head -c 3000000; echo over > over", allow_fs=True
    )
    running = asyncio.ensure_future(placed.task(CancelToken()))
    await until((field.workspace / "over").exists)
    await running
