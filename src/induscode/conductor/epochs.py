"""The beginnings of a session's epochs: what changed, and what is recorded with it in one go."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from induscode.conductor.epoch import begin_epoch
from induscode.conductor.ports import ModelSetting, Renewal, Setup
from induscode.conductor.recorder import Recorder
from induscode.conductor.recovery import close_open_calls
from induscode.kernel.cancel import CancelToken
from induscode.session.blobs import BlobStore
from induscode.session.entries import KnownEntry
from induscode.session.projection import Projection
from induscode.session.state import SessionState

__all__ = ["Epochs"]

_HOST = "builtin:conductor"


class Epochs:
    """Serves one session; `state` and `projection` follow its log."""

    def __init__(
        self,
        session: str,
        state: SessionState,
        projection: Projection,
        recorder: Recorder,
        blobs: BlobStore,
        renewal: Renewal,
    ) -> None:
        self._session = session
        self._state = state
        self._projection = projection
        self._recorder = recorder
        self._blobs = blobs
        self._renewal = renewal

    @property
    def due(self) -> bool:
        """Whether the turn must not go on before a new one began."""
        return self._renewal.due

    def renewed(self, setup: Setup) -> Setup:
        """The setup with which the next one begins."""
        return self._renewal.renewed(setup, self._state)

    async def begin(
        self,
        setup: Setup,
        setting: ModelSetting,
        cause: str,
        entries: Sequence[KnownEntry],
        cancel: CancelToken,
    ) -> None:
        """Record durably: what changed, ends for calls left open, and the `entries`."""
        resumed = self._state.start is not None
        fresh = await self._recorder.stored(
            lambda: begin_epoch(
                self._state,
                setup,
                setting,
                self._blobs,
                session=self._session,
                cause=cause if resumed else "start",
            ),
            cancel,
        )
        closing = close_open_calls(self._projection, self._state, goes_on=cause == "resume")
        await self._recorder.commit(*_by(fresh), *_by(closing), *entries, by=_HOST, cancel=cancel)


def _by(entries: Sequence[KnownEntry]) -> list[KnownEntry]:
    """The entries, with their producer filled in where none is named."""
    return [msgspec.structs.replace(entry, by=entry.by or _HOST) for entry in entries]
