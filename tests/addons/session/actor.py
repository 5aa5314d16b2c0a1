"""An addon whose tool and whose command do what the host lets an addon do."""

import json

from indus_addon import Addon
from indus_addon.wire import HostRefused

addon = Addon("actor", "1.0.0")
for capability in ("send-message", "set-model", "set-thinking", "scoped-fs(execute)"):
    addon.needs(capability, "to act")
SCHEMA = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}
OTHER = "anthropic/claude-haiku-4-5"
ACTS = {
    "granted": lambda host: sorted(host.granted),
    "send_message": lambda host: host.send_message("sent by the actor"),
    "set_model": lambda host: host.set_model(OTHER),
    "set_thinking": lambda host: host.set_thinking("low"),
    "exec": lambda host: host.exec("echo said; echo wrong >&2; exit 3"),
}


def act(what, host):
    """What came of each of these, by name."""
    done = {}
    for name in what.split():
        try:
            done[name] = ACTS[name](host)
        except HostRefused as error:
            done[name] = {"refused": error.name, "message": str(error)}
    return json.dumps(done)


@addon.tool("act", "Do something.", SCHEMA)
def tool(args, call):
    return act(args["what"], call.host)


@addon.on("chat:message")
def answered(payload, call):
    if "Any word?" in payload["text"]:
        call.host.send_message("one more word")


@addon.command("act", "do something")
def command(args, call):
    return act(args, call.host)


addon.run()
