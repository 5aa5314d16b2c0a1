"""What is done about a log that was torn or damaged: nothing of it is thrown away."""

from __future__ import annotations

import os
from pathlib import Path

from induscode.session.blobs import sync_directory
from induscode.session.entries import Quarantine
from induscode.session.logfile import LogFile
from induscode.session.reader import Damage

__all__ = ["free_name", "quarantine_of", "set_aside"]


def free_name(path: Path, end: int) -> Path:
    """A name beside the log, for the bytes behind `end`, that holds no earlier tail."""
    kept = path.with_name(f"{path.name}.torn-{end}")
    count = 1
    while kept.exists():
        count += 1
        kept = path.with_name(f"{path.name}.torn-{end}-{count}")
    return kept


def set_aside(kept: Path, handle: int, file: LogFile) -> None:
    """Copy the bytes behind the last whole line to `kept`, and when that is on disk cut them off.
    Raises OSError; may be called again then."""
    out = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        position = file.end
        while chunk := os.pread(handle, 1 << 20, position):
            position += os.write(out, chunk)
        os.fdatasync(out)
    except OSError:
        kept.unlink(missing_ok=True)
        raise
    finally:
        os.close(out)
    sync_directory(kept.parent)
    file.cut()


def quarantine_of(damage: Damage) -> Quarantine:
    return Quarantine(
        offset=damage.offset,
        length=damage.length,
        sha256=damage.sha256,
        after_seq=damage.after_seq,
        reason=damage.reason,
    )
