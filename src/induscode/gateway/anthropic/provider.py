"""One model behind Anthropic's Messages API."""

from __future__ import annotations

from induscode.gateway.anthropic.encoder import WIRE, AnthropicEncoder
from induscode.gateway.anthropic.faults import told_by
from induscode.gateway.anthropic.stream import AnswerDecoder
from induscode.gateway.http_provider import Dialect

__all__ = ["DIALECT"]

DIALECT = Dialect(
    wire=WIRE,
    path="/v1/messages",
    key_headers=lambda key: (("x-api-key", key),),
    encoder=AnthropicEncoder,
    decoder=AnswerDecoder,
    told_by=told_by,
    key_variable="ANTHROPIC_API_KEY",
    url_variable="ANTHROPIC_BASE_URL",
    headers=(("anthropic-version", "2023-06-01"),),
)
