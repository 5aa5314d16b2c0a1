"""A person at a real pseudo-terminal: types keys, waits for words on the screen."""

import contextlib
import os
import re
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import Self

from tests.channels.place import BOUND, INDUS, Place

CTRL_C = "\x03"
CTRL_D = "\x04"
ENTER = "\r"

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")


class PtyTalk:
    """`with PtyTalk(place, words) as talk:`; what was seen is kept in `screen` without controls."""

    def __init__(
        self, place: Place, *words: str, stdout: Path | None = None, **environ: str
    ) -> None:
        self._master, slave = os.openpty()
        self.raw = ""

        def enter() -> None:
            os.login_tty(slave)
            if stdout is not None:
                os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT, 0o600), 1)

        self._read_to = 0
        self.process = subprocess.Popen(
            [*INDUS, *words],
            cwd=place.workspace,
            env={key: value for key, value in (place.environ | environ).items() if value},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            preexec_fn=enter,  # noqa: PLW1509 - a controlling terminal is taken in the child
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(BOUND)
        os.close(self._master)

    @property
    def screen(self) -> str:
        return _CONTROL.sub("", self.raw)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def say(self, line: str) -> None:
        self.type(line + ENTER)

    def wait_for(self, words: str, seconds: float = BOUND) -> str:
        """Read on until `words` appear after what was last waited for; returns what came."""
        deadline = time.monotonic() + seconds
        while words not in self.screen[self._read_to :]:
            left = deadline - time.monotonic()
            assert left > 0, f"{words!r} did not appear; the screen:\n{self.screen}"
            if not self._read(left):
                message = f"the program ended before {words!r}; the screen:\n{self.screen}"
                raise AssertionError(message)
        start = self._read_to
        self._read_to = self.screen.index(words, start) + len(words)
        return self.screen[start : self._read_to]

    def ends_with(self) -> int:
        """Wait for the end; returns the exit code."""
        deadline = time.monotonic() + BOUND
        while self._read(deadline - time.monotonic()):
            assert time.monotonic() < deadline, f"it did not end; the screen:\n{self.screen}"
        return self.process.wait(BOUND)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(seconds, 0))
        if not ready:
            return True
        data = b""
        with contextlib.suppress(OSError):  # the way Linux says that nobody is left
            data = os.read(self._master, 65536)
        self.raw += data.decode(errors="replace")
        return bool(data)
