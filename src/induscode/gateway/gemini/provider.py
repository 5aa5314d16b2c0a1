"""One model behind Google's Gemini API."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from induscode.gateway.gemini.encoder import WIRE, GeminiEncoder
from induscode.gateway.gemini.faults import sense_of, told_by
from induscode.gateway.gemini.stream import AnswerDecoder
from induscode.gateway.http_provider import Account, Dialect, HttpProvider
from induscode.gateway.http_provider import connect as connect_over_http

__all__ = ["DIALECT", "connect"]

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


def connect(
    *,
    name: str,
    model: str,
    base_url: str,
    api_key: str,
    idle_timeout: float,
    environ: Mapping[str, str],
    on_reconnect: Callable[[str], None] | None = None,
) -> HttpProvider:
    """No byte is sent yet. Raises `ConfigError` or `KeyRefused`."""
    account = Account(name, model, api_key)
    return connect_over_http(
        DIALECT,
        account,
        base_url,
        idle_timeout=idle_timeout,
        environ=environ,
        on_reconnect=on_reconnect,
    )
