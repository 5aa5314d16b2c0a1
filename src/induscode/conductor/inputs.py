"""What is said to the session, on its way into the log: without secrets, heard, fit to be kept."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from induscode.conductor.joining import Brought, Joining
from induscode.conductor.ports import Emit
from induscode.conductor.recorder import Recorder
from induscode.conductor.wording import Wording
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.content import SaidBlock, Text, plain_text
from induscode.kernel.events import Alert
from induscode.kernel.jsontext import clean_text
from induscode.kernel.scrubbing import scrubbed
from induscode.session.blobs import BlobStore
from induscode.session.entries import Input, KnownEntry
from induscode.session.storing import store_said

__all__ = ["Inputs", "Submission"]

_PERSON = "person"
_REDACTED = (
    "your message holds a key or password of this run; it was redacted, and neither the model nor"
    " the session's log has it"
)


class Submission(Struct, frozen=True):
    """An input that hooks let through: `text` is what the model will read of it, `entries` are what
    is recorded."""

    text: str
    entries: tuple[KnownEntry, ...] = ()


class Inputs:
    """Serves one session. `speaker` is who begins its turns."""

    def __init__(
        self,
        recorder: Recorder,
        blobs: BlobStore,
        wording: Wording,
        joining: Joining,
        emit: Emit,
        clock: Clock,
        speaker: str,
    ) -> None:
        self._recorder = recorder
        self._blobs = blobs
        self._wording = wording
        self._joining = joining
        self._emit = emit
        self._clock = clock
        self._speaker = speaker

    async def submitted(
        self, blocks: Sequence[SaidBlock], brought: Brought, cancel: CancelToken
    ) -> Submission:
        """Raises `UserError` when a hook stops it, or `Cancelled`."""
        parts = self._joining.parts(blocks, brought)
        entry = Input(content=[], parts=list(parts), by=self._speaker)
        return await self._said(entry, blocks, cancel)

    async def steered(self, text: str, cancel: CancelToken) -> Submission:
        """Raises as `submitted` does."""
        return await self._said(Input(content=[], steer=True, by=_PERSON), [Text(text)], cancel)

    async def _said(
        self, entry: Input, blocks: Sequence[SaidBlock], cancel: CancelToken
    ) -> Submission:
        blocks = self._without_secrets(blocks)
        words = await self._wording.submitted(plain_text(tuple(blocks)), cancel)
        said, mended = _encodable(blocks)
        content = await self._recorder.stored(lambda: store_said(said, self._blobs), cancel)
        entry = replace(entry, content=content, mended=mended)
        entries = await self._wording.input_entries(entry, said, words, cancel)
        return Submission(words.text, tuple(entries))

    def _without_secrets(self, blocks: Sequence[SaidBlock]) -> list[SaidBlock]:
        """What the person said, as hooks, log and model get it; the person is told of a change."""
        clean = scrubbed(list(blocks), self._recorder.secrets)
        if clean != list(blocks):
            self._emit(Alert(text=_REDACTED, at=iso(self._clock.now_ms())))
        return clean


def _encodable(blocks: Sequence[SaidBlock]) -> tuple[list[SaidBlock], bool]:
    """The blocks as the log can hold them, and whether something had to be replaced for it."""
    clean: list[SaidBlock] = []
    mended = False
    for block in blocks:
        if isinstance(block, Text):
            text, replaced = clean_text(block.text)
            mended = mended or replaced
            clean.append(Text(text))
        else:
            clean.append(block)
    return clean, mended
