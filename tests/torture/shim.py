"""`indus` with one thing wrong inside, for what no tool outside can do to a process.

    INDUS_WRONG=short:N     the N-th write to the log takes only half of its bytes
    INDUS_WRONG=torn:N      the N-th write to the log takes half of its bytes and the process dies
    INDUS_WRONG=NAME        one of `_MUTATIONS`: an order of disk and effect that must be noticed

The mutations are the proof that the checks of the order can fail.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from induscode.conductor.calls import CallRunner
from induscode.conductor.recorder import Recorder
from induscode.entry import main
from induscode.session import logfile
from induscode.session.blobs import BlobStore
from induscode.session.logfile import LogFile
from induscode.session.projection import OpenCall

_write = os.pwrite


def _cut_the_write(number: int, *, deadly: bool) -> None:
    count = 0

    def pwrite(handle: int, data: bytes, offset: int) -> int:
        nonlocal count
        count += 1
        if count != number:
            return _write(handle, data, offset)
        written = _write(handle, data[: len(data) // 2], offset)
        if deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return written

    os.pwrite = pwrite


def _never_sync() -> None:
    LogFile.sync = lambda self: None


def _send_before_writing() -> None:
    """Entries reach the file only with the next sync: the request after its body was sent."""
    append, sync = LogFile.append, LogFile.sync
    held: list[bytes] = []

    def later(self: LogFile, data: bytes) -> None:
        held.append(data)

    def now(self: LogFile) -> None:
        while held:
            append(self, held.pop(0))
        sync(self)

    LogFile.append, LogFile.sync = later, now


def _sync_each_write() -> None:
    """Every entry waits for the disk: no overlap with the model is left."""
    append = LogFile.append

    def at_once(self: LogFile, data: bytes) -> None:
        append(self, data)
        self.sync()

    LogFile.append = at_once


def _sync_no_blobs() -> None:
    def write(path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    BlobStore._write = staticmethod(write)


def _never_commit() -> None:
    Recorder.commit = Recorder.write


def _sync_no_folders() -> None:
    logfile.sync_directory = lambda path: None


def _die_before_intent() -> None:
    """A tool runs without an intent, and the process dies when it has run."""

    async def declare(self: CallRunner, *arguments: object) -> None:
        return None

    async def finish(self: CallRunner, call: OpenCall, *arguments: object) -> None:
        if call.call.name == "bash":
            os.kill(os.getpid(), signal.SIGKILL)
        await _finish(self, call, *arguments)

    _finish = CallRunner._finish
    CallRunner._declare, CallRunner._finish = declare, finish


_MUTATIONS = {
    "die-before-intent": _die_before_intent,
    "never-sync": _never_sync,
    "send-before-writing": _send_before_writing,
    "sync-each-write": _sync_each_write,
    "sync-no-blobs": _sync_no_blobs,
    "never-commit": _never_commit,
    "sync-no-folders": _sync_no_folders,
}


def go_wrong(how: str) -> None:
    name, _, number = how.partition(":")
    if name in ("short", "torn"):
        _cut_the_write(int(number), deadly=name == "torn")
    elif name:
        _MUTATIONS[name]()


go_wrong(os.environ.get("INDUS_WRONG", ""))
sys.exit(main())
