"""One reading of an address: what the gate is told is what is asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.policy.subject import NoSubject, UrlSubject
from induscode.tools.web.address import parse_address
from induscode.tools.web.settings import DuckDuckGo, JsonEndpoint
from induscode.tools.web.subject import search_subject, web_subject


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/a", "example.com"),
        ("HTTPS://Example.COM./a", "example.com"),
        ("http://example.com:8080?x#y", "example.com"),
        ("https://b\u00fccher.example/", "xn--bcher-kva.example"),
        ("https://\uff45xample.com/", "example.com"),
        ("https://example\u3002com/", "example.com"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f000001/", "127.0.0.1"),
        ("http://0x7F.1/", "127.0.0.1"),
        ("http://0177.0.0.01/", "127.0.0.1"),
        ("http://127.1/", "127.0.0.1"),
        ("http://127.0.1/", "127.0.0.1"),
        ("http://\uff11\uff12\uff17.0.0.1/", "127.0.0.1"),
        ("http://0/", "0.0.0.0"),
        ("http://[::1]:80/", "::1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ("http://[::FFFF:127.0.0.1]/", "127.0.0.1"),
        ("http://[::ffff:7f00:1]/", "127.0.0.1"),
        ("http://[2001:DB8::0001]/", "2001:db8::1"),
    ],
)
def test_a_host_has_one_spelling(url: str, host: str) -> None:
    assert web_subject({"url": url}) == UrlSubject(host)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "https:/example.com",
        "https://",
        "https:///path",
        "https://user@example.com/",
        "https://user:pass@example.com/",
        "https://example.com\\@evil.example/",
        "https://example.com\\.evil.example/",
        "https://exam ple.com/",
        "https://example.com\t/",
        "https://ex%61mple.com/",
        "https://example.com\n.evil.example/",
        "https://example.com/a\r\nx-evil: 1",
        "https://example.com/a\x00",
        "https://exa\u00a0mple.com/",
        "https://example.com\uff0fevil.example/",
        "https://example.com\u2100evil.example/",
        "https://example..com/",
        "https://.example.com/",
        "https://-example.com/",
        "https://example.com:0/",
        "https://example.com:65536/",
        "https://example.com:8o/",
        "https://example.com:\u0661/",
        "https://1.2.3.4.5/",
        "https://1.2.3.256/",
        "https://4294967296/",
        "https://0x1ffffffff/",
        "https://09.1.1.1/",
        "https://example.1/",
        "https://[::1/",
        "https://[::1]x/",
        "https://[fe80::1%25eth0]/",
        "https://[::g]/",
        "https://stra\u00dfe.example/",
        "https://a\u200db.example/",
        "https://" + "a" * 64 + ".example/",
        "https://" + "a." * 130 + "example/",
        "https://example.com/" + "a" * 4_000,
        "https://example.com/\ud800",
        None,
        7,
        ["https://example.com/"],
    ],
)
def test_what_is_no_plain_address_is_no_subject(url: Any) -> None:
    assert web_subject({"url": url}) == NoSubject()


def test_no_address_is_no_subject() -> None:
    assert web_subject({}) == NoSubject()


@given(st.text(max_size=60))
def test_finding_the_subject_never_raises(text: str) -> None:
    for url in (text, f"https://{text}", f"http://a.example{text}", f"https://[{text}]/"):
        assert isinstance(web_subject({"url": url}), UrlSubject | NoSubject)


@given(st.text(max_size=60))
def test_a_request_line_is_printable_whatever_the_address_holds(text: str) -> None:
    try:
        path = parse_address(f"https://example.com/{text}").path
    except ValueError:
        return
    assert path.startswith("/")
    assert path.isascii()
    assert path.isprintable()
    assert not set(path) & set(' #"<>\\')


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://example.com", "/"),
        ("https://example.com?q=1", "/?q=1"),
        ("https://example.com#top", "/"),
        ("https://example.com/a b/\u00e9?q=\u00e9 {x}#f?g", "/a%20b/%C3%A9?q=%C3%A9%20%7Bx%7D"),
        ("https://example.com/a%20b", "/a%20b"),
        ("https://example.com/a/../b//c", "/a/../b//c"),
        (" https://example.com/x\n", "/x"),
    ],
)
def test_the_fragment_is_dropped_and_the_rest_escaped_where_it_must_be(url: str, path: str) -> None:
    assert parse_address(url).path == path


@pytest.mark.parametrize(
    ("url", "whole", "place"),
    [
        ("http://example.com:80/a", "http://example.com/a", "example.com:80"),
        ("https://example.com:80/a", "https://example.com:80/a", "example.com:80"),
        ("https://[::1]/a", "https://[::1]/a", "[::1]:443"),
    ],
)
def test_an_address_is_written_as_people_write_it(url: str, whole: str, place: str) -> None:
    address = parse_address(url)
    assert (address.url, address.place) == (whole, place)


def test_a_search_is_about_the_host_of_its_service() -> None:
    assert search_subject(DuckDuckGo()) == UrlSubject("duckduckgo.com")
    endpoint = JsonEndpoint("https://Search.example/api?q={query}")
    assert search_subject(endpoint) == UrlSubject("search.example")
    assert search_subject(JsonEndpoint("nonsense")) == NoSubject()
