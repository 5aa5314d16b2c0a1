"""Any search service that answers a GET with JSON, as the user configured it.

The address is the user's own, so it may be private; what comes back is data like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

import msgspec

from induscode.gateway.route import route_to
from induscode.gateway.single import Answer, get
from induscode.tools.web.address import WebAddress, parse_address
from induscode.tools.web.limits import SEARCH_BYTES
from induscode.tools.web.problem import WebProblem
from induscode.tools.web.searching import Found, found_in
from induscode.tools.web.settings import JsonEndpoint
from induscode.tools.web.way import endpoint_of

__all__ = ["JsonSearch"]

_SUCCESS = range(200, 300)
_NOT_TAKEN = frozenset({401, 403})
_SHOWN = 10


class JsonSearch:
    def __init__(self, settings: JsonEndpoint, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ

    @property
    def host(self) -> str:
        try:
            return parse_address(self._settings.url).host
        except ValueError:
            return "the search service"

    async def search(self, query: str, limit: int) -> Sequence[Found]:
        key = self._key()
        address = self._address(query, limit, key)
        endpoint = endpoint_of(address)
        answer = await get(
            route_to(endpoint, self._environ),
            endpoint,
            [("accept", "application/json"), *self._header(key)],
            environ=self._environ,
            wanted=lambda _: SEARCH_BYTES,
            hint="check web.search.url in config.toml, and the network",
        )
        self._check(answer)
        return self._found(self._rows(answer.body))[:limit]

    def _key(self) -> str:
        name = self._settings.api_key_env
        if not name:
            return ""
        key = self._environ.get(name, "").strip()
        if not key:
            raise WebProblem(
                f"The search service {self.host} needs a key: the user must set the environment "
                f"variable {name} (config.toml: web.search.api_key_env)."
            )
        return key

    def _address(self, query: str, limit: int, key: str) -> WebAddress:
        parts = {"{query}": query, "{limit}": str(limit), "{key}": key}
        url = self._settings.url
        for place, value in parts.items():
            url = url.replace(place, quote(value, safe=""))
        try:
            return parse_address(url)
        except ValueError as error:
            raise WebProblem(f"config.toml: web.search.url is not usable: {error}.") from None

    def _header(self, key: str) -> Sequence[tuple[str, str]]:
        name, _, value = self._settings.header.partition(":")
        return [(name.strip(), value.strip().replace("{key}", key))] if name.strip() else []

    def _check(self, answer: Answer) -> None:
        status = answer.head.status
        if status in _SUCCESS:
            if answer.cut:
                raise WebProblem(f"{self.host} answered with more than {SEARCH_BYTES:,} bytes.")
            return
        name = self._settings.api_key_env
        hint = f"; check the key in {name}" if status in _NOT_TAKEN and name else ""
        raise WebProblem(f"The search service {self.host} answered {status}{hint}.")

    def _rows(self, body: bytes) -> Sequence[Any]:
        try:
            value: Any = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise WebProblem(f"The search service {self.host} did not answer in JSON.") from None
        walked: list[str] = []
        for step in filter(None, self._settings.results.split(".")):
            fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            if step not in fields:
                raise self._elsewhere(walked, cast("object", value))
            value = fields[step]
            walked.append(step)
        if not isinstance(value, list):
            raise self._elsewhere(walked, value)
        return cast("list[Any]", value)

    def _elsewhere(self, walked: Sequence[str], value: object) -> WebProblem:
        where = ".".join(walked) or "the top"
        if isinstance(value, dict):
            keys = [str(key)[:40] for key in cast("dict[str, Any]", value)]
            there = f"{where} has: {', '.join(keys[:_SHOWN]) or 'nothing'}"
        else:
            there = f"{where} is not an object"
        wanted = self._settings.results or "the top"
        return WebProblem(
            f"The answer of {self.host} has no list of results at {wanted} "
            f"(config.toml: web.search.results); {there}."
        )

    def _found(self, rows: Sequence[Any]) -> list[Found]:
        names = self._settings
        fields = names.title_field, names.url_field, names.snippet_field
        given = [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]
        found = [one for row in given if (one := found_in(row, *fields)) is not None]
        if rows and not found:
            raise WebProblem(
                f"No result of {self.host} has an address in the field {names.url_field!r} "
                "(config.toml: web.search.url_field)."
            )
        return found
