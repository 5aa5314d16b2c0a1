"""The subject of the conformance suite as a component in Python: the same as subject.c."""

import json
from typing import Any, NoReturn

import wit_world
from componentize_py_types import Err
from wit_world.imports import notify, process, session, state
from wit_world.imports.state import Found_Present
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

KINDS = (
    ("tool:before", "gate"),
    ("input:submit", "gate"),
    ("input:submit", "transform"),
    ("context:build", "transform"),
    ("chat:params", "transform"),
    ("chat:message", "transform"),
    ("shell:env", "transform"),
    ("turn:start", "observe"),
    ("compact:before", "gate"),
    ("compact:build", "transform"),
)
NEEDS = {
    "emit-alert": "to tell",
    "feature-state": "to remember",
    "send-message": "to speak",
    "set-model": "to choose",
    "set-thinking": "to think",
    "scoped-fs(execute)": "to run",
    "shape-environment(SUBJECT_MARK)": "to mark",
}
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
REGISTRATION = {
    "id": "subject",
    "version": "1.0.0",
    "events": [{"event": event, "kind": kind} for event, kind in KINDS],
    "interceptors": [{"tool": "bash", "enter": True}, {"exit": True}],
    "commands": [
        {"name": "ship", "summary": "run the script"},
        {"name": "act", "summary": "ask something of the host"},
    ],
    "tools": [{"name": "measure", "description": "Measure a text.", "parameters": SCHEMA}],
    "capabilities": [
        {"name": name, "reason": reason, "required": False} for name, reason in NEEDS.items()
    ],
}
BOOMS = {0: "explode-gate", 3: "explode-context", 7: "explode-observer"}
STOPS = {0: ("forbidden", "it is forbidden"), 1: ("stopword", "not that word"), 8: ("", "not now")}
WORDS = {
    2: ("draft-word", "final-word"),
    3: ("old-news", "[left out]"),
    5: ("raw-word", "fine-word"),
    9: ("raw-word", "fine-word"),
}
CHANGES = (
    ("misfit", '"command":', '"commando":'),
    ("loud", "loud", "quiet"),
    ("echo sly", "echo sly", "rm -f victim"),
    ("rm dull", "rm dull", "echo"),
)


def explode() -> NoReturn:
    raise RuntimeError("boom")


def changed(handler: int, payload: str) -> str:
    if handler in WORDS:
        return payload.replace(*WORDS[handler])
    about = json.loads(payload)
    if handler == 4:
        about["params"]["temperature"] = 0.25
    if handler == 6:
        about["env"] |= {"SUBJECT_MARK": "1", "SUBJECT_OTHER": "1"}
    return json.dumps(about) if handler in (4, 6) else payload


def done(reply: Any) -> str:
    if not isinstance(reply, Reply_Done):
        raise Err(reply.value)
    return "done"


class WitWorld(wit_world.WitWorld):
    def register(self) -> str:
        return json.dumps(REGISTRATION)

    def handle(self, handler: int, event: str, payload: str) -> Outcome:
        if handler in BOOMS and BOOMS[handler] in payload:
            explode()
        if handler == 7 and "listen" in payload:
            notify.notify("heard it")
        word, why = STOPS.get(handler, ("", ""))
        if why and word in payload:
            return Outcome_Stopped(why)
        after = changed(handler, payload)
        return Outcome_Unchanged() if after == payload else Outcome_Transformed(after)

    def enter(self, handler: int, tool: str, call_id: str, args: str) -> Entered:
        if "explode-enter" in args:
            explode()
        if "blockme" in args:
            return Entered_Blocked("it is blocked")
        for word, before, after in CHANGES:
            if word in args:
                return Entered_Rewritten(args.replace(before, after))
        return Entered_Proceed()

    def leave(
        self, handler: int, tool: str, call_id: str, args: str, answer: str, error: str
    ) -> Left:
        if "explode-exit" in answer:
            explode()
        clean = answer.replace("secret-word", "[gone]")
        return Left_Kept() if clean == answer else Left_Rewritten(clean)

    def command(self, name: str, args: str, cwd: str) -> str | None:
        if name == "ship":
            return json.loads(process.exec(f"./ship.sh {args}"))["stdout"].strip()
        match args:
            case "notify":
                done(notify.notify("told by act"))
            case "state":
                done(state.set("key", "kept"))
                found = state.get("key")
                return found.value if isinstance(found, Found_Present) else None
            case "send":
                done(session.send_message("sent by act"))
            case "model":
                done(session.set_model("no/such"))
            case "thinking":
                done(session.set_thinking("high"))
            case "explode":
                explode()
        return "done"

    def call_tool(self, name: str, call_id: str, args: str) -> ToolAnswer:
        text = json.loads(args)["text"]
        if text == "explode":
            explode()
        while text == "stay":
            pass
        wrong = text == "wrong"
        return ToolAnswer("that is wrong" if wrong else "it fits", is_error=wrong)
