"""A loopback server that speaks Chat Completions and Responses, whichever path is asked.

`with OpenAIServer([say("hi")]) as server: server.base_url, server.bodies`.
"""

from __future__ import annotations

from tests.fakes import openai_chat_frames, openai_responses_frames
from tests.fakes.http_server import Received, ScriptedServer
from tests.fakes.openai_chat_frames import chat_frames
from tests.fakes.openai_responses_frames import response_frames
from tests.fakes.openai_steps import Step, fail

__all__ = ["OpenAIServer", "Received"]


class OpenAIServer(ScriptedServer[Step]):
    @property
    def base_url(self) -> str:
        """As OpenAI's own client takes it."""
        return f"{self.url}/v1"

    def frames(self, step: Step, index: int, request: Received) -> list[bytes]:
        if step.body is not None:
            return [step.body]
        if request.path.endswith("/responses"):
            return response_frames(step, index, request.model)
        return chat_frames(step, index, request.model)

    def out_of_steps(self, message: str) -> Step:
        return fail(500, message)

    def endless_at(self, request: Received) -> int:
        if request.path.endswith("/responses"):
            return openai_responses_frames.ENDLESS_AT
        return openai_chat_frames.ENDLESS_AT
