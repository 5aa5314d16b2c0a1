"""The session, for a feature: each use with its grant, within bounds, under the feature's name."""

from __future__ import annotations

from induscode.boot.services.authority import Authority
from induscode.boot.services.limits import CHOICES_MOST
from induscode.boot.services.roots import SessionReach
from induscode.errors import ServiceRefused
from induscode.feature.capability import AnyCapability, SendMessage, SetModel, SetThinking
from induscode.feature.hosting.foreign import plain
from induscode.feature.hosting.sinks import NoticeBound
from induscode.feature.lending import no_errand
from induscode.feature.limits import NOTICES_MOST

__all__ = ["Control", "ControlBounds"]


class ControlBounds:
    """What one feature has used of its bounds, whatever handle it used."""

    def __init__(self, notices: NoticeBound) -> None:
        self.notices = notices
        self.choices = 0


class Control:
    """The port behind `SessionControl`."""

    def __init__(
        self,
        authority: Authority,
        wanted: SendMessage | SetModel | SetThinking,
        session: SessionReach,
        bounds: ControlBounds,
    ) -> None:
        self._authority = authority
        self._wanted = wanted
        self._session = session
        self._bounds = bounds

    async def send_message(self, text: str) -> None:
        self._granted(SendMessage())
        by = str(self._authority.feature)
        fit = self._bounds.notices.fit(by, plain(text))
        if fit is None:
            raise ServiceRefused(f"a feature sends at most {NOTICES_MOST} messages in a session")
        with no_errand():
            await self._session.send(fit, by=by)

    async def set_model(self, model: str) -> None:
        self._granted(SetModel())
        self._count()
        with no_errand():
            await self._session.set_model(plain(model), by=str(self._authority.feature))

    async def set_thinking(self, level: str) -> None:
        self._granted(SetThinking())
        self._count()
        with no_errand():
            await self._session.set_thinking(plain(level), by=str(self._authority.feature))

    def _granted(self, needed: AnyCapability) -> None:
        if self._wanted != needed:
            raise ServiceRefused(
                f"this handle is for {self._wanted.text()}", hint=f"ask for {needed.text()}"
            )
        self._authority.check(needed)

    def _count(self) -> None:
        self._bounds.choices += 1
        if self._bounds.choices > CHOICES_MOST:
            raise ServiceRefused(f"a feature chooses at most {CHOICES_MOST} times in a session")
