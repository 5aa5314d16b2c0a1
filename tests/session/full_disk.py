"""What happens to a log on a disk that is full: run as a process of its own, inside a mount
namespace, with a small file system at the given place. Prints `done` at the end, or fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from induscode.errors import LogDown
from induscode.kernel.clock import FixedClock
from induscode.kernel.ids import IdMint
from induscode.session.blobs import BlobStore
from induscode.session.entries import Notice, Quarantine
from induscode.session.log import Durability, SessionLog, read_only

CLOCK = FixedClock(1_750_000_000_000)
MINT = IdMint(CLOCK)


def fill(place: Path) -> Path:
    """Take all the space that is left, to the last byte."""
    ballast = place / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (65536, 4096, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


def refused(log: SessionLog, text: str) -> bool:
    try:
        log.append(Notice(text), durability=Durability.COMMITTED)
    except LogDown as trouble:
        return "space" in str(trouble)
    return False


def appending(place: Path) -> None:
    path = place / "a.jsonl"
    log = SessionLog.create(path, CLOCK, MINT)
    log.append(Notice("before"), durability=Durability.COMMITTED)
    ballast = fill(place)
    count = 0
    while not refused(log, "x" * 1000):
        count += 1
    good = path.read_bytes()
    assert good.endswith(b"\n")
    assert len(log.entries) == count + 1
    for size in (1000, 20_000, 200_000):
        assert refused(log, "x" * size)
    assert path.read_bytes() == good, "not rolled back"
    try:
        BlobStore(place / "blobs").put(b"y" * 100_000)
    except LogDown:
        pass
    else:
        raise AssertionError("a blob on a full disk")
    ballast.unlink()
    assert not refused(log, "after"), "the same log goes on when there is space"
    log.close()
    found = read_only(path)
    assert found.entries == log.entries
    assert (found.damages, found.torn) == ([], 0)


def opening(place: Path) -> None:
    path = place / "b.jsonl"
    log = SessionLog.create(path, CLOCK, MINT)
    log.append(*(Notice(f"entry {n}") for n in range(8)), durability=Durability.COMMITTED)
    log.close()
    data = bytearray(path.read_bytes())
    data[300:310] = bytes(10)
    tail = b'{"torn' + b"z" * 5000
    path.write_bytes(bytes(data) + tail)
    ballast = fill(place)
    log, report = SessionLog.open(path, CLOCK, MINT)
    assert report.torn_bytes == len(tail)
    assert len(report.damages) == 1
    assert len(log.entries) == 7
    assert path.read_bytes().endswith(tail), "cut before it was kept"
    assert refused(log, "still full")
    ballast.unlink()
    with ballast.open("wb") as file:  # room for the tail, not for what follows
        os.posix_fallocate(file.fileno(), 0, 4096)
    assert not refused(log, "after")
    log.close()
    kept = place / report.torn_file
    assert kept.read_bytes() == tail
    found = read_only(path)
    assert [type(e).__name__ for e in found.entries[-2:]] == ["Quarantine", "Notice"]
    assert sum(isinstance(e, Quarantine) for e in found.entries) == 1
    assert (found.unreported(), found.torn) == ([], 0)
    ballast.unlink()


if __name__ == "__main__":
    appending(Path(sys.argv[1]))
    opening(Path(sys.argv[1]))
    sys.stdout.write("done\n")
