"""One model behind Google's Gemini API."""

from __future__ import annotations

from induscode.gateway.gemini.encoder import WIRE, GeminiEncoder
from induscode.gateway.gemini.faults import sense_of, told_by
from induscode.gateway.gemini.stream import AnswerDecoder
from induscode.gateway.http_provider import Dialect

__all__ = ["DIALECT"]

DIALECT = Dialect(
    wire=WIRE,
    path="/v1beta/models/{model}:streamGenerateContent?alt=sse",
    key_headers=lambda key: (("x-goog-api-key", key),),
    encoder=GeminiEncoder,
    decoder=AnswerDecoder,
    told_by=told_by,
    sense_of=sense_of,
    key_variable="GEMINI_API_KEY",
    url_variable="GOOGLE_GEMINI_BASE_URL",
)
