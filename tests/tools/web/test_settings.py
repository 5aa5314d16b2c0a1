"""The table `[web]`: what it says is what the tools do, and a mistake is told where it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from induscode.errors import ConfigError
from induscode.tools.web.checking import check_settings
from induscode.tools.web.settings import DuckDuckGo, JsonEndpoint, WebSettings
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[3] / "docs" / "web.md"
URL = "https://search.example/?q={query}"


def read(toml: str) -> WebSettings:
    return msgspec.convert(tomllib.loads(toml).get("web", {}), WebSettings)


def test_without_a_table_nothing_private_is_allowed_and_duckduckgo_is_asked() -> None:
    assert read("") == WebSettings((), DuckDuckGo())


@pytest.mark.parametrize(
    "toml",
    [
        "[web]\nallow = []",
        "[web]\nallow_private = '127.0.0.1'",
        "[web.search]\nprovider = 'other'",
        "[web.search]\nprovider = 'json'",
        "[web.search]\nprovider = 'json'\nurl = 'x'\nkey = 'y'",
    ],
)
def test_what_the_table_does_not_know_is_refused(toml: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(toml)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (WebSettings(("10.0.0.0/33",)), "config.toml: web.allow_private: '10.0.0.0/33' is no"),
        (WebSettings(("http://a.example",)), "web.allow_private: 'http://a.example' is no host"),
        (WebSettings(("",)), "web.allow_private: '' is no host"),
        (WebSettings(("a.example:99999",)), "web.allow_private: 'a.example:99999' is no host"),
        (JsonEndpoint("search.example"), "web.search.url: it must begin with http"),
        (JsonEndpoint("https://search.example/"), "web.search.url: it does not hold {query}"),
        (JsonEndpoint("https://u:p@a.example/{query}"), "web.search.url: a user name or password"),
        (JsonEndpoint(URL, header="X-Key"), "web.search.header: it is not a header"),
        (JsonEndpoint(URL, header="X: a\r\nY: b"), "web.search.header: it is not a header"),
        (JsonEndpoint(URL, header="X: {key}"), "web.search.api_key_env: it must name a variable"),
        (JsonEndpoint(URL, api_key_env="KEY"), "web.search.api_key_env: it must name a variable"),
        (JsonEndpoint(URL + "{key}", api_key_env="a b"), "web.search.api_key_env: it must name"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_what_to_write(
    settings: WebSettings | JsonEndpoint, told: str
) -> None:
    if isinstance(settings, JsonEndpoint):
        settings = WebSettings(search=settings)
    with pytest.raises(ConfigError) as caught:
        check_settings(settings, "config.toml")
    assert told in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("host", ["{query}.example", "a.example:{limit}", "{key}.example"])
def test_what_is_searched_for_does_not_choose_the_host(host: str) -> None:
    settings = WebSettings(search=JsonEndpoint(f"https://{host}/?q={{query}}"))
    with pytest.raises(ConfigError, match=r"web\.search\.url"):
        check_settings(settings, "config.toml")


def test_every_table_of_the_page_is_accepted() -> None:
    tables = [block.text for block in blocks_of(PAGE) if block.info == "toml"]
    assert len(tables) >= 3
    for table in tables:
        settings = read(table)
        assert settings != WebSettings()
        check_settings(settings, "docs/web.md")


def test_the_page_tells_the_limits_as_they_are() -> None:
    from induscode.tools.web import limits

    text = PAGE.read_text()
    for number in (
        f"{limits.FETCH_BYTES:,}",
        f"{limits.FETCH_BYTES_MOST:,}",
        f"{limits.FETCH_SECONDS:g} s",
        f"{limits.REDIRECTS} redirects",
        f"{limits.READING_SECONDS:g} s",
        f"{limits.SEARCH_SECONDS:g} s",
        f"{limits.SEARCH_RESULTS} results",
        f"{limits.SEARCH_RESULTS_MOST} at most",
    ):
        assert number in text, number
