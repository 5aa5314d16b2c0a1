"""A session on a small filesystem that fills up: `python -m tests.torture.full_disk DIR`.

Must be started in a mount namespace of its own (`unshare -m`), where it may mount a filesystem over
DIR/home. Prints what happened as one JSON object; the test judges it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.torture.audit import Audit, Tally
from tests.torture.brain import Turn, command_plan, long_plan
from tests.torture.scenario import Ended, World, command_for, run

__all__ = ["command"]

LEFT = {"tmpfs": 56 * 1024, "ext4": 48 * 1024}
"""Bytes for the session before the disk is full: a few turns, and no long prompt."""


def command(root: Path, kind: str) -> list[str]:
    return ["unshare", "-m", sys.executable, "-m", __name__, str(root), kind]


def main(root: Path, kind: str) -> dict[str, Any]:
    plan = long_plan() if kind == "tmpfs" else command_plan()
    with World(root, plan) as world:
        _mount(world.home, kind)
        ballast = world.home / "ballast"
        _fill(ballast, LEFT[kind])
        audit = Audit(world, Tally())
        turn, full = _until_full(world, audit)
        ballast.unlink()
        again = _finish(world, turn, audit)
        audit.finish()
    return {
        "turn": turn.number,
        "full": {"code": full.code, "err": full.err, "out": full.out.decode()},
        "again": {"code": again.code, "err": again.err, "out": again.out.decode()},
        "final": turn.final,
    }


def _finish(world: World, turn: Turn, audit: Audit) -> Ended:
    """With space again, the person goes on where it stopped."""
    ended = run(world, command_for(world, turn) or [])
    audit.check(ended)
    return ended


def _until_full(world: World, audit: Audit) -> tuple[Turn, Ended]:
    for turn in world.plan:
        ended = run(world, command_for(world, turn) or [])
        audit.check_replay(audit.check(ended))
        if ended.code != 0:
            return turn, ended
    raise SystemExit("the disk was never full")


def _mount(place: Path, kind: str) -> None:
    place.mkdir()
    if kind == "tmpfs":
        how = ["-t", "tmpfs", "-o", "size=1m", "none"]
    else:
        image = place.with_name("image")
        with image.open("wb") as file:
            file.truncate(4 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", str(image)], check=True)
        how = ["-o", "loop", str(image)]
    subprocess.run(["mount", *how, str(place)], check=True)


def _fill(ballast: Path, left: int) -> None:
    """Write until the disk is full, then give `left` bytes back."""
    with ballast.open("wb", buffering=0) as file:
        with contextlib.suppress(OSError):
            while True:
                file.write(b"\0" * 1024)
        os.fsync(file)
        file.truncate(file.tell() - left)
        os.fsync(file)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), sys.argv[2])))
