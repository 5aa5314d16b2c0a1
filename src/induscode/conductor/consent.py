"""From the host's verdict to a yes or a no, asking a person where the verdict is a question.

The answer is recorded before it takes effect. Without a person a question is a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from induscode.conductor.ports import BoundTool, Emit, Permission
from induscode.conductor.recorder import Recorder
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import ApprovalAsked
from induscode.kernel.person import Person, PersonAnswer, Question
from induscode.policy.verdict import Allow, Ask, Deny
from induscode.session.entries import Approval

__all__ = ["Consent", "Granted", "Refused"]

_HOST = "builtin:policy"


class Granted(Struct, frozen=True):
    """The call may run."""


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
        verdict = self._permission.judge(tool, arguments)
        match verdict:
            case Allow():
                return Granted()
            case Deny(reason):
                return Refused(f"Denied: {reason}", "denied")
            case Ask():
                return await self._ask(call, tool, arguments, verdict, cancel)

    async def _ask(
        self,
        call: str,
        tool: BoundTool,
        arguments: Mapping[str, Any],
        ask: Ask,
        cancel: CancelToken,
    ) -> Granted | Refused:
        if self._person is None:
            self.unasked += 1
            approval = Approval(
                call=call,
                tool=tool.tool.name,
                question=ask.question,
                answer="nobody",
                rule=ask.rule,
            )
            await self._recorder.write(approval, by=_HOST, cancel=cancel)
            return Refused(
                f"Refused: {ask.question}. There is nobody to ask in this run; do without it or say"
                " what you would need.",
                "refused",
            )
        question = Question(
            id=call,
            tool=tool.tool.name,
            arguments=arguments,
            reason=ask.question,
            rule=f"{ask.rule} ({ask.layer.value})",
            choices=self._permission.choices(tool, arguments),
        )
        self._emit(
            ApprovalAsked(
                id=call,
                tool=question.tool,
                arguments=dict(arguments),
                question=question.reason,
                choices=list(question.choices),
                at=iso(self._clock.now_ms()),
            )
        )
        answer = await self._person.ask(question, cancel)
        kept = self._permission.remember(tool, arguments, answer)
        approval = Approval(
            call=call,
            tool=tool.tool.name,
            question=ask.question,
            answer=answer.choice,
            rule=kept or ask.rule,
            reason=answer.reason,
        )
        await self._recorder.commit(approval, by=_HOST, cancel=cancel)
        if answer.choice == "timeout":
            self.unasked += 1
        return _outcome(answer)


def _outcome(answer: PersonAnswer) -> Granted | Refused:
    match answer.choice:
        case "once" | "session" | "always":
            return Granted()
        case "no":
            said = f" They said: {answer.reason}" if answer.reason else ""
            return Refused(f"The user did not allow this call.{said}", "denied")
        case "timeout":
            return Refused("Nobody answered the question whether this may run.", "refused")
