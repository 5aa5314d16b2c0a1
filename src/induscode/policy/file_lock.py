"""Waiting for a lock that another process holds, with a bound."""

from __future__ import annotations

import errno
import fcntl
import time

__all__ = ["lock_within"]

_PAUSE = 0.01


def lock_within(handle: int, seconds: float, held: str) -> None:
    """Return when this process holds the lock; closing `handle` lets go. Raises TimeoutError, an
    OSError that says `held`, when somebody else has it for longer than `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, held) from None
            time.sleep(_PAUSE)
        else:
            return
