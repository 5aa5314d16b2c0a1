"""What a call of a web tool is about: the host that is asked. For the gate, before anything runs.

Imported at every start: nothing heavy here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.policy.subject import NoSubject, Subject, UrlSubject
from induscode.tools.web.address import parse_address
from induscode.tools.web.settings import DuckDuckGo, SearchSettings

__all__ = ["search_host", "search_subject", "web_subject"]

_DUCKDUCKGO = "duckduckgo.com"


def web_subject(arguments: Mapping[str, Any]) -> Subject:
    """The host of `url`, in its one spelling. Never raises."""
    url = arguments.get("url")
    if not isinstance(url, str):
        return NoSubject()
    try:
        return UrlSubject(parse_address(url).host)
    except ValueError:
        return NoSubject()


def search_subject(settings: SearchSettings) -> Subject:
    """Whatever is searched for, the host of the configured service is asked. Never raises."""
    try:
        return UrlSubject(search_host(settings))
    except ValueError:
        return NoSubject()


def search_host(settings: SearchSettings) -> str:
    """Raises ValueError when the configured address is none."""
    if isinstance(settings, DuckDuckGo):
        return _DUCKDUCKGO
    return parse_address(settings.url).host
