"""The two runtimes: events fanned out to handlers here, and the chain around a tool's call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

import msgspec

from induscode.addons.asking import HANDLER_SECONDS, Failed, ask
from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    AddonId,
    Change,
    DispatchOutcome,
    EventSubscription,
    Gate,
    GateDecision,
    HookEvent,
    HookHandler,
    Observe,
    Payload,
    Transform,
)
from induscode.addons.copies import payload_copy, same
from induscode.addons.faults import FaultSink
from induscode.addons.interceptors import InterceptorChain, interceptor
from induscode.feature.hosting.foreign import is_a
from induscode.kernel.jsontext import JsonProblem, canonical

__all__ = ["EventDispatcher", "InterceptorChain", "interceptor", "subscription"]


def subscription(addon: AddonId, event: HookEvent, handler: HookHandler) -> EventSubscription:
    return EventSubscription(addon, event, handler)


class EventDispatcher:
    """Walks the handlers of an event in the order of their registration.

    An observer that fails is reported and skipped; a transform that fails leaves the payload as it
    was; a gate that fails stops, for who cannot decide does not allow. Every failure is a fault of
    kind handler in `faults`. Handlers get copies: what they do to them changes nothing. Who hears
    them under a deadline of their own gives None for `seconds`: no task is made for a handler then.
    """

    def __init__(
        self,
        subscriptions: Iterable[EventSubscription],
        *,
        faults: FaultSink | None = None,
        seconds: float | None = HANDLER_SECONDS,
    ) -> None:
        by_event: dict[HookEvent, list[EventSubscription]] = {}
        for one in subscriptions:
            by_event.setdefault(one.event, []).append(one)
        self._by_event = {event: tuple(found) for event, found in by_event.items()}
        self._faults = faults if faults is not None else FaultSink()
        self._seconds = seconds

    @staticmethod
    def reserved() -> frozenset[HookEvent]:
        """The events at which the host acts on a gate's decision."""
        return frozenset(event for event in HookEvent if event.guards())

    def has(self, event: HookEvent) -> bool:
        return event in self._by_event

    async def dispatch(self, event: HookEvent, payload: Payload) -> DispatchOutcome:
        """Raises only what is not an addon's: cancellation and the host's own errors."""
        handlers = self._by_event.get(event)
        if handlers is None:
            return DispatchOutcome(payload)
        changes: list[Change] = []
        for one in handlers:
            match one.handler:
                case Observe():
                    await self._observe(one, one.handler, payload)
                case Transform():
                    changed = await self._transform(one, one.handler, payload)
                    if changed is not None:
                        payload = changed
                        changes.append(Change(one.addon, payload_copy(changed)))
                case Gate():
                    decision = await self._gate(one, one.handler, payload)
                    if decision.stop:
                        return DispatchOutcome(payload, decision, one.addon, tuple(changes))
                case _:
                    assert_never(one.handler)
        return DispatchOutcome(payload, changes=tuple(changes))

    async def _observe(self, one: EventSubscription, handler: Observe, payload: Payload) -> None:
        answer = await ask(lambda: handler.run(payload_copy(payload)), self._seconds)
        if isinstance(answer, Failed):
            self._report(one, answer)

    async def _transform(
        self, one: EventSubscription, handler: Transform, payload: Payload
    ) -> Payload | None:
        """None when it failed, or changed nothing."""
        answer = await ask(lambda: handler.run(payload_copy(payload)), self._seconds)
        if isinstance(answer, Failed):
            self._report(one, answer)
            return None
        if type(answer) is not type(payload):
            wanted, found = type(payload).__name__, type(answer).__name__
            self._report(one, Failed(f"it answered with {found} instead of {wanted}"))
            return None
        try:
            if same(answer, payload):
                return None
            canonical(answer)
            return msgspec.json.decode(msgspec.json.encode(answer), type=type(answer))
        except (JsonProblem, msgspec.MsgspecError, TypeError, ValueError) as error:
            self._report(one, Failed(f"what it answered is not usable: {error}", error))
            return None

    async def _gate(self, one: EventSubscription, handler: Gate, payload: Payload) -> GateDecision:
        answer = await ask(lambda: handler.run(payload_copy(payload)), self._seconds)
        if isinstance(answer, Failed):
            failed = answer
        elif is_decision(answer):
            return answer
        else:
            failed = Failed(f"it answered with {type(answer).__name__}, which is no decision")
        self._report(one, failed)
        return GateDecision(stop=True, reason=failed.reason, how="failed")

    def _report(self, one: EventSubscription, failed: Failed) -> None:
        message = f"the {one.handler.kind} handler at {one.event}: {failed.reason}"
        self._faults.tell(
            AddonFault(AddonFaultKind.HANDLER, message, addon=one.addon, cause=failed.error)
        )


def is_decision(answer: object) -> bool:
    """Whether it is a whole decision: `stop` must be a bool, for "no" would stop and 0 not."""
    return isinstance(answer, GateDecision) and is_a(answer.stop, bool) and is_a(answer.reason, str)
