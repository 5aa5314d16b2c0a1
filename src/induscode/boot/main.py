"""Which command, which channel; and every error as one helpful line and the promised exit code."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stdout
from importlib import import_module
from typing import TextIO, cast

from induscode.errors import IndusError

__all__ = ["COMMANDS", "run"]

COMMANDS = (
    "sessions",
    "replay",
    "why",
    "context",
    "rewind",
    "fork",
    "skills",
    "models",
    "login",
    "logout",
    "local",
    "addon",
    "grants",
    "feature",
    "mcp",
    "config",
    "trust",
    "doctor",
    "demo",
)
_INTERRUPTED = 130


def run(argv: list[str]) -> int:
    """Run the command line; returns the exit code. Only a bug raises."""
    _prepare_streams()
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except IndusError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("indus: interrupted\n")
        return _INTERRUPTED
    except BrokenPipeError:
        _give_up_output()
        return 1
    except OSError as error:
        _give_up_output()
        place = f": {error.filename}" if error.filename else ""
        _complain(f"{error.strerror or error}{place}")
        return 1


def _complain(told: str) -> None:
    from induscode.boot.secrets import CleanOutput
    from induscode.channels.terminal import safe

    CleanOutput(sys.stderr, os.environ).write(f"indus: {safe(told)}\n")


def _give_up_output() -> None:
    """Keep the interpreter's exit from complaining about output that cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS:
        from induscode.boot.secrets import CleanOutput

        command = import_module(f"induscode.boot.commands.{argv[0]}")
        with redirect_stdout(cast("TextIO", CleanOutput(sys.stdout, os.environ))):
            return command.run(argv[1:], os.environ)
    from induscode.boot.runs import run_session

    return run_session(argv, os.environ)


def _prepare_streams() -> None:
    """A stream that the caller closed leads nowhere instead of being None, and a character that a
    terminal cannot show is replaced instead of ending the run."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 - until the end
        elif name == "stdout" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
