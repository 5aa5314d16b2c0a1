"""What a search service is: the port behind `websearch`, and a result of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from induscode.tools.web.address import parse_address
from induscode.tools.web.cleaning import one_line
from induscode.tools.web.limits import FIELD_CHARACTERS, TITLE_CHARACTERS

__all__ = ["Found", "SearchProvider", "found_in"]


class Found(Struct, frozen=True):
    """One result, cleaned and cut; `url` is an address that `webfetch` takes."""

    title: str
    url: str
    snippet: str


class SearchProvider(Protocol):
    """Asks one service. `host` is who is asked, for messages."""

    @property
    def host(self) -> str: ...

    async def search(self, query: str, limit: int) -> Sequence[Found]:
        """At most `limit` results, best first. Raises `WebProblem`, `ProviderError` or
        `ConfigError`. May be cancelled at any time; the caller sets the time."""
        ...


def found_in(row: Mapping[str, Any], title: str, url: str, snippet: str) -> Found | None:
    """A result from the fields of those names; None if it has no address of the web."""
    try:
        address = parse_address(_text(row, url)).url
    except ValueError:
        return None
    named = one_line(_text(row, title), TITLE_CHARACTERS)
    return Found(named or address, address, one_line(_text(row, snippet), FIELD_CHARACTERS))


def _text(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    return value if isinstance(value, str) else ""
