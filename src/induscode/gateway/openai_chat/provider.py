"""One model behind Chat Completions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from induscode.gateway.http_provider import Account, Dialect
from induscode.gateway.openai.faults import told_by
from induscode.gateway.openai.provider import KEY_VARIABLE, URL_VARIABLE, QuotaAware, bearer
from induscode.gateway.openai.provider import connect as connect_openai
from induscode.gateway.openai_chat.encoder import WIRE, ChatEncoder
from induscode.gateway.openai_chat.stream import AnswerDecoder

__all__ = ["DIALECT", "connect"]

DIALECT = Dialect(
    wire=WIRE,
    path="/chat/completions",
    key_headers=bearer,
    encoder=ChatEncoder,
    decoder=AnswerDecoder,
    told_by=told_by,
    key_variable=KEY_VARIABLE,
    url_variable=URL_VARIABLE,
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
) -> QuotaAware:
    """No byte is sent yet. Raises `ConfigError` or `KeyRefused`."""
    account = Account(name, model, api_key)
    return connect_openai(
        DIALECT,
        account,
        base_url,
        idle_timeout=idle_timeout,
        environ=environ,
        on_reconnect=on_reconnect,
    )
