"""A component as the host sees it: opened, asked, closed.

Calls run one after the other in a thread of the component's own, so that the event loop is never
held up; the loop keeps the deadline. A call that ends with a fault ends the component's life too:
the next call starts it anew, without what it kept in memory.
"""

from __future__ import annotations

import asyncio
from contextvars import Context, ContextVar, copy_context
from pathlib import Path
from typing import Any

from wasmtime import Engine
from wasmtime.component import Component, Variant

from induscode.addons.acting import HostCalls
from induscode.addons.offers import Offers
from induscode.addons.wasm import answers
from induscode.addons.wasm.cache import CompileCache
from induscode.addons.wasm.decisions import Outcome, ToolAnswer
from induscode.addons.wasm.engine import new_engine
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.instance import Instance
from induscode.addons.wasm.limits import WasmLimits
from induscode.addons.wasm.registration import parsed
from induscode.addons.wasm.running import Running
from induscode.addons.wasm.sources import loaded, read_component
from induscode.addons.wasm.thread import OwnThread
from induscode.kernel.jsontext import clean_text

__all__ = ["WasmAddon"]

_INSIDE: ContextVar[frozenset[int]] = ContextVar("components on whose behalf the host works")


class WasmAddon:
    """Made by `open`. `host` is what the component holds now and may be changed at any time; the
    next host call sees it. Every method raises `WasmFault`, and the errors of the host that are
    not the component's (`BudgetEnded`, `Cancelled`, `HostError`). Cancelling a call stops it."""

    def __init__(
        self, engine: Engine, component: Component, limits: WasmLimits, host: HostCalls
    ) -> None:
        self.host = host
        self.limits = limits
        self.registration = Offers()
        self._engine = engine
        self._component = component
        self._registered: str | None = None
        self._instance: Instance | None = None
        self._current: Running | None = None
        self._closed = False
        self._turn = asyncio.Lock()
        self._thread = OwnThread("wasm-addon")

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        limits: WasmLimits | None = None,
        host: HostCalls | None = None,
        cache: CompileCache | None = None,
    ) -> WasmAddon:
        """The component in this file, registered. Raises OSError when it cannot be read."""
        source = await asyncio.to_thread(read_component, path)
        engine = new_engine()
        component = await loaded(engine, source, cache)
        addon = cls(engine, component, limits or WasmLimits(), host or HostCalls())
        try:
            text = answers.said("register", await addon._call("register", "register"))
            addon.registration = parsed(text)
        except BaseException:
            await addon.close()
            raise
        addon._registered = text
        return addon

    @property
    def running(self) -> Running:
        """The call that runs now; for its host calls."""
        if self._current is None:
            raise WasmFault(WasmFaultKind.CLOSED, "no call of the component is running")
        return self._current

    async def handle(self, handler: int, event: str, payload: str) -> Outcome:
        given = (handler, event, payload)
        return answers.decision(event, await self._call(event, "handle", *given))

    async def enter(self, handler: int, tool: str, call_id: str, args: str) -> Outcome:
        doing = f"enter {tool}"
        given = (handler, tool, call_id, args)
        return answers.decision(doing, await self._call(doing, "enter", *given))

    async def leave(
        self, handler: int, tool: str, call_id: str, args: str, answer: str, error: str = ""
    ) -> Outcome:
        doing = f"leave {tool}"
        given = (handler, tool, call_id, args, answer, error)
        return answers.decision(doing, await self._call(doing, "leave", *given))

    async def command(self, name: str, args: str, cwd: str) -> str | None:
        """What the person is told. One that says that it failed is a fault in its words."""
        doing = f"/{name}"
        answer = await self._call(doing, "command", name, args, cwd)
        match answer:
            case Variant(tag="ok", payload=None):
                return None
            case Variant(tag="ok", payload=text):
                return answers.said(doing, text)
            case _:
                why = answers.said(doing, getattr(answer, "payload", None))
                raise WasmFault(WasmFaultKind.COMMAND_FAILED, f"{doing}: {why}")

    async def call_tool(self, name: str, call_id: str, args: str) -> ToolAnswer:
        doing = f"tool {name}"
        return answers.tool(doing, await self._call(doing, "call-tool", name, call_id, args))

    async def rest(self) -> None:
        """Give its memory back; the next call starts it anew. One that rests need not be closed."""
        async with self._turn:
            await self._thread.run(self._end, _let)

    async def close(self) -> None:
        """Ends a call that runs, and the component. A second call does nothing."""
        first, self._closed = not self._closed, True
        if self._current is not None:
            self._current.interrupt(_closed(self._current.doing))
        async with self._turn:
            if first:
                await self._thread.run(self._end, _let)
                self._thread.close()

    async def _call(self, doing: str, name: str, *given: int | str) -> Any:
        inside = _INSIDE.get(frozenset[int]())
        if id(self) in inside:
            said = f"{doing}: it was called while it waits for a call of its own"
            raise WasmFault(WasmFaultKind.REENTERED, said)
        async with self._turn:
            if self._closed:
                raise _closed(doing)
            clean = [clean_text(each)[0] if isinstance(each, str) else each for each in given]
            running = self._current = Running(doing, self._engine, self.limits)
            context = copy_context()
            context.run(_INSIDE.set, inside | {id(self)})
            try:
                return await self._thread.run(
                    lambda: self._run(context, running, name, clean), running.interrupt
                )
            finally:
                running.over()
                self._current = None

    def _run(self, context: Context, running: Running, name: str, given: list[int | str]) -> Any:
        """In the component's thread; host calls are made in the context of whoever called."""
        try:
            return context.run(self._entered, running, name, given)
        except BaseException as error:
            if isinstance(error, WasmFault):
                error.fatal = True
            self._end()
            raise

    def _entered(self, running: Running, name: str, given: list[int | str]) -> Any:
        return self._living(running).call(running, name, *given)

    def _living(self, running: Running) -> Instance:
        if self._instance is None:
            self._instance = Instance(self._engine, self._component, self, self.limits)
            if self._registered is not None:
                again = self._instance.call(running, "register")
                if again != self._registered:
                    said = f"{running.doing}: started anew, it registers something else"
                    raise WasmFault(WasmFaultKind.BAD_ANSWER, said)
        return self._instance

    def _end(self) -> None:
        if self._instance is not None:
            self._instance.close()
            self._instance = None


def _closed(doing: str) -> WasmFault:
    return WasmFault(WasmFaultKind.CLOSED, f"{doing}: the component was closed")


def _let() -> None:
    """What cannot be interrupted is waited for."""
