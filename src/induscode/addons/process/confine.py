"""What an addon's program may reach, and what of that this machine can hold it to."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from induscode.addons.sandbox import SandboxPolicy

__all__ = ["Reach", "Wall", "reach_of", "told_of"]

HOUSE = Path(__file__).parents[3]
"""The folder that holds our packages, the author's SDK among them."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/nix/store")
# Not all of /proc: Landlock lets a program read the environment of others there, keys included.
_KERNEL = (
    "self",
    "sys",
    "cpuinfo",
    "filesystems",
    "loadavg",
    "meminfo",
    "stat",
    "uptime",
    "version",
)
_MACHINE = ("/sys/fs/cgroup", "/sys/devices/system/cpu", "/dev/random", "/dev/urandom")
_RESOLVER = ("/run/systemd/resolve", "/run/resolvconf")
_SINKS = ("/dev/null", "/dev/zero", "/dev/full")


class Wall(StrEnum):
    """What stands around a program. `landlock`: the files it may read and write, other processes'
    environment among them, TCP, and signals to processes outside. `network`: sockets of every
    family. `namespaces`: a network and processes of its own, whose number is bounded (but not
    root's) and which end together."""

    LANDLOCK = "landlock"
    NETWORK = "network"
    NAMESPACES = "namespaces"


class Reach(Struct, frozen=True):
    """Files and folders that may be read, those that may be written, and whether the network may
    be used. `confined` is False only where a person said so."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = _SINKS
    network: bool = False
    confined: bool = True


def reach_of(policy: SandboxPolicy, *folders: Path, network: bool = False) -> Reach:
    """What a program needs to run at all, the `folders` it and its interpreter are in, and the
    files that the policy grants."""
    kernel = [f"/proc/{name}" for name in _KERNEL]
    reads = [*_SYSTEM, *kernel, *_MACHINE, *(_RESOLVER if network else ()), *map(str, folders)]
    writes: list[str] = list(_SINKS)
    if policy.allow_fs and policy.workspace_root is not None:
        reads.append(str(policy.workspace_root))
        if not policy.read_only:
            writes.append(str(policy.workspace_root))
    return Reach(tuple(dict.fromkeys(reads)), tuple(writes), network=network)


def told_of(reach: Reach, walls: Iterable[Wall]) -> str:
    """One sentence for the person about what does not hold here, "" when everything does."""
    stand = frozenset(walls)
    if not reach.confined:
        return "It is not confined: it can do whatever you can."
    missing: list[str] = []
    if Wall.LANDLOCK not in stand:
        missing.append("read and change your files")
        if Wall.NAMESPACES not in stand:
            missing.append("read the keys of this session")
    if Wall.NETWORK not in stand and not reach.network:
        alone = Wall.NAMESPACES in stand
        missing.append("talk to programs on this machine" if alone else "use the network")
    if Wall.NAMESPACES not in stand:
        missing.append("start any number of processes")
    if not missing:
        return ""
    why = "this system has no Landlock" if sys.platform != "linux" else "the kernel cannot stop it"
    return f"It could {', '.join(missing)}: {why}."
