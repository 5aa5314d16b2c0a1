"""Replies that go wrong, alike on every wire: cut, stalled, silent, garbage, endless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from tests.fakes.http_server import Ending

__all__ = ["Endings"]

S = TypeVar("S", bound=Any)


class Endings(Generic[S]):
    """Makes them of a wire's own `Step` and its `say`; `words` is how much is said before."""

    def __init__(self, step: Callable[..., S], say: Callable[[str], S], words: int = 50) -> None:
        self._step = step
        self._say = say
        self._words = words

    def cut(self, after_bytes: int | None = 600, step: S | None = None) -> S:
        said = step or self._say("cut " * self._words)
        return replace(said, ending=Ending.CUT, after_bytes=after_bytes)

    def stall(self, after_bytes: int | None = 0, step: S | None = None) -> S:
        said = step or self._say("stalled " * self._words)
        return replace(said, ending=Ending.STALL, after_bytes=after_bytes)

    def silent(self) -> S:
        """Takes the request and never says a word, not even a status."""
        return self._step(ending=Ending.SILENT)

    def garbage(self) -> S:
        return self._step(body=b"data: {this is not JSON}\r\n\r\n")

    def wrong_type(self) -> S:
        body = b"<html>Welcome to the captive portal</html>"
        return self._step(content_type="text/html", body=body)

    def endless(self, text: str = "on and on ") -> S:
        return replace(self._say(text), ending=Ending.ENDLESS)

    def raw(self, *frames: bytes) -> S:
        return self._step(body=b"".join(frames))
