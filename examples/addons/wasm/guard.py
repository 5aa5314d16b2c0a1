"""A guard: stops `rm -rf`, marks the shell's environment, takes `sudo` out of commands and secrets
out of results; with a command and a tool. The same as guard.c and guard.js."""

import json
import re

import wit_world
from componentize_py_types import Err
from wit_world.imports import session
from wit_world.imports.types import (
    Entered,
    Entered_Blocked,
    Entered_Proceed,
    Entered_Rewritten,
    Left,
    Left_Kept,
    Left_Rewritten,
    Outcome,
    Outcome_Stopped,
    Outcome_Transformed,
    Outcome_Unchanged,
    Reply_Done,
    ToolAnswer,
)

REGISTRATION = {
    "id": "guard",
    "version": "1.0.0",
    "events": [
        {"event": "tool:before", "kind": "gate"},
        {"event": "shell:env", "kind": "transform"},
    ],
    "interceptors": [{"tool": "bash", "enter": True}, {"exit": True}],
    "commands": [{"name": "greet", "summary": "greet somebody by name"}],
    "tools": [
        {
            "name": "count_words",
            "description": "Count the words of a text.",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": False,
            },
        }
    ],
    "capabilities": [
        {"name": "send-message", "reason": "to greet"},
        {"name": "shape-environment(GUARDED)", "reason": "to mark commands"},
    ],
}


class WitWorld(wit_world.WitWorld):
    def register(self) -> str:
        return json.dumps(REGISTRATION)

    def handle(self, handler: int, event: str, payload: str) -> Outcome:
        if event == "tool:before" and "rm -rf" in payload:
            return Outcome_Stopped("rm -rf is not allowed here")
        if event == "shell:env":
            about = json.loads(payload)
            about["env"]["GUARDED"] = "1"
            return Outcome_Transformed(json.dumps(about))
        return Outcome_Unchanged()

    def enter(self, handler: int, tool: str, call_id: str, args: str) -> Entered:
        if "shutdown" in args:
            return Entered_Blocked("this machine stays up")
        if "sudo " in args:
            return Entered_Rewritten(args.replace("sudo ", "", 1))
        return Entered_Proceed()

    def leave(
        self, handler: int, tool: str, call_id: str, args: str, answer: str, error: str
    ) -> Left:
        clean = re.sub(r"sk-[0-9A-Za-z-]{9,}", "[gone]", answer)
        return Left_Kept() if clean == answer else Left_Rewritten(clean)

    def command(self, name: str, args: str, cwd: str) -> str | None:
        reply = session.send_message(f"hello, {args}")
        if not isinstance(reply, Reply_Done):
            raise Err(reply.value)
        return "greeted"

    def call_tool(self, name: str, call_id: str, args: str) -> ToolAnswer:
        return ToolAnswer(str(len(json.loads(args)["text"].split())), is_error=False)
