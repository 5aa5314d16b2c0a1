"""One running addon: calls and their answers, what it asks of us, and how it ends.

Everything that an addon must not say ends it: after a broken line nothing it says can be told from
an accident. Whoever waits for an answer is told the fault, and goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Raw, Struct

from induscode.addons.acting import LOG_CHARACTERS, HostCalls
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.host_calls import HostCallFailed, heard, progress_told, serve
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.started import Started, ending, waited
from induscode.addons.process.streams import Complaints, LineReader, LineWriter
from induscode.addons.process.wire import (
    Answer,
    Incoming,
    RpcError,
    answered,
    parsed,
    refused,
    request,
)
from induscode.feature.hosting.foreign import said
from induscode.policy.redaction import Secrets
from induscode.tools.limits import SECONDS_TO_CLOSE

__all__ = ["Peer", "Progress"]

Progress = Callable[[str], None]
_DRAIN_SECONDS = 0.25


class _Waiting(Struct):
    answer: asyncio.Future[Raw]
    method: str
    progress: Progress | None


class Peer:
    """`down` is called once, when the addon has ended or had to be ended by a fault; not by
    `close`. `told` hears of what does not end it."""

    def __init__(
        self,
        started: Started,
        limits: ProcessLimits,
        *,
        host: HostCalls,
        secrets: Secrets,
        down: Callable[[Peer, ProcessFault], None],
        told: Callable[[ProcessFault], None],
    ) -> None:
        self._limits = limits
        self._host = host
        self._secrets = secrets
        self._down = down
        self._told = told
        self._loop = asyncio.get_running_loop()
        self._line = started.line
        self._fault: ProcessFault | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._late: dict[int, asyncio.TimerHandle | None] = {}
        self._serving: dict[int | str, asyncio.Task[None]] = {}
        self._refused: set[str] = set()
        self._last = 0
        self._said: list[float] = []
        self._silent = asyncio.Event()
        self.complaints = Complaints(started.stderr, limits, secrets)
        self._writer = LineWriter(started.stdin, limits, self.fail)
        self._reader = LineReader(
            started.stdout, limits, line=self._heard, over=self._silent.set, fail=self.fail
        )
        self._watch = asyncio.ensure_future(self._until_ended())

    @property
    def fault(self) -> ProcessFault | None:
        """Why it is over, None as long as it is not."""
        return self._fault

    async def call(
        self,
        method: str,
        params: object,
        *,
        seconds: float | None,
        progress: Progress | None = None,
    ) -> Raw:
        """What it answers. Raises `ProcessFault`. A call that takes too long, or whose caller is
        cancelled, is cancelled there too; an addon that does not even answer that is hung."""
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        self._last += 1
        number, line = self._last, self._encoded(method, params, self._last)
        waiting = _Waiting(self._loop.create_future(), method, progress)
        self._waiting[number] = waiting
        try:
            self._writer.write(line)
            async with asyncio.timeout(seconds):
                return await waiting.answer
        except TimeoutError:
            raise ProcessFault(
                ProcessFaultKind.OUT_OF_TIME, f"{method}: it did not answer within {seconds:g} s"
            ) from None
        finally:
            if self._waiting.pop(number, None) is not None:
                self._give_up(number, method)

    def fail(self, fault: ProcessFault) -> None:
        """End it at once, for this reason. The first reason stays."""
        if self._fault is not None:
            return
        self._line.end(0)
        self._over(fault)
        self._down(self, self._fault or fault)

    async def close(self, seconds: float) -> None:
        """Ask it to end, and see to it that nothing of it is left. Cancelling this ends it at
        once."""
        closing = ProcessFault(ProcessFaultKind.CLOSED, "it is closed")
        self._watch.cancel()
        try:
            if self._fault is None:
                self._last += 1
                self._late[self._last] = None
                self._writer.write(request("shutdown", {}, self._last))
                self._writer.finish()
                await waited(self._line.exited, seconds)
            self._line.end(0)
            self._over(closing)
            await waited(self._line.gone, SECONDS_TO_CLOSE)
        finally:
            self._over(closing)
            self._line.close()

    def _over(self, fault: ProcessFault) -> None:
        if self._fault is not None:
            return
        self.complaints.close()
        self._fault = fault = fault.with_said(fault.said or self.complaints.last())
        self._reader.close()
        self._writer.close()
        for timer in self._late.values():
            if timer is not None:
                timer.cancel()
        for task in tuple(self._serving.values()):
            task.cancel()
        for waiting in self._waiting.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(fault)

    def _encoded(self, method: str, params: object, number: int | None) -> bytes:
        try:
            line = request(method, params, number)
        except (TypeError, ValueError) as error:
            raise ProcessFault(
                ProcessFaultKind.TOO_LARGE, f"{method}: it cannot be told this: {error}"
            ) from error
        if len(line) > self._limits.frame_bytes:
            raise ProcessFault(
                ProcessFaultKind.TOO_LARGE,
                f"{method}: what it has to be told has over {self._limits.frame_bytes} bytes",
            )
        return line

    def _give_up(self, number: int, method: str) -> None:
        if self._fault is not None:
            return
        self._writer.write(request("$/cancel", {"id": number}, None))
        seconds = self._limits.cancel_seconds
        hung = ProcessFault(
            ProcessFaultKind.HUNG,
            f"{method}: it did not answer within {seconds:g} s that it was cancelled",
        )
        self._late[number] = self._loop.call_later(seconds, self.fail, hung)

    async def _until_ended(self) -> None:
        """The end of the program, or of its standard output, which is as good."""
        watched = [
            asyncio.ensure_future(event.wait()) for event in (self._line.exited, self._silent)
        ]
        try:
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
            silent = self._silent.is_set()
            await waited(self._line.exited if silent else self._silent, _DRAIN_SECONDS)
        finally:
            for task in watched:
                task.cancel()
        self.fail(ProcessFault(ProcessFaultKind.CRASHED, self._ending()))

    def _ending(self) -> str:
        if not self._line.exited.is_set():
            return "it closed its standard output"
        return ending(self._line)

    def _heard(self, line: bytes) -> None:
        if self._fault is not None:
            return
        try:
            match parsed(line):
                case Answer() as answer:
                    self._take(answer)
                case Incoming() as incoming:
                    self._count()
                    self._serve(incoming)
        except ProcessFault as fault:
            self.fail(fault)

    def _take(self, answer: Answer) -> None:
        number = answer.id
        if number in self._late:
            timer = self._late.pop(number)
            if timer is not None:
                timer.cancel()
            return
        waiting = self._waiting.pop(number, None)
        if waiting is None:
            seen = 0 < number <= self._last
            kind = ProcessFaultKind.DUPLICATE_ID if seen else ProcessFaultKind.FOREIGN_ID
            how = "a second time" if seen else "which was never asked"
            raise ProcessFault(kind, f"it answered call {number}, {how}")
        if waiting.answer.done():
            return
        if answer.error is None:
            waiting.answer.set_result(answer.result)
            return
        why = self._secrets.text(answer.error.message)[:LOG_CHARACTERS]
        waiting.answer.set_exception(
            ProcessFault(ProcessFaultKind.FAILED, f"{waiting.method}: it failed: {why}")
        )

    def _count(self) -> None:
        """Hold it to what it may say unasked."""
        now, most = self._loop.time(), self._limits.messages_a_second
        self._said.append(now)
        if len(self._said) > most:
            if now - self._said[0] < 1.0:
                raise ProcessFault(
                    ProcessFaultKind.FLOOD, f"it said over {most} things in a second"
                )
            del self._said[: most // 2]

    def _serve(self, asked: Incoming) -> None:
        if asked.method == "progress":
            self._progress(asked.params)
            return
        number = asked.id
        if number is None:
            heard(self._host, asked.method, asked.params)
        elif number in self._serving:
            raise ProcessFault(
                ProcessFaultKind.DUPLICATE_ID, f"it used the id {number!r} for two calls at once"
            )
        elif len(self._serving) >= self._limits.host_calls:
            message = f"over {self._limits.host_calls} calls at a time"
            self._writer.write(refused(number, RpcError.BUSY, message))
        else:
            task = asyncio.ensure_future(self._answer(number, asked))
            self._serving[number] = task
            task.add_done_callback(lambda done: self._served(number, done))

    def _served(self, number: int | str, task: asyncio.Task[None]) -> None:
        del self._serving[number]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._writer.write(refused(number, RpcError.FAILED, "the host failed"))
            self._told(
                ProcessFault(ProcessFaultKind.FAILED, f"what it asked of the host: {said(error)}")
            )

    def _progress(self, params: Raw) -> None:
        told = progress_told(params)
        waiting = self._waiting.get(told.call) if told is not None else None
        if told is not None and waiting is not None and waiting.progress is not None:
            waiting.progress(self._secrets.text(told.text))

    async def _answer(self, number: int | str, asked: Incoming) -> None:
        try:
            line = answered(number, await serve(self._host, asked.method, asked.params))
        except HostCallFailed as failed:
            line = refused(number, failed.error, failed.message)
            if failed.error is RpcError.NOT_GRANTED and asked.method not in self._refused:
                self._refused.add(asked.method)
                self._told(
                    ProcessFault(
                        ProcessFaultKind.NOT_GRANTED, f"it called {asked.method} without a grant"
                    )
                )
        self._writer.write(line)
