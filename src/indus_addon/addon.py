"""An addon: handlers by decorator, and the loop that calls each in a thread of its own."""

from __future__ import annotations

import json
import sys
import threading
from _queue import SimpleQueue
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from indus_addon.answers import entered, left, said, tool_result
from indus_addon.call import Call, Host
from indus_addon.wire import CANCELLED, FAILED, UNKNOWN_METHOD, Wire

__all__ = ["Addon"]

PROTOCOL = 1
Handler = Callable[..., Any]
F = TypeVar("F", bound=Handler)


class Addon:
    """Decorate handlers, then `run`. A handler takes its argument, and the `Call` if it has a
    second parameter; one that is `async` is run to its end. What it raises fails its call: then a
    gate stops, an interceptor blocks, an observer is passed over."""

    def __init__(self, name: str, version: str = "", description: str = "") -> None:
        self.name = name
        self.version = version
        self.description = description
        self._needs: list[dict[str, Any]] = []
        self._events: list[tuple[dict[str, Any], Handler]] = []
        self._stages: list[tuple[str | None, str, Handler]] = []
        self._commands: dict[str, tuple[str, Handler]] = {}
        self._tools: dict[str, tuple[str, dict[str, Any], Handler]] = {}
        self._tasks: dict[str, tuple[dict[str, Any], Handler]] = {}
        self._calls: dict[int, Call] = {}
        self._running: dict[str, Call] = {}
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[tuple[Call, str, Wire]] = SimpleQueue()
        self._idle = 0

    def needs(self, name: str, reason: str, *, required: bool = False) -> None:
        """Ask the person for a capability, e.g. `scoped-fs(execute)`, and say why. Without a
        `required` one the addon is not used at all."""
        self._needs.append({"name": name, "reason": reason, "required": required})

    def on(
        self, event: str, *, gate: bool = False, transform: bool = False, tool: str | None = None
    ) -> Callable[[F], F]:
        """Hear of an event, with a `tool` only of that tool's. A `gate` decides about it: it
        returns the reason why not, or None to let it pass. A `transform` returns the new payload,
        or None to leave it."""
        if gate and transform:
            raise ValueError("a handler is a gate or a transform, not both")
        kind = "gate" if gate else "transform" if transform else "observe"

        def add(handler: F) -> F:
            self._events.append(({"event": event, "kind": kind, "tool": tool}, handler))
            return handler

        return add

    def enter(self, tool: str | None = None) -> Callable[[F], F]:
        """Stand before a tool (None: every tool). Given `tool`, `call_id` and `args`; return the
        new arguments, the reason why the call is blocked, or None."""
        return self._stage(tool, "enter")

    def exit(self, tool: str | None = None) -> Callable[[F], F]:
        """Stand behind a tool. Given also `result` and `error`; return the new result (or just its
        text), or None."""
        return self._stage(tool, "exit")

    def command(self, name: str, summary: str = "") -> Callable[[F], F]:
        """What a person types after the slash. Given the rest of the line; return what is told."""

        def add(handler: F) -> F:
            self._commands[name] = (summary, handler)
            return handler

        return add

    def tool(
        self, name: str, description: str, parameters: dict[str, Any] | None = None
    ) -> Callable[[F], F]:
        """A tool for the model. Given its arguments; return the text of the result, or the whole
        result. `parameters` is a JSON schema of type object."""

        def add(handler: F) -> F:
            schema = parameters if parameters is not None else {"type": "object"}
            self._tools[name] = (description, schema, handler)
            return handler

        return add

    def task(self, name: str, description: str = "", *, restarts: int = 0) -> Callable[[F], F]:
        """What runs beside the session, and again after it failed, so many times at most. Given the
        `Call`; return when it is cancelled."""

        def add(handler: F) -> F:
            about = {"name": name, "description": description, "restarts": restarts}
            self._tasks[name] = (about, handler)
            return handler

        return add

    def run(self) -> None:
        """Serve until the host is gone or says so."""
        wire = Wire()
        host = Host(wire, frozenset())
        for line in wire.incoming:
            message: dict[str, Any] = json.loads(line)
            if "method" not in message:
                wire.answered(message)
                continue
            method, params, number = message["method"], message["params"], message.get("id")
            if method == "initialize":
                host = Host(wire, frozenset(params["granted"]))
                wire.send({"id": number, "result": self._registration()})
            elif method == "shutdown":
                wire.send({"id": number, "result": None})
                break
            elif method == "$/cancel":
                self._cancel(wire, params["id"])
            elif number is not None:
                self._begin(Call(number, params, wire, host), method, wire)
        for call in (*self._calls.values(), *self._running.values()):
            call.cancel()
        wire.close()

    def _stage(self, tool: str | None, stage: str) -> Callable[[F], F]:
        def add(handler: F) -> F:
            self._stages.append((tool, stage, handler))
            return handler

        return add

    def _registration(self) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "name": self.name,
            "version": self.version,
            "description": self.description,
            "register": {
                "events": [about for about, _ in self._events],
                "interceptors": [{"tool": tool, stage: True} for tool, stage, _ in self._stages],
                "commands": [
                    {"name": name, "summary": summary}
                    for name, (summary, _) in self._commands.items()
                ],
                "tools": [
                    {"name": name, "description": description, "parameters": schema}
                    for name, (description, schema, _) in self._tools.items()
                ],
                "tasks": [about for about, _ in self._tasks.values()],
                "capabilities": self._needs,
            },
        }

    def _begin(self, call: Call, method: str, wire: Wire) -> None:
        """In a thread that has nothing to do, or else in a new one."""
        with self._lock:
            self._calls[call.id] = call
            fresh = self._idle == 0
            self._idle -= 0 if fresh else 1
        self._jobs.put((call, method, wire))
        if fresh:
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            self._serve(*self._jobs.get())
            with self._lock:
                self._idle += 1

    def _serve(self, call: Call, method: str, wire: Wire) -> None:
        """What the handler raises is answered too, and printed as threads do."""
        try:
            self._done(wire, call.id, {"result": self._answer(method, call)})
        except NotImplementedError as error:
            self._done(wire, call.id, _error(UNKNOWN_METHOD, error))
        finally:
            self._done(wire, call.id, _error(FAILED, sys.exc_info()[1]))

    def _done(self, wire: Wire, number: int, answer: dict[str, Any]) -> None:
        """Each call is answered once: by its handler, or by the one who cancelled it."""
        line = wire.line({"id": number, **answer})
        with self._lock:
            call = self._calls.pop(number, None)
        if call is not None:
            wire.write(line)

    def _cancel(self, wire: Wire, number: int) -> None:
        call = self._calls.get(number)
        if call is not None:
            call.cancel()
            self._done(wire, number, _error(CANCELLED, None))

    def _answer(self, method: str, call: Call) -> Any:
        params = call.params
        place: int = params.get("handler", 0)
        match method:
            case "event":
                about, handler = self._events[place]
                return said(about["kind"], _called(handler, params["payload"], call))
            case "enter":
                return entered(_called(self._stages[place][2], params, call))
            case "exit":
                return left(_called(self._stages[place][2], params, call))
            case "command":
                text = _called(self._commands[params["name"]][1], params["args"], call)
                return {"text": text}
            case "tool":
                return tool_result(_called(self._tools[params["name"]][2], params["args"], call))
            case "task/start":
                return self._task(params["name"], call)
            case "task/stop":
                running = self._running.get(params["name"])
                return running.cancel() if running is not None else None
            case _:
                raise NotImplementedError(f"there is no {method}")

    def _task(self, name: str, call: Call) -> None:
        self._running[name] = call
        try:
            _finished(self._tasks[name][1](call))
        finally:
            del self._running[name]


def _called(handler: Handler, argument: Any, call: Call) -> Any:
    code = getattr(handler, "__code__", None)
    two = code is not None and code.co_argcount > 1
    return _finished(handler(argument, call) if two else handler(argument))


def _finished(outcome: Any) -> Any:
    """What it comes to; something to be awaited is run to its end."""
    if not hasattr(outcome, "__await__"):
        return outcome

    async def awaited() -> Any:
        return await outcome

    return import_module("asyncio").run(awaited())  # most addons start without it


def _error(code: int, error: BaseException | None) -> dict[str, Any]:
    told = "it was cancelled" if error is None else f"{type(error).__name__}: {error}"
    return {"error": {"code": code, "message": told}}
