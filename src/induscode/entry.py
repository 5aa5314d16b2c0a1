"""The command `indus`. Kept tiny: asking for the version must not load the house."""

from __future__ import annotations

import sys

from induscode.version import VERSION

__all__ = ["main"]

_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] in (["--version"], ["-v"]):
        sys.stdout.write(f"indus {VERSION}\n")
        return 0
    import gc

    # Loading makes many objects and hardly any garbage: a collection every 700 of them is a sixth
    # of the start.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    from induscode.boot.main import run

    return run(sys.argv[1:])
