"""An addon's way through a session that was recorded: asked at each occasion, in its order.

At each occasion it is heard as a session hears it: gates first, then what changes, then observers;
after a call the other way round. What it makes of a call goes on within that call. What the log
says stays as it is: nothing that it changes reaches a later occasion, and the steps that would have
come otherwise say on which one they depend.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never, cast

import msgspec

from induscode.addons.contract import (
    Arguments,
    HookEvent,
    HookKind,
    Payload,
    ToolExitContext,
    ToolPayload,
)
from induscode.addons.trial.asked import About, Answer, Questions
from induscode.addons.trial.occasions import After, Before, Event, Occasion, Unheard

__all__ = ["Walk"]

_INWARDS = (HookKind.GATE, HookKind.TRANSFORM, HookKind.OBSERVE)


class Walk:
    """One run. `steps` of the questions are what it came to."""

    def __init__(self, questions: Questions) -> None:
        self._ask = questions
        self._first_stop = 0
        self._stopped: dict[str, int] = {}
        self._rewritten: dict[str, tuple[int, Arguments]] = {}

    async def go(self, occasions: Iterable[Occasion]) -> None:
        for occasion in occasions:
            match occasion:
                case Event():
                    await self._event(occasion)
                case Before():
                    await self._before(occasion)
                case After():
                    await self._after(occasion)
                case Unheard():
                    self._unheard(occasion)
                case _:
                    assert_never(occasion)

    async def _event(self, occasion: Event) -> None:
        about = About(occasion.entry, self._first_stop, occasion.tool)
        within = occasion.within or f"{occasion.event} {occasion.entry}"
        payload = occasion.payload
        for kind in _INWARDS:
            payload = await self._kind(occasion.event, kind, payload, about, within)

    async def _before(self, occasion: Before) -> None:
        call = occasion.call
        about = About(occasion.entry, self._first_stop, call.tool, occasion.schema)
        payload: Payload = ToolPayload(call.tool, call.args, call.call_id)
        event, within = HookEvent.TOOL_BEFORE, call.call_id
        for kind in (HookKind.GATE, HookKind.TRANSFORM):
            payload = await self._kind(event, kind, payload, about, within)
        args = cast("ToolPayload", payload).args
        for place in self._ask.stages(call.tool, "enter"):
            if self._skipped("enter", f"interceptors[{place}]", about, within):
                continue
            answer = await self._ask.enter(place, msgspec.structs.replace(call, args=args), about)
            args = answer.value
            self._note(answer, within, args)
        payload = ToolPayload(call.tool, args, call.call_id)
        await self._kind(event, HookKind.OBSERVE, payload, about, within)

    async def _after(self, occasion: After) -> None:
        call = occasion.call
        within = call.call_id
        rewritten, args = self._rewritten.get(within, (0, call.args))
        about = About(occasion.entry, self._first_stop or rewritten, call.tool)
        payload: Payload = ToolPayload(call.tool, args, within, call.result)
        event = HookEvent.TOOL_AFTER
        payload = await self._kind(event, HookKind.OBSERVE, payload, about, within)
        result = call.result
        for place in reversed(self._ask.stages(call.tool, "exit")):
            if self._skipped("exit", f"interceptors[{place}]", about, within):
                continue
            context = ToolExitContext(call.tool, within, args, result, call.error)
            result = (await self._ask.exit(place, context, about)).value
        payload = ToolPayload(call.tool, args, within, result)
        for kind in (HookKind.TRANSFORM, HookKind.GATE):
            payload = await self._kind(event, kind, payload, about, within)

    def _unheard(self, occasion: Unheard) -> None:
        about = About(occasion.entry, self._first_stop, occasion.tool)
        asked = [
            self._ask.event_handler(place)
            for kind in _INWARDS
            for place in self._ask.subscribed(HookEvent.TOOL_BEFORE, kind, occasion.tool)
        ]
        for handler in asked:
            self._ask.skip(HookEvent.TOOL_BEFORE, handler, occasion.reason, about)
        for place in self._ask.stages(occasion.tool, "enter"):
            self._ask.skip("enter", f"interceptors[{place}]", occasion.reason, about)

    async def _kind(
        self, event: HookEvent, kind: HookKind, payload: Payload, about: About, within: str
    ) -> Payload:
        """What the handlers of one kind make of it; on the way out the last one is heard first."""
        places = self._ask.subscribed(event, kind, _tool(payload))
        if event is HookEvent.TOOL_AFTER:
            places.reverse()
        for place in places:
            if self._skipped(event, self._ask.event_handler(place), about, within):
                continue
            answer = await self._ask.event(place, payload, about)
            payload = answer.value
            args = payload.args if isinstance(payload, ToolPayload) else None
            self._note(answer, within, args if event is HookEvent.TOOL_BEFORE else None)
        return payload

    def _skipped(self, occasion: str, handler: str, about: About, within: str) -> bool:
        """Whether it does not happen any more; then it has its step already."""
        stop = self._stopped.get(within)
        if stop is None:
            return False
        about = msgspec.structs.replace(about, depends_on=stop)
        self._ask.skip(occasion, handler, f"step {stop} stopped it", about)
        return True

    def _note(self, answer: Answer[Any], within: str, args: Arguments | None) -> None:
        if answer.stopped:
            self._first_stop = self._first_stop or answer.step
            self._stopped[within] = answer.step
        elif answer.changed and args is not None:
            self._rewritten[within] = (answer.step, args)


def _tool(payload: Payload) -> str:
    return payload.name if isinstance(payload, ToolPayload) else ""
