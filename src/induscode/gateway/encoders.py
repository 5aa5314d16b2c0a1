"""Every encoder version ever released: a log written under one must replay under the same."""

from __future__ import annotations

from collections.abc import Callable

from induscode.gateway.anthropic.encoder import AnthropicEncoder
from induscode.gateway.gemini.encoder import GeminiEncoder
from induscode.gateway.local.encoder import LocalEncoder
from induscode.gateway.neutral.encoder import NeutralEncoder
from induscode.gateway.openai_chat.encoder import ChatEncoder
from induscode.gateway.openai_responses.encoder import ResponsesEncoder
from induscode.kernel.model import Encoder

__all__ = ["encoder_for"]

_RELEASED: dict[str, Callable[[], Encoder]] = {
    "anthropic/1": AnthropicEncoder,
    "gemini/1": GeminiEncoder,
    "local/1": LocalEncoder,
    "neutral/1": NeutralEncoder,
    "openai-chat/1": ChatEncoder,
    "openai-responses/1": ResponsesEncoder,
}


def encoder_for(version: str) -> Encoder | None:
    """A fresh encoder of that version, or None if this program never had one."""
    made = _RELEASED.get(version)
    return None if made is None else made()
