"""Every limit of the web tools, by name."""

from __future__ import annotations

__all__ = [
    "ADDRESSES_TRIED",
    "ASIDE_BYTES",
    "CONNECT_SECONDS",
    "ERROR_BYTES",
    "ERROR_CHARACTERS",
    "FETCH_BYTES",
    "FETCH_BYTES_MOST",
    "FETCH_SECONDS",
    "FIELD_CHARACTERS",
    "LOOKUP_SECONDS",
    "QUERY_CHARACTERS",
    "READING_SECONDS",
    "REDIRECTS",
    "SEARCH_BYTES",
    "SEARCH_RESULTS",
    "SEARCH_RESULTS_MOST",
    "SEARCH_SECONDS",
    "TITLE_CHARACTERS",
    "URL_CHARACTERS",
]

FETCH_BYTES = 2_000_000
"""Of one page, unpacked, unless `max_bytes` says otherwise."""

FETCH_BYTES_MOST = 10_000_000
"""The most that `max_bytes` can ask for."""

FETCH_SECONDS = 30.0
"""For one fetch, all its redirects included."""

CONNECT_SECONDS = 8.0
"""For one address of a host to accept a connection."""

LOOKUP_SECONDS = 2.0
"""For looking a name up that a proxy could, too: behind one, there may be no name service."""

ADDRESSES_TRIED = 4
"""Addresses of one host that are tried, one after the other. All of them are judged."""

REDIRECTS = 5
"""Redirects that one fetch follows."""

URL_CHARACTERS = 4_000
"""The longest address."""

ERROR_BYTES = 16_000
"""Of an error's body, read."""

ERROR_CHARACTERS = 1_000
"""Of an error's body, shown."""

READING_SECONDS = 20.0
"""For making text of one HTML page."""

ASIDE_BYTES = 40_000_000
"""The longest answer of the process that reads a page."""

SEARCH_RESULTS = 8
"""Results of one search unless `limit` says otherwise."""

SEARCH_RESULTS_MOST = 20
"""The most that `limit` can ask for."""

SEARCH_SECONDS = 15.0
"""For one search."""

SEARCH_BYTES = 2_000_000
"""The longest answer of a search service; a longer one is refused."""

QUERY_CHARACTERS = 1_000
"""The longest query."""

TITLE_CHARACTERS = 200
"""Of a title, shown."""

FIELD_CHARACTERS = 500
"""Of a result's excerpt, shown."""
