"""`indus addon test PATH`: each contribution once, with a sample that is written down."""

from __future__ import annotations

from pathlib import Path

from induscode.addons.contract import PAYLOAD_TYPES, HookEvent
from induscode.addons.trial.samples import SAMPLE_CALLS, SAMPLE_PAYLOADS
from induscode.policy.aliases import tool_name
from induscode.tools import definitions
from induscode.tools.definition import ToolDefinition
from induscode.tools.schema import checker
from tests.addons.trial.desk import Desk, acted

EVERYTHING = """\
from indus_addon import Addon, Call

addon = Addon("all-of-it", "2.0.0")
for event in {events!r}:
    addon.on(event)(lambda payload: None)


@addon.on("tool:before", gate=True)
def no(payload):
    return "never"


@addon.enter("write")
def elsewhere(context):
    return {{**context["args"], "path": "other.txt"}}


@addon.exit()
def shout(context):
    return context["result"]["content"][0]["text"].upper()


@addon.command("hello", "greets")
def hello(args, call: Call):
    call.host.set_model("local/smollm2")
    return "hello " + args


@addon.tool("add", "Adds.", {{"type": "object", "properties": {{"a": {{"type": "integer"}}}},
                             "required": ["a"], "additionalProperties": False}})
def add(args):
    return str(args["a"] + 1)


@addon.task("watch")
def watch(call: Call):
    raise RuntimeError("tasks are not run")


addon.run()
"""


def everything(desk: Desk) -> Path:
    events = [str(event) for event in HookEvent]
    return desk.write("everything.py", EVERYTHING.format(events=events))


def test_each_contribution_is_asked_once_whatever_the_others_answer(desk: Desk) -> None:
    report = desk.report(everything(desk), "--cwd", str(desk.home.work))

    steps = report["steps"]
    assert [step["occasion"] for step in steps[:14]] == [*map(str, HookEvent), "tool:before"]
    assert {step["outcome"] for step in steps[:13]} == {"heard"}
    assert [(step["occasion"], step["outcome"]) for step in steps[13:]] == [
        ("tool:before", "stopped"),
        ("enter", "changed"),
        ("exit", "changed"),
        ("command", "skipped"),
        ("tool", "skipped"),
        ("task", "skipped"),
    ]
    assert steps[13]["reason"] == "never"
    assert steps[14]["changes"] == [{"where": "path", "before": "notes.txt", "after": "other.txt"}]
    assert (report["session"], report["passed"]) == ("", True)


def test_commands_and_tools_run_when_they_are_asked_for(desk: Desk) -> None:
    path = everything(desk)

    report = desk.report(path, "--commands", "--tools", 'add={"a": 41}', "--tools", 'add={"a": 1}')

    command, one, two, task = report["steps"][16:]
    assert (command["handler"], command["said"]) == ("/hello", "hello ")
    assert command["calls"] == [{"method": "set_model", "given": "local/smollm2", "answer": "done"}]
    assert (one["said"], two["said"]) == ("42", "2")
    assert (task["outcome"], task["reason"]) == ("skipped", "tasks are not run")


def test_arguments_that_a_tool_does_not_take_are_told(desk: Desk) -> None:
    report = desk.report(everything(desk), "--tools", "add={}")

    (step,) = [step for step in report["steps"] if step["occasion"] == "tool"]
    assert step["outcome"] == "failed"
    assert step["reason"] == "add needs the argument `a`."
    assert not report["passed"]


def test_a_tool_whose_schema_reaches_out_is_told_and_not_called(desk: Desk) -> None:
    body = """
from indus_addon import Addon

addon = Addon("reaching")
addon.tool("take", "Takes.", {"type": "object", "properties": {"a": {"$ref": "file:///x"}}})(str)
addon.run()
"""
    report = desk.report(desk.write("reaching.py", body), "--tools", 'take={"a": 1}')

    (step,) = report["steps"]
    assert step["outcome"] == "failed"
    assert "no schema that can be used" in step["reason"]


def test_the_line_of_a_manifests_command_is_shown_and_not_run(desk: Desk) -> None:
    report = desk.report(desk.manifest(), "--commands")

    command = report["steps"][-1]
    assert command["outcome"] == "heard"
    assert command["calls"][0]["given"] == "./scripts/deploy.sh"
    assert report["passed"]


def test_names_that_belong_to_the_host_are_problems(desk: Desk) -> None:
    text = 'id = "taker"\n[[command]]\nname = "Help"\n[[gate]]\nevent = "turn:end"\nreason = "no"\n'
    report = desk.report(desk.manifest("taker", text), "--cwd", str(desk.home.work))

    assert report["problems"] == ["/Help is reserved for the host: the command is left out"]
    assert not report["passed"]
    (gate,) = acted(report)
    assert gate["counts"] is False


def test_what_is_no_addon_or_no_argument_is_said_in_one_line(desk: Desk) -> None:
    path = desk.manifest()
    broken = desk.manifest(
        "broken", 'id = "broken"\n[[gate]]\nevent = "tool:befor"\nreason = "x"\n'
    )
    asked = [
        (desk.test(desk.home.work / "notes.txt"), 1, "no addon of any tier"),
        (desk.test(broken), 1, "did you mean 'tool:before'?"),
        (desk.test(path, "--tools", "add"), 2, "write NAME={JSON}"),
        (desk.test(path, "--tools", "add=[1]"), 2, "expected a JSON object"),
        (desk.test(path, "--tools", "add={}"), 2, "the addon has no tool 'add'"),
        (desk.test(path, "--replay", "last", "--commands"), 2, "go without --replay"),
    ]
    for ran, code, told in asked:
        assert (ran.code, told in ran.err, ran.err.count("\n")) == (code, True, 1), ran.err


def test_every_event_has_a_sample_of_its_own_type() -> None:
    tools = {HookEvent.TOOL_BEFORE, HookEvent.TOOL_AFTER}
    assert set(SAMPLE_PAYLOADS) == set(HookEvent) - tools
    assert all(type(made) is PAYLOAD_TYPES[event] for event, made in SAMPLE_PAYLOADS.items())


def test_the_sample_calls_fit_the_tools_that_ship() -> None:
    shipped = [one for one in vars(definitions).values() if isinstance(one, ToolDefinition)]
    known = {tool_name(one.name): one for one in shipped}
    for name, arguments in SAMPLE_CALLS.items():
        assert checker(name, known[name].parameters)(arguments) is None
