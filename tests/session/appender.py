"""A process that appends to a log and says of each entry that it was acknowledged, at once.

`PATH COUNT`: appends COUNT committed entries, the third with a blob of its own, each again until it
is taken; prints `ack SEQ TEXT` for each, `down REASON` for each refusal. Ends with 1 when an entry
was refused twenty times. A third word breaks the log on purpose, to see that the checks see it:
`unsynced` (syncs do nothing), `careless` (a failed sync is tried again on the same descriptor),
`blobless` (a blob is neither synced nor its name).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from induscode.errors import LogDown
from induscode.kernel.clock import SystemClock
from induscode.kernel.content import Text
from induscode.kernel.ids import IdMint
from induscode.session.blobs import BlobStore
from induscode.session.entries import Input
from induscode.session.log import Durability, SessionLog
from induscode.session.logfile import LogFile
from induscode.session.storing import INLINE_LIMIT, store_said

PATIENCE = 20


def sabotage(how: str) -> None:
    match how:
        case "unsynced":
            LogFile.sync = lambda self: None
        case "careless":
            LogFile._recover = again
        case "blobless":
            BlobStore._write = staticmethod(write_only)
        case _:
            pass


def again(file: LogFile) -> None:
    os.fdatasync(file._handle)
    file._sound = True
    file._settle()


def write_only(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def appended(log: SessionLog, blobs: BlobStore, number: int) -> bool:
    said = "long " * INLINE_LIMIT if number == 3 else f"entry {number}"
    for _ in range(PATIENCE):
        try:
            content = store_said([Text(said)], blobs)
            (entry,) = log.append(Input(content), by="test", durability=Durability.COMMITTED)
        except LogDown as trouble:
            say(f"down {trouble}")
        else:
            say(f"ack {entry.seq} {said[:8]}")
            return True
    return False


def main(path: Path, count: int) -> int:
    clock = SystemClock()
    if path.exists():
        log, _ = SessionLog.open(path, clock, IdMint(clock))
    else:
        log = SessionLog.create(path, clock, IdMint(clock))
    blobs = BlobStore(path.parent / "blobs")
    done = all(appended(log, blobs, number) for number in range(1, count + 1))
    return 0 if done else 1


if __name__ == "__main__":
    sabotage("".join(sys.argv[3:]))
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
