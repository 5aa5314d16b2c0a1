"""An addon that stands around every tool and has one of its own, a command and a hook."""

from indus_addon import Addon

addon = Addon("wrapper", "1.0.0")
entered = {}


@addon.enter()
def enter(call):
    entered[call["call_id"]] = call["args"]


@addon.exit()
def leave(call):
    """Says on the result what was heard on the way in and on the way out."""
    same = entered[call["call_id"]] == call["args"]
    mark = f"[around {call['tool']}: {'the same' if same else 'other'} arguments]"
    content = [*call["result"]["content"], {"type": "text", "text": mark}]
    return {"content": content, "is_error": call["result"]["is_error"]}


@addon.tool("measure", "Measure nothing.")
def measure(args):
    return "it fits"


@addon.command("measure", "measure a word")
def typed(args):
    return f"{args} fits"


@addon.on("input:submit", transform=True)
def submitted(payload):
    return {"text": payload["text"].replace("draft-word", "final-word")}


addon.run()
