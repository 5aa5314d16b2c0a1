"""A process that holds a session until it is killed or told to end. Prints `ready` when it does."""

import sys
from pathlib import Path

from induscode.kernel.clock import SystemClock
from induscode.kernel.ids import IdMint
from induscode.session.entries import Notice
from induscode.session.log import Durability, SessionLog

if __name__ == "__main__":
    log, _ = SessionLog.open(Path(sys.argv[1]), SystemClock(), IdMint(SystemClock()))
    log.append(Notice("held"), durability=Durability.COMMITTED)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
