"""Keeping other programs of the same user from reading keys out of this process.

Linux shows a process's first environment, and its memory, to every program of the same user: the
commands that we run are such programs. So the values are overwritten where they lie (Python has its
own copy by then), and before the first command the process asks not to be looked into at all.
Neither stops root. Only for a process that is ours: a program that uses the SDK keeps its own ways.
"""

from __future__ import annotations

import sys
from pathlib import Path

from induscode.policy.redaction import Secrets

__all__ = ["forbid_inspection", "hide_environment"]

_ENVIRON = Path("/proc/self/environ")
_MEMORY = Path("/proc/self/mem")
_STAT = Path("/proc/self/stat")
_START_FIELD = 50  # of proc_pid_stat(5): where the environment lies
_SET_DUMPABLE = 4


def hide_environment(secrets: Secrets) -> bool:
    """Overwrite the values of the environment that hold a secret. False when that is not possible
    here: then only `forbid_inspection` stands before them."""
    if sys.platform != "linux":
        return False
    try:
        block = _ENVIRON.read_bytes()
        if not secrets.touches(block):
            return True
        # The name of the program, in parentheses, may have spaces of its own.
        fields = _STAT.read_bytes().rpartition(b")")[2].split()
        start = int(fields[_START_FIELD - 3])
        with _MEMORY.open("r+b", buffering=0) as memory:
            for at, length in _places(block, secrets):
                memory.seek(start + at)
                if memory.read(length) == block[at : at + length]:
                    memory.seek(start + at)
                    memory.write(bytes(length))
        return not secrets.touches(_ENVIRON.read_bytes())
    except (OSError, ValueError, IndexError):
        return False


def forbid_inspection() -> None:
    """No program but root's may read our memory or attach to us from now on."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def _places(block: bytes, secrets: Secrets) -> list[tuple[int, int]]:
    """Offset and length of each value that holds a secret."""
    found: list[tuple[int, int]] = []
    at = 0
    for entry in block.split(b"\0"):
        name, _, value = entry.partition(b"=")
        if secrets.touches(value):
            found.append((at + len(name) + 1, len(value)))
        at += len(entry) + 1
    return found
