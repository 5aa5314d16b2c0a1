"""Where the programs of a manifest are run: found, confined, bounded, ended with the session."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from induscode.addons.process.confine import told_of
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.ground import Ground
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.once import Once, Ran
from induscode.addons.process.runners import surroundings
from induscode.addons.process.started import Program, waited
from induscode.kernel.cancel import CancelToken
from induscode.policy.environment import find_program
from induscode.tools.limits import SECONDS_TO_CLOSE
from induscode.tools.processes.line import Keeper

__all__ = ["Place", "Workshop"]


class Place(Struct, frozen=True):
    """`folder` is the package's own, where words with a slash are meant from; programs run in the
    `workspace`, on the `ground`, and are looked after by the `keeper`."""

    folder: Path
    workspace: Path
    ground: Ground
    keeper: Keeper
    limits: ProcessLimits = ProcessLimits()


class Workshop:
    """Runs programs one beside the other. `unconfined` is a sentence for the person, known from the
    first run on."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._running: dict[Once, None] = {}
        self._closed = False
        self.unconfined = ""

    async def run(self, words: Sequence[str], given: bytes, *, seconds: float) -> Ran:
        """To its end, with `given` on its standard input. Raises `ProcessFault` when it did not
        begin, was not done in time, or said too much."""
        most = self._place.limits.frame_bytes
        with self._begun(words) as once:
            return await once.run(given, seconds=seconds, most=most)

    async def stand_by(self, words: Sequence[str], cancel: CancelToken) -> None:
        """However long it runs; `cancel` asks it to end, and it has `close_seconds` for that. One
        that ends badly by itself raises `ProcessFault`."""
        with self._begun(words) as once:
            forget = cancel.on_cancel(lambda: once.end(self._place.limits.close_seconds))
            try:
                ran = await once.run(b"", seconds=None)
            finally:
                forget()
        if ran.code != 0 and not cancel.cancelled:
            raise ran.fault()

    async def close(self) -> None:
        """End what runs. Whoever waits for it is told that it was ended; a later run is refused."""
        self._closed = True
        running = tuple(self._running)
        for once in running:
            once.end(0)
        for once in running:
            await waited(once.over, SECONDS_TO_CLOSE)

    @contextmanager
    def _begun(self, words: Sequence[str]) -> Generator[Once]:
        if self._closed:
            raise ProcessFault(ProcessFaultKind.CLOSED, "it is closed")
        place = self._place
        program = self._program(words)
        once = Once(program, place.keeper, place.limits, place.ground.secrets)
        self._running[once] = None
        try:
            yield once
        finally:
            del self._running[once]
            if once.walls is not None:
                self.unconfined = told_of(program.reach, once.walls)

    def _program(self, words: Sequence[str]) -> Program:
        """A word with a slash names a file of the package, another a program on our path."""
        place = self._place
        word, *others = words
        found, _ = find_program(word, place.folder, place.ground.environ)
        if found is None:
            where = "in its package" if "/" in word else "on the path"
            raise ProcessFault(
                ProcessFaultKind.NOT_STARTED,
                f"there is no program {word} {where}",
                hint="it must be there, and be executable",
            )
        reads = (place.folder, *(() if "/" in word else surroundings(found)))
        return place.ground.program((str(found), *others), place.workspace, *reads)
