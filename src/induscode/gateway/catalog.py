"""What is known about models: windows, output limits, prices in USD per million tokens, abilities.

The data is `models.json`, joined by what the user's configuration says under `[models]`. A model
that stands in neither is used as named, with careful limits and no price.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.kernel.model import Usage

__all__ = ["ModelCard", "cost", "find_model", "known_models"]

_DATA = Path(__file__).parent / "models.json"
_MILLION = 1_000_000
_DATE_DIGITS = 8


class ModelCard(Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes in tokens. `input` and `output` are prices, None where nobody told us; what is not said
    of cached tokens costs as much as input."""

    context: int = 128_000
    max_output: int = 8_192
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    images: bool = False
    thinking: bool = False


class _Data(Struct):
    as_of: str
    models: dict[str, ModelCard]


@cache
def _shipped() -> dict[str, ModelCard]:
    return msgspec.json.decode(_DATA.read_bytes(), type=_Data).models


def known_models(own: Mapping[str, ModelCard]) -> dict[str, ModelCard]:
    """Every model by `provider/model`, the user's own on top."""
    return {**_shipped(), **own}


def find_model(name: str, own: Mapping[str, ModelCard]) -> ModelCard:
    """A dated name (`claude-opus-4-5-20251101`) is its family, unless it is listed itself."""
    if name in own:
        return own[name]
    shipped = _shipped()
    family, _, date = name.rpartition("-")
    dated = len(date) == _DATE_DIGITS and date.isdigit()
    return shipped.get(name) or (shipped.get(family) if dated else None) or ModelCard()


def cost(usage: Usage, card: ModelCard) -> float | None:
    """What one answer costs, from its own usage; None when the price is not known."""
    if card.input is None or card.output is None:
        return None
    read = card.input if card.cache_read is None else card.cache_read
    write = card.input if card.cache_write is None else card.cache_write
    return (
        usage.input * card.input
        + usage.output * card.output
        + usage.cache_read * read
        + usage.cache_write * write
    ) / _MILLION
