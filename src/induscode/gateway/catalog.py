"""What is known about models: windows, output limits, prices in USD per million tokens."""

from __future__ import annotations

from msgspec import Struct

from induscode.kernel.model import Usage

__all__ = ["ModelLimits", "Prices", "cost", "limits"]

_MILLION = 1_000_000
_CACHE_WRITE = 1.25
_CACHE_READ = 0.1


class Prices(Struct, frozen=True):
    """USD per million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float


class ModelLimits(Struct, frozen=True):
    """Sizes in tokens; `prices` is None where nobody told us."""

    context: int
    max_output: int
    prices: Prices | None = None


def _anthropic(context: int, max_output: int, *, price_in: float, price_out: float) -> ModelLimits:
    prices = Prices(
        input=price_in,
        output=price_out,
        cache_write=price_in * _CACHE_WRITE,
        cache_read=price_in * _CACHE_READ,
    )
    return ModelLimits(context, max_output, prices)


_KNOWN = {
    ("anthropic", "claude-haiku-4-5"): _anthropic(200_000, 64_000, price_in=1, price_out=5),
    ("anthropic", "claude-opus-4-5"): _anthropic(200_000, 64_000, price_in=5, price_out=25),
    ("anthropic", "claude-sonnet-4-5"): _anthropic(200_000, 64_000, price_in=3, price_out=15),
}
_UNKNOWN = ModelLimits(context=200_000, max_output=8_192)
_DATE_DIGITS = 8


def limits(provider: str, model: str) -> ModelLimits:
    """A dated name (`claude-opus-4-5-20251101`) has the limits of its family; a model that is not
    listed is used as named, with careful limits and no price."""
    family, _, date = model.rpartition("-")
    dated = len(date) == _DATE_DIGITS and date.isdigit()
    return _KNOWN.get((provider, family if dated else model), _UNKNOWN)


def cost(usage: Usage, prices: Prices | None) -> float | None:
    if prices is None:
        return None
    return (
        usage.input * prices.input
        + usage.output * prices.output
        + usage.cache_write * prices.cache_write
        + usage.cache_read * prices.cache_read
    ) / _MILLION
