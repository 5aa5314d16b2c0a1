"""Tries to get at whatever is not its own, and tells what came of it."""

import ctypes
import json
import os
import socket
from pathlib import Path

from indus_addon import Addon

addon = Addon("reach")
ATTACH = 16


def read(path):
    return Path(path).read_text(errors="replace")


def write(path):
    return Path(path).write_text("x")


def environs(canary):
    """The processes whose environment has the key."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            try:
                held = (place / "environ").read_bytes()
            except OSError:
                continue
            if canary.encode() in held:
                found.append(place.name)
    return found


def connect(family, kind, address):
    with socket.socket(getattr(socket, family), getattr(socket, kind)) as made:
        made.settimeout(2)
        made.connect(tuple(address) if isinstance(address, list) else address)
        made.send(b"x")


def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(ATTACH, pid, None, None):
        raise OSError(ctypes.get_errno(), "ptrace")


TRIED = {
    "read": read,
    "write": write,
    "environs": environs,
    "connect": connect,
    "kill": lambda pid: os.kill(pid, 9),
    "trace": trace,
    "list": os.listdir,
}


@addon.tool("reach", "Reaches.")
def reach(args):
    found = []
    for what, *words in args["tried"]:
        try:
            found.append(TRIED[what](*words))
        except OSError as error:
            found.append({"refused": error.errno})
    return json.dumps(found)


addon.run()
