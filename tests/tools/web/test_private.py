"""Private addresses are refused, and nothing is sent to them."""

from __future__ import annotations

import pytest

from induscode.tools import definitions
from induscode.tools.web import webfetch
from induscode.tools.web.judging import inner, special
from tests.fakes.proxy import Proxy
from tests.tools.web.conftest import Web
from tests.tools.web.site import PUBLIC, RecordingWire, Site, answer

SPECIAL = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:5db8:d822::1",
    "3fff::1",
    "4000::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
]
OPEN = [
    PUBLIC,
    "1.1.1.1",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001:82a::200e",
    "::ffff:93.184.216.34",
    "64:ff9b::5db8:d822",
]


@pytest.mark.parametrize("text", SPECIAL)
def test_an_address_that_is_not_public_is_known_as_such(text: str) -> None:
    assert special(inner(text))


@pytest.mark.parametrize("text", OPEN)
def test_a_public_address_is_nothing_special(text: str) -> None:
    assert special(inner(text)) is None


@pytest.mark.parametrize("text", [text for text in SPECIAL if "%" not in text])
async def test_a_private_address_is_refused_without_a_connection(web: Web, text: str) -> None:
    wire = RecordingWire()
    host = f"[{text}]" if ":" in text else text
    told = await web.refused(f"http://{host}:8080/x", wire=wire.wire)
    assert "an address that webfetch does not reach (" in told
    assert "The user can allow it in config.toml: [web] allow_private = [" in told
    assert (wire.looked_up, wire.connected) == ([], [])


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:7f00:1]", "\uff11\uff12\uff17.1"],
)
async def test_other_spellings_of_loopback_are_loopback(web: Web, site: Site, host: str) -> None:
    wire = RecordingWire(site.port)
    told = await web.refused(f"http://{host}:{site.port}/", wire=wire.wire)
    assert told.startswith("127.0.0.1 is an address that webfetch does not reach")
    assert (wire.looked_up, wire.connected, site.connections) == ([], [], 0)


@pytest.mark.parametrize("text", SPECIAL)
async def test_a_name_that_leads_to_one_is_refused_without_a_connection(
    web: Web, text: str
) -> None:
    wire = RecordingWire(0, [text])
    told = await web.refused("https://rebound.example/", wire=wire.wire)
    assert told.startswith("rebound.example leads to an address that webfetch does not reach")
    assert text not in told
    assert (wire.looked_up, wire.connected) == (["rebound.example"], [])


@pytest.mark.parametrize(
    "addresses", [[PUBLIC, "10.0.0.1"], ["10.0.0.1", PUBLIC], [*[PUBLIC] * 9, "::1"]]
)
async def test_every_address_of_a_name_is_judged(web: Web, addresses: list[str]) -> None:
    wire = RecordingWire(0, addresses)
    assert "does not reach" in await web.refused("http://mixed.example/", wire=wire.wire)
    assert wire.connected == []


async def test_the_connection_goes_to_what_was_judged_and_the_name_is_not_asked_again(
    web: Web, site: Site
) -> None:
    site.pages["/"] = answer("public")
    wire = RecordingWire(site.port, [PUBLIC], ["127.0.0.1"])
    assert "public" in await web.text("http://rebinding.example/", wire=wire.wire)
    assert wire.looked_up == ["rebinding.example"]
    assert wire.connected == [(PUBLIC, 80)]
    assert "host: rebinding.example" in site.heads[0]


async def test_after_a_redirect_the_host_is_judged_anew(web: Web, site: Site) -> None:
    site.pages["/"] = answer("", "", "location: /again", status=302)
    wire = RecordingWire(site.port, [PUBLIC], ["127.0.0.1"])
    assert "does not reach" in await web.refused("http://rebinding.example/", wire=wire.wire)
    assert wire.connected == [(PUBLIC, 80)]
    assert site.asked == ["/"]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
async def test_the_bare_tool_does_not_reach_this_machine(web: Web, site: Site, name: str) -> None:
    result = await web.run(
        definitions.WEBFETCH, webfetch.execute, {"url": f"http://{name}:{site.port}/"}
    )
    assert result.is_error
    assert site.connections == 0


@pytest.mark.parametrize(
    ("entry", "allowed"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:PORT", True),
        ("127.0.0.1:1", False),
        ("127.0.0.0/8", True),
        ("2130706433", True),
        ("10.0.0.0/8", False),
        ("127.0.0.2", False),
        ("::1", False),
        ("[::1]:PORT", False),
        ("::ffff:127.0.0.1", True),
        ("other.example", False),
    ],
)
async def test_what_is_allowed_is_reached_and_nothing_else(
    web: Web, site: Site, entry: str, allowed: bool
) -> None:
    site.pages["/"] = answer("inside")
    entry = entry.replace("PORT", str(site.port))
    result = await web.fetch(f"{site.url}/", allow=(entry,))
    assert result.is_error is not allowed
    assert site.connections == int(allowed)


@pytest.mark.parametrize(
    ("entry", "allowed"),
    [
        ("intranet.corp.example", True),
        ("Intranet.Corp.Example.:80", True),
        ("intranet.corp.example:81", False),
        ("*.corp.example", True),
        ("*.corp.example:81", False),
        ("corp.example", False),
        ("*.intranet.corp.example", False),
        ("*.rp.example", False),
        ("10.1.0.0/16", True),
        ("10.1.2.3", True),
        ("10.1.2.3:81", False),
    ],
)
async def test_a_name_may_be_allowed_wherever_it_leads(
    web: Web, site: Site, entry: str, allowed: bool
) -> None:
    site.pages["/"] = answer("inside")
    wire = RecordingWire(site.port, ["10.1.2.3"])
    result = await web.fetch("http://intranet.corp.example/", allow=(entry,), wire=wire.wire)
    assert result.is_error is not allowed
    assert wire.connected == ([("10.1.2.3", 80)] if allowed else [])


async def test_two_sessions_do_not_share_what_is_allowed(web: Web, site: Site) -> None:
    site.pages["/"] = answer("inside")
    assert "inside" in await web.text(site.url, allow=(site.place,))
    assert "does not reach" in await web.refused(site.url)
    assert site.connections == 1


async def test_an_entry_that_means_nothing_is_told_and_nothing_is_fetched(
    web: Web, site: Site
) -> None:
    told = await web.refused(site.url, allow=(site.place, "not a host"))
    assert told.startswith("config.toml: web.allow_private: 'not a host' is no host, address or")
    assert site.connections == 0


@pytest.mark.parametrize(
    ("addresses", "url"),
    [
        (["10.0.0.1"], "http://intranet.example/"),
        (["10.0.0.1"], "https://intranet.example/"),
        ([], "http://intranet/"),
        ([], "https://metadata.google.internal/"),
        ([PUBLIC], "http://169.254.169.254/latest/meta-data/"),
        ([PUBLIC], "http://10.1.1.1/"),
    ],
)
async def test_behind_a_proxy_private_places_are_refused_before_the_proxy_is_asked(
    web: Web, addresses: list[str], url: str
) -> None:
    wire = RecordingWire(0, addresses)
    with Proxy({}) as proxy:
        environ = {"http_proxy": proxy.address, "HTTPS_PROXY": f"http://{proxy.address}"}
        assert "does not reach" in await web.refused(url, environ=environ, wire=wire.wire)
        assert proxy.asked == []
    assert wire.connected == []


@pytest.mark.parametrize("addresses", [[PUBLIC], []])
async def test_a_public_name_goes_through_the_proxy_known_here_or_not(
    web: Web, site: Site, addresses: list[str]
) -> None:
    site.pages["/a"] = answer("through")
    wire = RecordingWire(0, addresses)
    with Proxy({"public.example": site.port}) as proxy:
        environ = {"http_proxy": proxy.address}
        said = await web.text("http://public.example/a", environ=environ, wire=wire.wire)
        assert [each.target for each in proxy.asked] == ["http://public.example/a"]
    assert "through" in said
    assert wire.connected == []


async def test_what_no_proxy_names_is_reached_straight(web: Web, site: Site) -> None:
    site.pages["/a"] = answer("straight")
    wire = RecordingWire(site.port)
    with Proxy({}) as proxy:
        environ = {"http_proxy": proxy.address, "no_proxy": "public.example"}
        await web.text("http://public.example/a", environ=environ, wire=wire.wire)
        assert proxy.asked == []
    assert wire.connected == [(PUBLIC, 80)]


async def test_a_proxy_that_cannot_be_used_is_told_without_its_value(web: Web) -> None:
    told = await web.refused(
        "http://public.example/",
        environ={"http_proxy": "socks5://u:secret@h"},
        wire=RecordingWire().wire,
    )
    assert told.startswith("environment: http_proxy: ")
    assert "secret" not in told
