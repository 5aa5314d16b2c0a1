"""Where a person's lines come from: a terminal with editing and history, or a pipe.

Belongs to the main thread. Between prompts a terminal stays in its ordinary line mode, so that
what is typed while the agent works arrives as whole lines, and a line begun then goes on at the
next prompt.
"""

from __future__ import annotations

import os
import sys
import termios
from typing import Protocol

from induscode.channels.history import History

try:
    import readline
except ImportError:  # some builds of Python go without; a prompt without editing is still one
    readline = None

__all__ = ["Keyboard", "PipeKeyboard", "TerminalKeyboard"]

_CHUNK = 64 * 1024


class Keyboard(Protocol):
    """`descriptor` is what to watch for lines typed without being asked for, None for nothing."""

    @property
    def descriptor(self) -> int | None: ...

    def ask(self, prompt: str) -> str:
        """One line. Raises EOFError at the end, KeyboardInterrupt as the handler of SIGINT says."""
        ...

    def unasked(self) -> str | None:
        """The line that `descriptor` has ready, None when there will be no more."""
        ...

    def begun(self) -> bool:
        """Whether something stood in the line that was just interrupted."""
        ...

    def forget_typed(self) -> None:
        """Drop what was typed before it could be meant as an answer."""
        ...

    def keep(self, message: str) -> None:
        """Remember a message for the next time."""
        ...


class TerminalKeyboard:
    """A person at a terminal."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._open = True
        if readline is None:
            return
        readline.set_auto_history(False)
        readline.parse_and_bind("set enable-bracketed-paste on")
        for message in history.load():
            readline.add_history(message)

    @property
    def descriptor(self) -> int | None:
        return sys.stdin.fileno() if self._open else None

    def ask(self, prompt: str) -> str:
        if not self._open:
            raise EOFError
        if sys.stdout.isatty():
            return input(prompt)
        # The answers go to a file; the person still wants to see that it is their turn.
        sys.stderr.write(prompt.replace("\001", "").replace("\002", ""))
        sys.stderr.flush()
        return input()

    def unasked(self) -> str | None:
        try:
            data = os.read(sys.stdin.fileno(), _CHUNK)
        except OSError:  # the terminal is gone
            data = b""
        if not data:
            self._open = False
            return None
        return data.decode(errors="replace").rstrip("\n")

    def begun(self) -> bool:
        return readline is not None and bool(readline.get_line_buffer())

    def forget_typed(self) -> None:
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)

    def keep(self, message: str) -> None:
        if self._history.add(message) and readline is not None:
            readline.add_history(message)


class PipeKeyboard:
    """Lines of a file or a program: read when asked for, one after the other, never shown."""

    descriptor: int | None = None

    def ask(self, prompt: str) -> str:
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.removesuffix("\n")

    def unasked(self) -> str | None:
        return None

    def begun(self) -> bool:
        return False

    def forget_typed(self) -> None:
        """Nothing is typed."""

    def keep(self, message: str) -> None:
        """Nobody will want it again."""
