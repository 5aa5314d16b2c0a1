"""Ways in which processes get away from the one that started them, and how to find them again."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from uuid import uuid4

DAEMON = """
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
time.sleep(1000)
"""

COMET = """
import os
while True:
    if os.fork(): os._exit(0)
    os.setsid()
"""
"""Never the same process for long: it forks, and its parent ends."""

DEAF = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
os.setsid()
time.sleep(1000)
"""


def python(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(code)}"


ESCAPES = {
    "plain": "sleep 1000 &",
    "session": "setsid sleep 1000 &",
    "session of a session": "setsid bash -c 'setsid sleep 1000 & sleep 1000' &",
    "orphan": "bash -c '(sleep 1000 &) &'",
    "nohup": "nohup sleep 1000 >/dev/null 2>&1 & disown",
    "daemon": python(DAEMON),
    "deaf": f"{python(DEAF)} &",
    "deaf daemon": "setsid nohup bash -c \"trap '' TERM HUP INT; sleep 1000; sleep 1000\" &",
    "stopped": "bash -c 'kill -STOP $$' &",
}


def new_marker() -> str:
    return f"mark-{uuid4().hex}"


def marked(marker: str, command: str) -> str:
    """Every process that this starts can be found by the marker."""
    return f"export MARKED_BY={marker}\n{command}"


def alive(marker: str) -> list[int]:
    """The processes that hold the marker in their words or their environment; zombies are dead."""
    running = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return [pid for pid in running if _has(pid, marker)]


def status(pid: int, field: str) -> str:
    text = Path(f"/proc/{pid}/status").read_text()
    return text.partition(f"{field}:")[2].partition("\n")[0].strip()


def children(pid: int) -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and status(int(entry.name), "PPid") == str(pid):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def _has(pid: int, marker: str) -> bool:
    place = Path(f"/proc/{pid}")
    try:
        held = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
        return marker.encode() in held and pid != os.getpid()
    except OSError:
        return False
