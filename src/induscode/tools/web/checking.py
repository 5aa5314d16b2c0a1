"""What is wrong with a `[web]` table, said where a person can mend it."""

from __future__ import annotations

import re

from induscode.errors import ConfigError
from induscode.tools.web.address import parse_address
from induscode.tools.web.allowing import parse_allowed
from induscode.tools.web.settings import JsonEndpoint, WebSettings

__all__ = ["check_settings"]

_HEADER = re.compile(r"[A-Za-z0-9-]+:[\x20-\x7e]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_settings(settings: WebSettings, file: str) -> None:
    """Raises `ConfigError`. `file` is where the settings were read from."""
    try:
        parse_allowed(settings.allow_private)
    except ValueError as error:
        raise ConfigError(
            file,
            field="web.allow_private",
            found=str(error),
            hint='write hosts, addresses or networks: ["127.0.0.1:8080", "10.0.0.0/8"]',
        ) from None
    if isinstance(settings.search, JsonEndpoint):
        _check_endpoint(settings.search, file)


def _check_endpoint(search: JsonEndpoint, file: str) -> None:
    if trouble := _url_trouble(search.url):
        raise ConfigError(
            file,
            field="web.search.url",
            found=trouble,
            hint='write it like "https://search.example/api?q={query}&count={limit}"',
        )
    if search.header and not _HEADER.fullmatch(search.header):
        raise ConfigError(
            file,
            field="web.search.header",
            found="it is not a header",
            hint='write it like "Authorization: Bearer {key}"',
        )
    uses_key = "{key}" in search.url or "{key}" in search.header
    if uses_key != bool(_VARIABLE.fullmatch(search.api_key_env)):
        raise ConfigError(
            file,
            field="web.search.api_key_env",
            found="it must name a variable if, and only if, {key} is used",
            hint='write the name of a variable, such as "SEARCH_KEY", and {key} where it belongs',
        )


def _url_trouble(url: str) -> str:
    try:
        parse_address(url)
    except ValueError as error:
        return str(error)
    return "" if "{query}" in url else "it does not hold {query}"
