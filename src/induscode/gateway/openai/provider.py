"""A provider over one of OpenAI's wires: HTTP as for all, and the one limit that is no rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from induscode.errors import QuotaExceeded
from induscode.gateway.http_provider import Account, Dialect, HttpProvider
from induscode.gateway.http_provider import connect as connect_over_http
from induscode.gateway.openai.faults import SPENT, out_of_quota
from induscode.kernel.cancel import CancelToken
from induscode.kernel.model import Answer, Body, Encoder, ExchangeListener, Provider

__all__ = ["KEY_VARIABLE", "URL_VARIABLE", "QuotaAware", "bearer", "connect"]

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"


def bearer(key: str) -> Sequence[tuple[str, str]]:
    return (("authorization", f"Bearer {key}"),)


class QuotaAware:
    """Tells a spent quota from a limit of the rate: both are a 429, and only the second passes."""

    def __init__(self, inner: Provider, name: str) -> None:
        self._inner = inner
        self._name = name

    @property
    def wire(self) -> str:
        return self._inner.wire

    @property
    def partial(self) -> Answer | None:
        return self._inner.partial

    def encoder(self) -> Encoder:
        return self._inner.encoder()

    async def exchange(self, body: Body, listener: ExchangeListener, cancel: CancelToken) -> Answer:
        try:
            return await self._inner.exchange(body, listener, cancel)
        except QuotaExceeded as error:
            if SPENT not in error.message or not error.retryable:
                raise
            told = error.message.partition(": ")[2]
            message = f"the quota of the account at {self._name} is used up: {told}"
            raise out_of_quota(message, error.status) from None

    async def close(self) -> None:
        await self._inner.close()


def connect(
    dialect: Dialect,
    account: Account,
    base_url: str,
    *,
    idle_timeout: float,
    environ: Mapping[str, str],
    on_reconnect: Callable[[str], None] | None = None,
) -> QuotaAware:
    """No byte is sent yet. Raises `ConfigError` or `KeyRefused`."""
    made: HttpProvider = connect_over_http(
        dialect,
        account,
        base_url,
        idle_timeout=idle_timeout,
        environ=environ,
        on_reconnect=on_reconnect,
    )
    return QuotaAware(made, account.name)
