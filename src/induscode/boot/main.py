"""Which command, which channel; and every error as one helpful line and the promised exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from induscode.errors import IndusError

__all__ = ["COMMANDS", "run"]

COMMANDS = ("sessions", "replay", "why", "context", "fork", "config", "doctor", "demo")
_INTERRUPTED = 130


def run(argv: list[str]) -> int:
    """Run the command line; returns the exit code. Only a bug raises."""
    try:
        if argv and argv[0] in COMMANDS:
            command = import_module(f"induscode.boot.commands.{argv[0]}")
            return command.run(argv[1:], os.environ)
        from induscode.boot.runs import run_session

        return run_session(argv, os.environ)
    except IndusError as error:
        sys.stderr.write(f"indus: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("indus: interrupted\n")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader went away; keep the interpreter's exit from complaining about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
