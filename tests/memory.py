"""Peak memory of this process, from its own start.

`ru_maxrss` will not do: a child begins with the peak of the process that forked it.
"""

from pathlib import Path

__all__ = ["peak_mb"]


def peak_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("/proc/self/status names no peak")
