"""Hooks before a request: what the model sees, and how it is asked. Their wishes are amendments."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from induscode.conductor.amendments import amendment_of
from induscode.conductor.decisions import Decisions
from induscode.conductor.guard import guarded
from induscode.conductor.hooks import Hooks, Noted, Shape, Stop, Tuned
from induscode.conductor.recorder import Recorder
from induscode.conductor.results import fit_text
from induscode.conductor.tuning import changes_of, shown
from induscode.errors import UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text
from induscode.kernel.jsontext import digest
from induscode.kernel.request import NeutralRequest, Parameters
from induscode.session.blobs import BlobStore
from induscode.session.entries import Amendment, Operation
from induscode.session.projection import Projection
from induscode.session.storing import load_said, store_said

__all__ = ["Shaping"]

_CONTEXT = "pre-request"
_PARAMETERS = "request-parameters"

Objection = Callable[[dict[str, Raw]], str]
"""Why the model's wire cannot say these parameters, "" when it can."""


class Shaping:
    """Serves one session. A hook that fails here is reported, and the request goes on without it;
    one that denies stops it."""

    def __init__(
        self, hooks: Hooks, decisions: Decisions, recorder: Recorder, blobs: BlobStore
    ) -> None:
        self._hooks = hooks
        self._decisions = decisions
        self._recorder = recorder
        self._blobs = blobs

    async def before(
        self, projection: Projection, objection: Objection, cancel: CancelToken
    ) -> None:
        """A turn's request is about to be made. Raises `UserError` when a hook stops it, or
        `Cancelled`."""
        if self._hooks.context:
            await self._context(projection, cancel)
        if self._hooks.parameters:
            await self._parameters(projection, objection, cancel)

    async def _context(self, projection: Projection, cancel: CancelToken) -> None:
        for hook in self._hooks.context:
            request = projection.request()
            shape = await guarded(
                hook.shape(request), hook.by, deadline=self._hooks.deadline, cancel=cancel
            )
            match shape:
                case Stop(how="deny"):
                    await self._decisions.stopped(_CONTEXT, hook.by, shape)
                    raise UserError(f"the request was stopped by {hook.by}: {shape.reason}")
                case Stop():
                    await self._decisions.passed_over(_CONTEXT, hook.by, shape)
                case Noted():
                    await self._decisions.noted(_CONTEXT, hook.by, shape)
                case Shape() if shape != Shape():
                    await self._amend(shape, request, hook.by, cancel)
                case _:
                    continue

    async def _amend(
        self, shape: Shape, request: NeutralRequest, by: str, cancel: CancelToken
    ) -> None:
        match amendment_of(self._fit(shape), request, by):
            case Stop() as stop:
                await self._decisions.passed_over(_CONTEXT, by, stop)
            case Amendment() as entry:
                operations = [await self._kept(one, cancel) for one in entry.operations]
                entry = replace(entry, operations=operations)
                await self._recorder.write(entry, by=by, cancel=cancel)
            case None:
                return

    def _fit(self, shape: Shape) -> Shape:
        secrets = self._recorder.secrets

        def fit(operation: Operation) -> Operation:
            content = [
                Text(fit_text(block.text, secrets)) if isinstance(block, Text) else block
                for block in operation.content
            ]
            return replace(operation, content=content)

        return replace(
            shape,
            operations=tuple(fit(operation) for operation in shape.operations),
            added=tuple(fit_text(text, secrets) for text in shape.added),
        )

    async def _kept(self, operation: Operation, cancel: CancelToken) -> Operation:
        """The same with long texts in the store, where the log has no room for them."""
        stored = await self._recorder.stored(
            lambda: store_said(load_said(operation.content, self._blobs), self._blobs), cancel
        )
        if stored == operation.content:
            return operation
        return replace(operation, content=stored, after=digest(msgspec.json.encode(stored)))

    async def _parameters(
        self, projection: Projection, objection: Objection, cancel: CancelToken
    ) -> None:
        for hook in self._hooks.parameters:
            head = projection.request().head
            tuned = await guarded(
                hook.tune(head.model, shown(head.parameters)),
                hook.by,
                deadline=self._hooks.deadline,
                cancel=cancel,
            )
            match tuned:
                case Stop():
                    await self._decisions.passed_over(_PARAMETERS, hook.by, tuned)
                case Noted():
                    await self._decisions.noted(_PARAMETERS, hook.by, tuned)
                case Tuned():
                    await self._tune(tuned, head.parameters, objection, hook.by, cancel)
                case None:
                    continue

    async def _tune(
        self, tuned: Tuned, now: Parameters, objection: Objection, by: str, cancel: CancelToken
    ) -> None:
        changes = changes_of(tuned.parameters, now)
        if not changes:
            return
        if isinstance(changes, dict):
            changes = objection(changes) or changes
        if isinstance(changes, str):
            why = f"{by} wants to change how the model is asked: {changes}"
            await self._decisions.passed_over(_PARAMETERS, by, Stop(why, "refused"))
        else:
            await self._recorder.write(Amendment(parameters=changes), by=by, cancel=cancel)
