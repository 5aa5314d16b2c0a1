"""An addon that hears all thirteen events: it keeps what it was given, and changes what it may."""

import json
import time

from indus_addon import Addon

addon = Addon("witness", "1.0.0")
addon.needs("feature-state", "to keep what it hears")
addon.needs("shape-environment(WITNESS_MARK)", "to mark commands")
WATCHED = ("session:start", "session:end", "turn:start", "turn:end")
objected = []


def keep(event, payload, call):
    """Numbers that grow, whatever process of this addon it is."""
    key = f"{time.monotonic_ns():020}"
    call.host.state_set(key, json.dumps([key, event, payload]))


def replaced(name, before, after):
    """A change of one text of a payload."""
    return lambda payload: payload | {name: payload[name].replace(before, after)}


def tool_before(payload):
    line = payload["args"].get("command")
    return payload | {"args": {"command": f"{line}; echo rewritten"}} if line else None


def tool_after(payload):
    content = [*payload["result"]["content"], {"type": "text", "text": "[seen]"}]
    return payload | {"result": {"content": content}}


def context_build(payload):
    change = replaced("text", "old-news", "[left out]")
    return {"messages": [change(message) for message in payload["messages"]]}


CHANGES = {
    "tool:before": tool_before,
    "tool:after": tool_after,
    "chat:params": lambda payload: {"params": payload["params"] | {"temperature": 0.25}},
    "chat:message": replaced("text", "raw-word", "fine-word"),
    "shell:env": lambda payload: {"env": payload["env"] | {"WITNESS_MARK": "set"}},
    "input:submit": replaced("text", "draft-word", "final-word"),
    "context:build": context_build,
    "compact:build": replaced("summary", "raw-word", "fine-word"),
}


def watch(event):
    @addon.on(event)
    def seen(payload, call):
        keep(event, payload, call)


def change(event, made):
    @addon.on(event, transform=True)
    def changed(payload, call):
        keep(event, payload, call)
        return made(payload)


@addon.on("compact:before", gate=True)
def once(payload, call):
    """Objects the first time only."""
    keep("compact:before", payload, call)
    objected.append(payload)
    return "not yet" if len(objected) == 1 else None


for name in WATCHED:
    watch(name)
for name, made in CHANGES.items():
    change(name, made)
addon.run()
