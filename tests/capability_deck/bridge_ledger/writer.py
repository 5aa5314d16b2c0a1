"""A process that enrols tools in a store, one `record` each, once it is told to begin."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from induscode.capability_deck import BridgeLedger, EnrollRequest
from induscode.capability_deck.bridge_ledger.store import LedgerStore
from tests.capability_deck.bridge_ledger.samples import AT, tool


def main(path: str, server: str, count: int) -> None:
    store, _ = LedgerStore.open(Path(path))
    tell("ready")
    sys.stdin.readline()
    for number in range(count):
        request = EnrollRequest(tool(server, f"t{number}"), server)
        store.record(partial(BridgeLedger.enroll, request=request, at=AT))
        tell(str(number))


def tell(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
