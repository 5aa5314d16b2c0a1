"""Asks the host to run a line, through every door that an addon has. The task waits for the first
gate, so that a session is there for as long as it asks."""

import threading

from indus_addon import Addon, HostRefused

addon = Addon("doors")
addon.needs("scoped-fs(execute)", "to run lines", required=True)
tried = threading.Event()


def attempt(door, call):
    try:
        return str(call.host.exec(f"touch by-{door}"))
    except HostRefused as error:
        call.host.log(f"{door}: {error}", "warning")
        return f"refused: {error}"


@addon.on("tool:before", gate=True)
def gate(payload, call):
    tried.wait(20)
    attempt("gate", call)


@addon.on("tool:after")
def observer(payload, call):
    attempt("observer", call)


@addon.enter("write")
def enter(params, call):
    attempt("enter", call)


@addon.tool("reach", "Reaches.")
def tool(args, call):
    return attempt("tool", call)


@addon.command("reach")
def command(args, call):
    return attempt("command", call)


@addon.task("reach")
def task(call):
    try:
        attempt("task", call)
    finally:
        tried.set()


addon.run()
