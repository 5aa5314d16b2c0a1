"""A loopback server that speaks the streaming format of the Gemini API.

`with GeminiServer([say("hi")]) as server: server.url, server.bodies`.
"""

from __future__ import annotations

import re

from tests.fakes.gemini_steps import Step, fail
from tests.fakes.http_server import Received, ScriptedServer

__all__ = ["GeminiServer", "Received"]


class GeminiServer(ScriptedServer[Step]):
    def frames(self, step: Step, index: int, request: Received) -> list[bytes]:
        named = re.search(r"/models/([^:]*):", request.path)
        return step.frames(index, named[1] if named else "")

    def out_of_steps(self, message: str) -> Step:
        return fail(500, message)

    def endless_at(self, request: Received) -> int:
        return 0
