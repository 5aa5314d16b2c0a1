"""What an addon is given where there is no session: one small sample of everything.

`docs/addon-testing.md` shows them to authors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from induscode.addons.contract import (
    AnyTool,
    Arguments,
    ChatPayload,
    CompactPayload,
    ContextMessage,
    ContextPayload,
    HookEvent,
    InputPayload,
    LifecyclePayload,
    MessagePayload,
    Payload,
    ShellPayload,
    ToolEnterContext,
    ToolExitContext,
    ToolPayload,
)
from induscode.addons.trial.asked import About, Questions
from induscode.addons.trial.bare import bare_context
from induscode.errors import UsageError
from induscode.kernel.tool import ToolResult
from induscode.policy.aliases import tool_name

__all__ = ["SAMPLE_CALLS", "SAMPLE_PAYLOADS", "SAMPLE_RESULT", "ask_samples"]

_TOOL = "bash"
_CALL = "sample/0"
_SESSION = "sample"

SAMPLE_CALLS: Mapping[str, Arguments] = MappingProxyType(
    {
        "bash": {"command": "ls -la"},
        "edit": {"path": "notes.txt", "old_text": "one", "new_text": "two"},
        "find": {"query": "notes"},
        "grep": {"pattern": "todo"},
        "ls": {"path": "."},
        "read": {"path": "notes.txt"},
        "webfetch": {"url": "https://example.com/"},
        "websearch": {"query": "notes"},
        "write": {"path": "notes.txt", "content": "one\n"},
    }
)
"""A call of each of these tools; of another one, a call without arguments."""

SAMPLE_RESULT = ToolResult.text("a sample result")

SAMPLE_PAYLOADS: Mapping[HookEvent, Payload] = MappingProxyType(
    {
        HookEvent.SESSION_START: LifecyclePayload(_SESSION),
        HookEvent.SESSION_END: LifecyclePayload(_SESSION),
        HookEvent.TURN_START: LifecyclePayload(_SESSION, "List the files here."),
        HookEvent.TURN_END: LifecyclePayload(_SESSION, "There is one file."),
        HookEvent.CHAT_PARAMS: ChatPayload({"max_output": 4096, "thinking": "off"}),
        HookEvent.CHAT_MESSAGE: MessagePayload("There is one file."),
        HookEvent.SHELL_ENV: ShellPayload({"HOME": "", "LANG": "", "PATH": ""}),
        HookEvent.INPUT_SUBMIT: InputPayload("List the files here."),
        HookEvent.CONTEXT_BUILD: ContextPayload(
            (ContextMessage("user", "List the files here.", "sample-entry"),)
        ),
        HookEvent.COMPACT_BEFORE: CompactPayload("it is nearly full"),
        HookEvent.COMPACT_BUILD: CompactPayload("it is nearly full", "The files were listed."),
    }
)
"""What each event carries; the two of a tool's call carry a call of `SAMPLE_CALLS`."""


async def ask_samples(
    questions: Questions,
    *,
    cwd: Path,
    run_commands: bool = False,
    calls: Collection[tuple[str, Arguments]] = (),
) -> None:
    """Each contribution once, each with the sample as it is, whatever others made of it. Commands
    and tools do things: they are run when they are asked for, and tasks never."""
    for place in range(len(questions.recorded.subscriptions)):
        payload = _payload(questions, place)
        tool = payload.name if isinstance(payload, ToolPayload) else ""
        await questions.event(place, payload, About(tool=tool))
    for place, one in enumerate(questions.recorded.interceptors):
        tool = _TOOL if isinstance(one.match, AnyTool) else one.match.name
        args, about = sample_call(tool), About(tool=tool)
        if one.enter is not None:
            await questions.enter(place, ToolEnterContext(tool, _CALL, args), about)
        if one.exit is not None:
            given = ToolExitContext(tool, _CALL, args, SAMPLE_RESULT)
            await questions.exit(place, given, about)
    for command in questions.recorded.commands:
        if run_commands:
            await questions.command(command, cwd)
        else:
            questions.skip("command", f"/{command.name}", "--commands runs it")
    await _ask_tools(questions, cwd, calls)
    for task in questions.recorded.tasks:
        questions.skip("task", task.name, "tasks are not run")


def sample_call(tool: str) -> Arguments:
    return dict(SAMPLE_CALLS.get(tool_name(tool), {}))


async def _ask_tools(
    questions: Questions, cwd: Path, calls: Collection[tuple[str, Arguments]]
) -> None:
    known = {tool.name: tool for tool in questions.recorded.tools}
    for name in _unknown(known, calls):
        listed = ", ".join(known) or "none"
        raise UsageError(f"--tools: the addon has no tool {name!r}", hint=f"it has: {listed}")
    for name, tool in known.items():
        wanted = [arguments for called, arguments in calls if called == name]
        for arguments in wanted:
            await questions.tool(tool, arguments, bare_context(cwd))
        if not wanted:
            questions.skip("tool", name, f"--tools '{name}={{...}}' calls it")


def _unknown(known: Collection[str], calls: Collection[tuple[str, Arguments]]) -> Iterator[str]:
    return (name for name, _ in calls if name not in known)


def _payload(questions: Questions, place: int) -> Payload:
    event = questions.recorded.subscriptions[place].event
    if event not in {HookEvent.TOOL_BEFORE, HookEvent.TOOL_AFTER}:
        return SAMPLE_PAYLOADS[event]
    tool = questions.event_tool(place) or _TOOL
    result = SAMPLE_RESULT if event is HookEvent.TOOL_AFTER else None
    return ToolPayload(tool, sample_call(tool), _CALL, result)
