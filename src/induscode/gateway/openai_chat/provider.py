"""One model behind Chat Completions."""

from __future__ import annotations

from induscode.gateway.http_provider import Dialect
from induscode.gateway.openai.faults import sense_of, told_by
from induscode.gateway.openai.provider import KEY_VARIABLE, URL_VARIABLE, bearer
from induscode.gateway.openai_chat.encoder import WIRE, ChatEncoder
from induscode.gateway.openai_chat.stream import AnswerDecoder

__all__ = ["DIALECT"]

DIALECT = Dialect(
    wire=WIRE,
    path="/chat/completions",
    key_headers=bearer,
    encoder=ChatEncoder,
    decoder=AnswerDecoder,
    told_by=told_by,
    key_variable=KEY_VARIABLE,
    url_variable=URL_VARIABLE,
    sense_of=sense_of,
)
