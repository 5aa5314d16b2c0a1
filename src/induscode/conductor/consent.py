"""From the host's verdict to a yes or a no, asking a person where the verdict is a question.

The answer is recorded before it takes effect. Without a person a question is a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from induscode.conductor.ports import BoundTool, Emit, Permission
from induscode.conductor.recorder import Recorder
from induscode.errors import UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import ApprovalAsked, Fault
from induscode.kernel.person import Person, PersonAnswer, Question
from induscode.policy.subject import CallView
from induscode.policy.verdict import Allow, Ask, Deny, Layer
from induscode.session.entries import Approval

__all__ = ["Consent", "Granted", "Refused", "denial"]

_HOST = "builtin:policy"
_NAMED_BY_REASON = frozenset({Layer.MODE, Layer.BUILTIN, Layer.TURN})


class Granted(Struct, frozen=True):
    """The call may run: this one, as it was looked at."""

    view: CallView


class Refused(Struct, frozen=True):
    """The call may not run; `text` is for the model."""

    text: str
    outcome: Literal["denied", "refused"]


class Consent:
    """Settles calls for one session. `unasked` counts what was refused for want of a person."""

    def __init__(
        self,
        permission: Permission,
        person: Person | None,
        recorder: Recorder,
        emit: Emit,
        clock: Clock,
    ) -> None:
        self.unasked = 0
        self._emit = emit
        self._clock = clock
        self._permission = permission
        self._person = person
        self._recorder = recorder

    async def settle(
        self, call: str, tool: BoundTool, arguments: Mapping[str, Any], cancel: CancelToken
    ) -> Granted | Refused:
        view = self._permission.view(tool, arguments)
        verdict = self._permission.judge(view)
        match verdict:
            case Allow():
                return Granted(view)
            case Deny():
                return Refused(denial(verdict), "denied")
            case Ask():
                return await self.ask(call, view, verdict, cancel)

    async def ask(
        self, call: str, view: CallView, ask: Ask, cancel: CancelToken
    ) -> Granted | Refused:
        """Put the question to the person, whatever the gate says of the call."""
        if self._person is None:
            self.unasked += 1
            await self._recorder.write(
                _approval(call, view, ask, PersonAnswer("nobody"), ask.rule),
                by=_HOST,
                cancel=cancel,
            )
            return Refused(
                f"Refused: {ask.question}. There is nobody to ask in this run; do without it or say"
                " what you would need.",
                "refused",
            )
        offer = self._permission.offer(view)
        question = Question(
            id=call,
            tool=view.tool,
            arguments=view.arguments,
            reason=ask.question,
            rule=f"{ask.rule} ({ask.layer.value})",
            choices=offer.choices,
            keeps=offer.rule,
        )
        self._emit(_asked(question, self._now()))
        answer = await self._person.ask(question, cancel)
        lasting = answer.choice in {"session", "always"}
        entry = _approval(call, view, ask, answer, offer.rule if lasting else ask.rule)
        await self._recorder.commit(entry, by=_HOST, cancel=cancel)
        if lasting:
            self._remember(view, answer)
        if answer.choice in {"timeout", "nobody"}:
            self.unasked += 1
        return _outcome(view, answer)

    def _remember(self, view: CallView, answer: PersonAnswer) -> None:
        """A yes stays a yes when it cannot be kept for later; the person is told."""
        try:
            self._permission.remember(view, answer)
        except UserError as error:
            self._emit(Fault(message=f"the answer holds this once only: {error}", at=self._now()))

    def _now(self) -> str:
        return iso(self._clock.now_ms())


def denial(deny: Deny) -> str:
    """In words, with the layer that it comes from where its reason does not name it."""
    source = "" if deny.layer in _NAMED_BY_REASON else f" (from: {deny.layer})"
    return f"Denied: {deny.reason}{source}"


def _approval(call: str, view: CallView, ask: Ask, answer: PersonAnswer, rule: str) -> Approval:
    return Approval(
        call=call,
        tool=view.tool,
        question=ask.question,
        answer=answer.choice,
        rule=rule,
        reason=answer.reason,
    )


def _asked(question: Question, at: str) -> ApprovalAsked:
    return ApprovalAsked(
        id=question.id,
        tool=question.tool,
        arguments=dict(question.arguments),
        question=question.reason,
        choices=list(question.choices),
        rule=question.rule,
        keeps=question.keeps,
        at=at,
    )


def _outcome(view: CallView, answer: PersonAnswer) -> Granted | Refused:
    match answer.choice:
        case "once" | "session" | "always":
            return Granted(view)
        case "no":
            said = f" They said: {answer.reason}" if answer.reason else ""
            return Refused(f"The user did not allow this call.{said}", "denied")
        case "nobody" | "timeout":
            return Refused("Nobody answered the question whether this may run.", "refused")
