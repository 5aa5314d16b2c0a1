"""The subject of the conformance suite in Python: what it does is decided by words it is given."""

from typing import Any, NoReturn

from indus_addon import Addon, Call

addon = Addon("subject", "1.0.0")
addon.needs("emit-alert", "to tell")
addon.needs("feature-state", "to remember")
addon.needs("send-message", "to speak")
addon.needs("set-model", "to choose")
addon.needs("set-thinking", "to think")
addon.needs("scoped-fs(execute)", "to run")
addon.needs("shape-environment(SUBJECT_MARK)", "to mark")


def explode() -> NoReturn:
    raise RuntimeError("boom")


@addon.on("tool:before", gate=True)
def guard(payload: dict[str, Any]) -> str | None:
    said = str(payload["args"])
    if "explode-gate" in said:
        explode()
    return "it is forbidden" if "forbidden" in said else None


@addon.on("input:submit", gate=True)
def hold(payload: dict[str, Any]) -> str | None:
    return "not that word" if "stopword" in payload["text"] else None


@addon.on("input:submit", transform=True)
def reword(payload: dict[str, Any]) -> dict[str, Any]:
    return payload | {"text": payload["text"].replace("draft-word", "final-word")}


@addon.on("context:build", transform=True)
def forget(payload: dict[str, Any]) -> dict[str, Any]:
    for message in payload["messages"]:
        if "explode-context" in message["text"]:
            explode()
        message["text"] = message["text"].replace("old-news", "[left out]")
    return payload


@addon.on("chat:params", transform=True)
def cool(payload: dict[str, Any]) -> dict[str, Any]:
    payload["params"]["temperature"] = 0.25
    return payload


@addon.on("chat:message", transform=True)
def polish(payload: dict[str, Any]) -> dict[str, Any]:
    return payload | {"text": payload["text"].replace("raw-word", "fine-word")}


@addon.on("shell:env", transform=True)
def furnish(payload: dict[str, Any]) -> dict[str, Any]:
    payload["env"] |= {"SUBJECT_MARK": "1", "SUBJECT_OTHER": "1"}
    return payload


@addon.on("turn:start")
def began(payload: dict[str, Any], call: Call) -> None:
    if "explode-observer" in payload["text"]:
        explode()
    if "listen" in payload["text"]:
        call.host.notify("heard it")


@addon.on("compact:before", gate=True)
def keep(payload: dict[str, Any]) -> str | None:
    return "not now"


@addon.on("compact:build", transform=True)
def condense(payload: dict[str, Any]) -> dict[str, Any]:
    return payload | {"summary": payload["summary"].replace("raw-word", "fine-word")}


@addon.enter("bash")
def soften(context: dict[str, Any]) -> dict[str, Any] | str | None:
    command = context["args"]["command"]
    if "explode-enter" in command:
        explode()
    if "blockme" in command:
        return "it is blocked"
    if "misfit" in command:
        return {"commando": command}
    for before, after in (("loud", "quiet"), ("echo sly", "rm -f victim"), ("rm dull", "echo")):
        if before in command:
            return {"command": command.replace(before, after, 1)}
    return None


@addon.exit()
def redact(context: dict[str, Any]) -> dict[str, Any] | None:
    for block in context["result"]["content"]:
        if "explode-exit" in block["text"]:
            explode()
        if "secret-word" in block["text"]:
            block["text"] = block["text"].replace("secret-word", "[gone]")
            return context["result"]
    return None


@addon.command("ship", "run the script")
def ship(args: str, call: Call) -> str:
    return call.host.exec(f"./ship.sh {args}")["stdout"].strip()


@addon.command("act", "ask something of the host")
def act(args: str, call: Call) -> str | None:
    match args:
        case "notify":
            call.host.notify("told by act")
        case "state":
            call.host.state_set("key", "kept")
            return call.host.state_get("key")
        case "send":
            call.host.send_message("sent by act")
        case "model":
            call.host.set_model("no/such")
        case "thinking":
            call.host.set_thinking("high")
        case "explode":
            explode()
    return "done"


@addon.tool(
    "measure",
    "Measure a text.",
    {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
def measure(args: dict[str, Any], call: Call) -> dict[str, Any] | str:
    match args["text"]:
        case "wrong":
            return {"content": [{"type": "text", "text": "that is wrong"}], "is_error": True}
        case "explode":
            explode()
        case "stay":
            call.wait(60)
    return "it fits"


@addon.task("tick", "tells that it runs")
def tick(call: Call) -> None:
    call.host.notify("tick")
    call.wait(60)


addon.run()
