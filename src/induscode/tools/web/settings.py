"""What a person configures of the web tools: the table `[web]` of config.toml, as it stands there.

Imported at every start: nothing heavy here. `checking.py` says what is wrong with a value.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

__all__ = ["DuckDuckGo", "JsonEndpoint", "SearchSettings", "WebAccess", "WebSettings"]


class DuckDuckGo(
    Struct, frozen=True, tag_field="provider", tag="duckduckgo", forbid_unknown_fields=True
):
    """Asked through the package `ddgs`; needs no key."""


class JsonEndpoint(
    Struct, frozen=True, tag_field="provider", tag="json", forbid_unknown_fields=True
):
    """A service that answers a GET with JSON.

    `url` holds `{query}` and perhaps `{limit}`; `results` is the way to the list of results, its
    steps joined by dots, empty if the answer itself is the list. `header` is one line such as
    `Authorization: Bearer {key}`. `{key}`, there or in `url`, is the value of the environment
    variable that `api_key_env` names.
    """

    url: str
    results: str = ""
    title_field: str = "title"
    url_field: str = "url"
    snippet_field: str = "snippet"
    header: str = ""
    api_key_env: str = ""


SearchSettings = DuckDuckGo | JsonEndpoint


class WebSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`allow_private` are the private places that may be fetched: an address, a network, a host or
    `*.` and a domain, each perhaps with a port."""

    allow_private: tuple[str, ...] = ()
    search: SearchSettings = DuckDuckGo()


class WebAccess(Struct, frozen=True):
    """How the web tools of one session reach the web: as configured, with the proxies, certificates
    and keys that `environ` names."""

    settings: WebSettings = WebSettings()
    environ: Mapping[str, str] = {}
