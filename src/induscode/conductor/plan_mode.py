"""Plan mode as the host keeps it: entered on a call, left only with a person's approval.

The host acts on the identity of a call: a tool that the plan feature contributed, under its own
name. A mark in somebody's result means nothing. Entering narrows and needs no question. Leaving
leads back to the mode the user chose, never further.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from induscode.conductor.consent import Consent, Granted, Refused
from induscode.conductor.ports import BoundTool, Permission, PlanSetting
from induscode.conductor.recorder import Recorder
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolResult
from induscode.policy.modes import Mode
from induscode.policy.subject import CallView
from induscode.policy.verdict import Ask, Layer
from induscode.session.entries import ModeChange

__all__ = ["ENTERED", "PlanMode"]

ENTERED = "enter_plan_mode"
"""The tool, and the reason that a mode entry gives when it was entered so."""

_BY = "builtin:plan"
_HOST = "builtin:conductor"
_LEFT = "exit_plan_mode"
_QUESTION = "the plan is ready; may it be carried out?"


class PlanMode:
    """Looks at every finished call. `changed` is told the new mode, for the epochs to come."""

    def __init__(
        self,
        setting: PlanSetting | None,
        permission: Permission,
        consent: Consent,
        recorder: Recorder,
        changed: Callable[[Mode], None],
    ) -> None:
        self._setting = setting
        self._permission = permission
        self._consent = consent
        self._recorder = recorder
        self._changed = changed

    async def acted(
        self,
        call: str,
        bound: BoundTool,
        view: CallView,
        result: ToolResult,
        cancel: CancelToken,
    ) -> tuple[ToolResult, Literal["ok", "error", "denied", "refused"]]:
        """The result as it is after the host did its part, and how the call ended."""
        outcome: Literal["ok", "error"] = "error" if result.is_error else "ok"
        if bound.by != _BY or result.is_error or self._setting is None:
            return result, outcome
        if bound.tool.name == ENTERED:
            if self._permission.mode is not Mode.PLAN:
                await self._change(Mode.PLAN, ENTERED, cancel)
            return result, outcome
        if bound.tool.name == _LEFT:
            return await self._leave(self._setting, call, view, result, cancel)
        return result, outcome

    async def _leave(
        self,
        setting: PlanSetting,
        call: str,
        view: CallView,
        result: ToolResult,
        cancel: CancelToken,
    ) -> tuple[ToolResult, Literal["ok", "error", "denied", "refused"]]:
        if setting.afterwards is None:
            told = "You only plan here: give the plan as your answer. Nothing may be changed."
            return _said(result, told), "ok"
        ask = Ask(_QUESTION, "leaving plan mode", Layer.BUILTIN)
        match await self._consent.ask(call, view, ask, cancel):
            case Refused(text=text, outcome=outcome):
                told = f"The plan is not approved. {text}"
                if self._permission.mode is Mode.PLAN:
                    told += " Plan mode goes on."
                return ToolResult.error(told, details=result.details), outcome
            case Granted():
                return await self._approved(setting, setting.afterwards, view, result, cancel)

    async def _approved(
        self,
        setting: PlanSetting,
        afterwards: Mode,
        view: CallView,
        result: ToolResult,
        cancel: CancelToken,
    ) -> tuple[ToolResult, Literal["ok", "error"]]:
        try:
            kept = f"It is saved in {setting.keep(str(view.arguments['plan']))}."
        except OSError as error:
            kept = f"It could not be saved: {error.strerror or error}."
        if self._permission.mode is Mode.PLAN:
            await self._change(afterwards, "the plan was approved", cancel)
        mode = self._permission.mode
        told = f"The user approved the plan. {kept} Carry it out; the mode is {mode}."
        return _said(result, told), "ok"

    async def _change(self, mode: Mode, reason: str, cancel: CancelToken) -> None:
        """On disk first: what is permitted must never run ahead of what is recorded."""
        await self._recorder.commit(ModeChange(mode=mode, reason=reason), by=_HOST, cancel=cancel)
        self._permission.set_mode(mode)
        self._changed(mode)


def _said(result: ToolResult, text: str) -> ToolResult:
    details: dict[str, Any] | None = result.details
    return ToolResult((Text(text),), details=details)
