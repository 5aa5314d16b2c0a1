"""Hooks that may put another text in the place of one: of an input, an answer, a summary.

What was really said stays in its entry. What the model is shown instead is an amendment by the
feature that wanted it; each hook sees the text as those before it left it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from induscode.conductor.amendments import in_its_place, too_long
from induscode.conductor.decisions import Decisions
from induscode.conductor.guard import guarded
from induscode.conductor.hooks import Continue, Hooks, Noted, Reworded, Stop
from induscode.conductor.recorder import Recorder
from induscode.conductor.results import fit_text
from induscode.errors import UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import SaidBlock, Text
from induscode.session.blobs import BlobStore
from induscode.session.entries import Amendment, Compaction, Input, KnownEntry
from induscode.session.projection import SUMMARY_HEADING
from induscode.session.storing import store_said

__all__ = ["Wording", "Words"]

_INPUT = "input-submit"
_ANSWER = "post-assistant"
_SUMMARY = "summary"

Decision = Reworded | Stop | Noted | Continue | None
Heard = Coroutine[Any, Any, Decision]
Named = TypeVar("Named", Input, Compaction)


class Words(Struct, frozen=True):
    """A text as hooks left it; `steps` are who put which text in the place of the one before."""

    text: str
    steps: tuple[tuple[str, str], ...] = ()


class Wording:
    """Serves one session."""

    def __init__(
        self, hooks: Hooks, decisions: Decisions, recorder: Recorder, blobs: BlobStore
    ) -> None:
        self._hooks = hooks
        self._decisions = decisions
        self._recorder = recorder
        self._blobs = blobs

    async def submitted(self, text: str, cancel: CancelToken) -> Words:
        """What hooks make of an input. Raises `UserError` when one stops it, or `Cancelled`."""
        words = Words(text)
        for hook in self._hooks.input:
            decision = await self._heard(hook.submit(words.text), hook.by, cancel)
            if isinstance(decision, Stop):
                await self._decisions.stopped(_INPUT, hook.by, decision)
                raise UserError(f"the input was stopped by {hook.by}: {decision.reason}")
            words = await self._after(words, decision, _INPUT, hook.by)
        return words

    async def input_entries(
        self, entry: Input, said: Sequence[SaidBlock], words: Words, cancel: CancelToken
    ) -> list[KnownEntry]:
        """The input, and what puts other texts in the place of its own; what else it has, such as
        pictures, stays."""
        if not words.steps:
            return [entry]
        entry = self._named(entry)
        put = partial(_with_text, said)
        return [entry, *await self._instead(entry.id, list(said), words, put, cancel)]

    async def answered(self, text: str, calls: int, entry: str, cancel: CancelToken) -> str:
        """The text of an answer as hooks leave it; what they change is recorded. A hook that fails
        is reported, and what the model said stays. Raises `Cancelled`."""
        if not self._hooks.answer:
            return text
        words = Words(text)
        for hook in self._hooks.answer:
            heard = hook.answered(words.text, calls, entry)
            decision = await self._heard(heard, hook.by, cancel)
            if isinstance(decision, Reworded) and not text:
                decision = Stop(f"{hook.by} wants to replace a text, and there is none", "refused")
            words = await self._after(words, decision, _ANSWER, hook.by, entry)
        if words.steps:
            amendments = await self._instead(entry, [Text(text)], words, _alone, cancel)
            await self._recorder.write(*amendments, by="", cancel=cancel)
        return words.text

    async def summarised(
        self, entry: Compaction, reason: str, cancel: CancelToken
    ) -> list[KnownEntry]:
        """The compaction, and what puts other summaries in the place of its own. A hook that fails
        is reported, and the summary stays. Raises `Cancelled`."""
        words = Words(entry.summary)
        for hook in self._hooks.summary:
            decision = await self._heard(hook.summarised(reason, words.text), hook.by, cancel)
            words = await self._after(words, decision, _SUMMARY, hook.by)
        if not words.steps:
            return [entry]
        entry = self._named(entry)
        shown = _under_heading(entry.summary)
        return [entry, *await self._instead(entry.id, shown, words, _under_heading, cancel)]

    async def _heard(self, heard: Heard, by: str, cancel: CancelToken) -> Decision:
        return await guarded(heard, by, deadline=self._hooks.deadline, cancel=cancel)

    async def _after(
        self, words: Words, decision: Decision, point: str, by: str, target: str = ""
    ) -> Words:
        match decision:
            case Reworded(text=text):
                text = fit_text(text, self._recorder.secrets)
                if why := too_long(text):
                    refused = Stop(f"{by} wants {why}", "refused")
                    await self._decisions.passed_over(point, by, refused, target)
                    return words
                if text == words.text:
                    return words
                return Words(text, (*words.steps, (by, text)))
            case Stop():
                await self._decisions.passed_over(point, by, decision, target)
            case Noted():
                await self._decisions.noted(point, by, decision, target)
            case Continue() | None:
                pass
        return words

    async def _instead(
        self,
        target: str,
        before: list[SaidBlock],
        words: Words,
        put: Callable[[str], list[SaidBlock]],
        cancel: CancelToken,
    ) -> list[Amendment]:
        """One amendment for each step, on the one before it: each says what it found."""
        amendments: list[Amendment] = []
        for by, text in words.steps:
            blocks = put(text)
            content = await self._recorder.stored(partial(store_said, blocks, self._blobs), cancel)
            entry = in_its_place(target, before, content, by)
            entry = replace(entry, id=self._recorder.log.new_id())
            amendments.append(entry)
            target, before = entry.id, blocks
        return amendments

    def _named(self, entry: Named) -> Named:
        return replace(entry, id=self._recorder.log.new_id())


def _alone(text: str) -> list[SaidBlock]:
    return [Text(text)]


def _under_heading(text: str) -> list[SaidBlock]:
    return [Text(SUMMARY_HEADING + text)]


def _with_text(said: Sequence[SaidBlock], text: str) -> list[SaidBlock]:
    """The text in the place of the first one, or before all else; nothing of the other texts."""
    rest = [block for block in said if not isinstance(block, Text)]
    first = next((at for at, block in enumerate(said) if isinstance(block, Text)), 0)
    return [*rest[:first], Text(text), *rest[first:]]
