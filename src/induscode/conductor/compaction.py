"""Making room: the conversation so far gives way to a summary that the model itself writes.

The request for the summary is recorded like any other, and so is its instruction. What must not be
lost is pinned, word for word: the current request and every pinned notice.
"""

from __future__ import annotations

from induscode.conductor.exchange import Exchange
from induscode.conductor.listeners import Listeners
from induscode.conductor.ports import Background, Emit, ModelSetting
from induscode.conductor.recorder import Recorder
from induscode.errors import ContextTooLong, ProviderError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.content import Text
from induscode.kernel.events import Alert
from induscode.kernel.model import Usage
from induscode.session.entries import Compaction, Input, Notice
from induscode.session.state import SessionState

__all__ = ["COMPACTION_MARK", "Compactor", "needs_room"]

COMPACTION_MARK = "Condense this conversation."
_INSTRUCTION = (
    f"{COMPACTION_MARK} Write a summary from which you can go on without the messages above: what"
    " the user wants and said, decisions and their reasons, files read and changed with what"
    " matters in them, commands run and their outcomes, what is finished, what is next. Be exact"
    " with names, paths and numbers. Answer with the summary only and call no tool."
)
_HOST = "builtin:conductor"
_FULL = 0.85
_LISTED_INPUTS = 20


def needs_room(usage: Usage | None, context: int) -> bool:
    """Whether the last exchange filled the model's window so far that the next may not fit."""
    if usage is None:
        return False
    used = usage.input + usage.cache_read + usage.cache_write + usage.output
    return used > context * _FULL


class Compactor:
    """Condenses one session."""

    def __init__(
        self,
        recorder: Recorder,
        exchange: Exchange,
        state: SessionState,
        hooks: Listeners,
        background: Background,
        emit: Emit,
        clock: Clock,
    ) -> None:
        self._recorder = recorder
        self._exchange = exchange
        self._state = state
        self._hooks = hooks
        self._background = background
        self._emit = emit
        self._clock = clock

    async def compact(self, setting: ModelSetting, reason: str, cancel: CancelToken) -> bool:
        """Condense everything so far. False when there is nothing to condense or a hook objects.
        Raises as `Exchange.ask` does; the conversation is then as it was."""
        if not self._state.first_visible:
            return False
        if not await self._hooks.turn.may_rewrite("compaction", reason, cancel):
            return False
        await self._background.pause("the conversation is condensed")
        try:
            await self._condense(setting, reason, cancel)
        finally:
            self._background.resume()
        return True

    async def _condense(self, setting: ModelSetting, reason: str, cancel: CancelToken) -> None:
        self._emit(Alert(text=f"condensing the conversation: {reason}", at=self._now()))
        last = self._recorder.log.head
        # What is said from here on stays by itself: it is not part of what the summary replaces.
        pinned = [*self._state.pinned, *self._state.current_request]
        await self._recorder.write(
            Notice(text=_INSTRUCTION, only="compaction"), by=_HOST, cancel=cancel
        )
        summary, request = await self._summary(setting, cancel)
        entry = Compaction(
            first=self._state.first_visible,
            last=last,
            summary=summary,
            pinned=pinned,
            request=request,
        )
        entries = await self._hooks.wording.summarised(entry, reason, cancel)
        await self._recorder.write(*entries, by=_HOST, cancel=cancel)

    async def _summary(self, setting: ModelSetting, cancel: CancelToken) -> tuple[str, str]:
        """The model's summary; where the conversation is too long even for that, ours."""
        try:
            response = await self._exchange.ask(setting, "compaction", cancel)
        except ContextTooLong:
            return self._mechanical(), ""
        text = self._exchange.text_of(response)
        if not text.strip():
            raise ProviderError(
                "the model gave no summary", hint="try again, or start a new session"
            )
        return text, response.request

    def _mechanical(self) -> str:
        said = [
            block.text
            for entry in self._recorder.log.path_entries()
            if isinstance(entry, Input)
            for block in entry.content
            if isinstance(block, Text)
        ]
        listed = "\n".join(f"- {text[:500]}" for text in said[-_LISTED_INPUTS:])
        return f"(The conversation was too long to be summarised.) The user said:\n{listed}"

    def _now(self) -> str:
        return iso(self._clock.now_ms())
