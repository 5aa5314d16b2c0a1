"""Writes to the terminal wherever something of an addon is told: what stands in `paint.txt`, with a
key in it that it cannot know."""

import sys
from pathlib import Path

from indus_addon import Addon

PAINT = Path(__file__).with_name("paint.txt").read_text()
addon = Addon("painter", "1", f"Paints {PAINT}")
addon.needs("emit-alert", f"to tell {PAINT}")


@addon.on("turn:start")
def told(payload, call):
    call.host.log(PAINT, "warning")
    call.host.notify(PAINT)


@addon.on("tool:before", gate=True, tool="bash")
def stopped(payload):
    return f"because {PAINT}"


@addon.on("chat:params")
def failing(payload):
    sys.stderr.write(PAINT + "\n")
    raise ValueError(PAINT)


@addon.tool("paint", f"Paints {PAINT}.")
def paint(args):
    return f"painted {PAINT}"


@addon.command("paint", f"paints {PAINT}")
def command(args):
    return f"painted {PAINT}"


@addon.command("spill")
def spill(args):
    sys.stderr.write(PAINT + "\n")
    sys.stderr.flush()
    raise ValueError(PAINT)


addon.run()
