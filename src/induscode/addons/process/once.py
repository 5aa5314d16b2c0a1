"""A program that is run once for one thing: given a text, it says one and ends."""

from __future__ import annotations

import asyncio

from msgspec import Struct

from induscode.addons.acting import LOG_CHARACTERS
from induscode.addons.process.confine import Wall
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.started import Program, Started, ending, launched, waited
from induscode.addons.process.streams import Complaints, LineWriter, Output
from induscode.policy.redaction import Secrets
from induscode.tools.limits import SECONDS_TO_CLOSE
from induscode.tools.processes.line import Keeper

__all__ = ["Once", "Ran"]

_DRAIN_SECONDS = 0.25


class Ran(Struct, frozen=True):
    """`said` is all of its standard output, `complaints` the end of its stderr without secrets.
    `code` is how it ended, as shells tell it, and `how` the same in words."""

    said: bytes
    complaints: str
    code: int | None
    how: str

    def fault(self) -> ProcessFault:
        """For one that should have ended well."""
        said = self.complaints.strip()[-LOG_CHARACTERS:]
        return ProcessFault(ProcessFaultKind.FAILED, self.how, said=said)


class Once:
    """One run. Nothing of it is left when `run` returns, raises or is cancelled; `over` is set
    then."""

    def __init__(
        self, program: Program, keeper: Keeper, limits: ProcessLimits, secrets: Secrets
    ) -> None:
        self._program = program
        self._keeper = keeper
        self._limits = limits
        self._secrets = secrets
        self._started: Started | None = None
        self._ending: float | None = None
        self.over = asyncio.Event()
        self.walls: tuple[Wall, ...] | None = None
        """What stood around it, once it began."""

    async def run(self, given: bytes, *, seconds: float | None, most: int | None = None) -> Ran:
        """`most` bounds what it may say, None drops it. Raises `ProcessFault` when it did not
        begin, was not done in time, or said too much."""
        try:
            return await self._run(given, seconds=seconds, most=most)
        finally:
            self.over.set()

    def end(self, seconds: float) -> None:
        """Ask it to end, and kill what is left of it after `seconds`; `run` returns then."""
        self._ending = seconds
        if self._started is not None:
            self._started.line.end(seconds)

    async def _run(self, given: bytes, *, seconds: float | None, most: int | None) -> Ran:
        started = self._started = await launched(self._program, self._keeper, self._limits)
        self.walls = started.walls
        complaints = Complaints(started.stderr, self._limits, self._secrets)
        output = Output(started.stdout, most or 0)
        writer = LineWriter(started.stdin, self._limits, _unread)
        try:
            if self._ending is not None:
                started.line.end(self._ending)
            if given:
                writer.write(given)
            writer.finish()
            await self._until_done(started, output, seconds=seconds, bounded=most is not None)
            complaints.close()
            return Ran(
                bytes(output.said), complaints.text(), started.line.code, ending(started.line)
            )
        except ProcessFault as fault:
            complaints.close()
            raise fault.with_said(complaints.last()) from None
        finally:
            for stream in (writer, output, complaints):
                stream.close()
            started.line.end(0)
            try:
                await waited(started.line.gone, SECONDS_TO_CLOSE)
            finally:
                started.line.close()

    async def _until_done(
        self, started: Started, output: Output, *, seconds: float | None, bounded: bool
    ) -> None:
        ends = [asyncio.ensure_future(started.line.exited.wait())]
        if bounded:
            ends.append(asyncio.ensure_future(output.full.wait()))
        try:
            done, _ = await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in ends:
                task.cancel()
        if not done:
            raise ProcessFault(
                ProcessFaultKind.OUT_OF_TIME, f"it was not done within {seconds:g} s"
            )
        if not output.full.is_set():
            await waited(output.over, _DRAIN_SECONDS)
        if bounded and output.full.is_set():
            raise ProcessFault(ProcessFaultKind.TOO_LARGE, f"it said over {len(output.said)} bytes")


def _unread(_fault: ProcessFault) -> None:
    """A program need not read what it is given."""
