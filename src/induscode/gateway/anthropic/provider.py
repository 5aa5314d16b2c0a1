"""One model behind Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from induscode.gateway.anthropic.encoder import WIRE, AnthropicEncoder
from induscode.gateway.anthropic.faults import told_by
from induscode.gateway.anthropic.stream import AnswerDecoder
from induscode.gateway.http_provider import Account, Dialect, HttpProvider
from induscode.gateway.http_provider import connect as connect_over_http

__all__ = ["DIALECT", "connect"]

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
