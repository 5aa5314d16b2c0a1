"""Does everything that an addon can do, and dies in the middle of the one thing that `stage.txt`
names."""

import os
from pathlib import Path

from speech import heard, send

STAGE = Path(__file__).with_name("stage.txt").read_text()
REGISTER = {
    "events": [
        {"event": "session:start", "kind": "observe"},
        {"event": "session:end", "kind": "observe"},
        {"event": "chat:params", "kind": "transform"},
        {"event": "tool:before", "kind": "gate"},
    ],
    "interceptors": [{"tool": "write", "enter": True, "exit": True}],
    "commands": [{"name": "mend"}],
    "tools": [{"name": "mend", "description": "Mends.", "parameters": {"type": "object"}}],
    "tasks": [{"name": "watch", "restarts": 1}],
}
ANSWERS = {
    "tool:before": {"stop": False},
    "enter": {"action": "continue"},
    "exit": {"action": "continue"},
    "command": {"text": "mended"},
    "tool": {"content": [{"type": "text", "text": "mended"}]},
}

for message in heard():
    method, params = message["method"], message.get("params", {})
    place = params.get("event", method)
    if place == STAGE:
        os._exit(9)
    if method == "initialize":
        answer = {"protocol": 1, "name": "bad", "register": REGISTER}
    else:
        answer = ANSWERS.get(place)
    if "id" in message:
        send(id=message["id"], result=answer)
    if method == "shutdown":
        break
