"""DuckDuckGo, asked through the package `ddgs` in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from induscode.gateway.endpoint import Endpoint
from induscode.gateway.proxy import find_proxy
from induscode.tools.web.aside import Faulted, aside, require
from induscode.tools.web.limits import SEARCH_SECONDS
from induscode.tools.web.problem import WebProblem
from induscode.tools.web.searching import Found, found_in

__all__ = ["DuckDuckGoSearch"]

_PURPOSE = "Searching with DuckDuckGo"
_ENDPOINT = Endpoint("https", "html.duckduckgo.com", 443, "/html/")
_PROXIES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_CLIENT_SECONDS = int(SEARCH_SECONDS) - 3
_REASONS = (
    ("DNSError", "its name cannot be found"),
    ("Timeout", "it did not answer in time"),
    ("Ratelimit", "it wants fewer searches"),
    ("ConnectError", "it cannot be reached"),
    ("RequestError", "it cannot be reached"),
    ("took", "it did not answer in time"),
)


class DuckDuckGoSearch:
    host = "duckduckgo.com"

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    async def search(self, query: str, limit: int) -> Sequence[Found]:
        require("ddgs", purpose=_PURPOSE)
        job = {
            "job": "search",
            "query": query,
            "limit": limit,
            "proxy": self._proxy(),
            "certificates": self._first(_CERTIFICATES),
            "seconds": _CLIENT_SECONDS,
        }
        try:
            answer = await aside(job, seconds=SEARCH_SECONDS, purpose=_PURPOSE)
        except Faulted as fault:
            raise WebProblem(
                f"{self.host} could not be asked: {_reason(str(fault))}. Check the network, or "
                "configure another search service in config.toml: [web.search]."
            ) from None
        rows = (found_in(row, "title", "url", "snippet") for row in answer["results"])
        return [row for row in rows if row is not None][:limit]

    def _proxy(self) -> str | None:
        if find_proxy(_ENDPOINT, self._environ) is None:
            return None
        value = self._first(_PROXIES)
        return value if value is None or "://" in value else f"http://{value}"

    def _first(self, names: Sequence[str]) -> str | None:
        """The first that is set decides, also when it is empty."""
        name = next((name for name in names if name in self._environ), "")
        return self._environ.get(name, "").strip() or None


def _reason(fault: str) -> str:
    """In our own words: what the library says is long, and may hold what a proxy is told."""
    return next((told for word, told in _REASONS if word in fault), "it gave no usable answer")
