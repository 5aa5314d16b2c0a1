from __future__ import annotations

import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from induscode.errors import (
    ConfigError,
    NetworkFailed,
    ProviderError,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.proxy import Proxy as Address
from induscode.gateway.proxy import is_exempt
from induscode.gateway.reply import Reply
from induscode.gateway.transport import HttpTransport, Timeouts
from induscode.kernel.cancel import CancelToken
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.fakes.proxy import Proxy
from tests.fakes.tls_server import TlsServer

HOST = "api.provider.test"
"""A name that only the proxy knows."""


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path) -> dict[str, str]:
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return {"SSL_CERT_FILE": str(tmp_path / "ca.pem")}


def tls_of(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def to(url: str, environ: dict[str, str], **limits: float) -> HttpTransport:
    return HttpTransport(
        Endpoint.parse(url, "/v1/messages"), environ=environ, timeouts=Timeouts(**limits)
    )


async def post(transport: HttpTransport, body: bytes = b"{}") -> Reply:
    return await transport.post(
        [("x-api-key", "secret")],
        body,
        on_sent=lambda: None,
        feed=lambda chunk: b"message_stop" in chunk,
        cancel=CancelToken(),
    )


async def refused(transport: HttpTransport) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await post(transport)
    return caught.value


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
async def test_https_goes_through_a_tunnel_that_the_proxy_cannot_look_into(
    authority: trustme.CA, trusted: dict[str, str], variable: str
) -> None:
    body = b"y" * 500_000
    with (
        TlsServer(tls_of(authority, HOST)) as server,
        Proxy({HOST: server.port}) as proxy,
    ):
        transport = to(f"https://{HOST}", {**trusted, variable: f"http://{proxy.address}"})
        replies = [await post(transport, body), await post(transport, body)]
        await transport.close()
    assert [reply.streamed for reply in replies] == [True, True]
    assert server.bodies == [body, body]
    assert server.heads[0].startswith(b"POST /v1/messages HTTP/1.1")
    assert [(asked.method, asked.target) for asked in proxy.asked] == [("CONNECT", f"{HOST}:443")]
    assert set(proxy.asked[0].headers) == {"host"}, "the key is for the provider alone"


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_http_asks_the_proxy_for_the_whole_address(variable: str) -> None:
    with (
        AnthropicServer([say("a"), say("b")]) as server,
        Proxy({HOST: server.port}) as proxy,
    ):
        transport = to(f"http://{HOST}:8080/base", {variable: proxy.address})
        assert (await post(transport)).streamed
        assert (await post(transport)).streamed
        await transport.close()
    assert proxy.asked[0].target == f"http://{HOST}:8080/base/v1/messages"
    assert proxy.asked[0].headers["host"] == f"{HOST}:8080"
    assert server.requests[0].path == "/base/v1/messages"


async def test_a_proxy_that_wants_a_password_gets_it_and_nobody_else_does(
    authority: trustme.CA, trusted: dict[str, str]
) -> None:
    with (
        TlsServer(tls_of(authority, HOST)) as server,
        AnthropicServer([say("a")]) as plain,
        Proxy({HOST: server.port}, user="me:p@ss word") as proxy,
        Proxy({HOST: plain.port}, user="me:p@ss word") as other,
    ):
        named = {
            **trusted,
            "HTTPS_PROXY": f"http://me:p%40ss%20word@{proxy.address}",
            "HTTP_PROXY": f"http://me:p%40ss%20word@{other.address}",
        }
        for url in (f"https://{HOST}", f"http://{HOST}"):
            transport = to(url, named)
            assert (await post(transport)).streamed
            await transport.close()
    assert b"proxy-authorization" not in server.heads[0].lower()
    assert "proxy-authorization" not in plain.requests[0].headers


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_wrong_password_is_told_without_showing_it_and_not_tried_again(scheme: str) -> None:
    with Proxy({}, user="me:right") as proxy:
        variable = f"{scheme.upper()}_PROXY"
        named = {variable: f"http://me:wrong-secret@{proxy.address}"}
        found = await refused(to(f"{scheme}://{HOST}", named))
    assert type(found) is RequestRejected
    assert f"the proxy {proxy.address} wants to know who asks (407)" in str(found)
    assert variable in str(found)
    assert "wrong-secret" not in str(found)


@pytest.mark.parametrize(
    ("status", "error"), [(403, RequestRejected), (502, NetworkFailed), (504, NetworkFailed)]
)
async def test_a_tunnel_that_is_refused_is_told(status: int, error: type[ProviderError]) -> None:
    with Proxy({}, refuse=status) as proxy:
        found = await refused(to(f"https://{HOST}", {"HTTPS_PROXY": proxy.address}))
    assert type(found) is error
    assert f"does not connect to {HOST}:443 ({status})" in str(found)
    assert "HTTPS_PROXY" in str(found)


async def test_a_proxy_that_is_none_is_told() -> None:
    with Proxy({}, says=b"SSH-2.0-OpenSSH_9\r\n\r\n") as proxy:
        found = await refused(to(f"https://{HOST}", {"HTTPS_PROXY": proxy.address}))
    assert type(found) is StreamBroken
    assert f"the proxy {proxy.address} does not answer in HTTP" in str(found)
    gone = await refused(to(f"https://{HOST}", {"HTTPS_PROXY": proxy.address}))
    assert type(gone) is NetworkFailed
    assert f"the proxy {proxy.address} refuses the connection; check HTTPS_PROXY" in str(gone)


async def test_a_proxy_that_breaks_the_tunnel_open_is_caught_by_its_certificate(
    authority: trustme.CA, trusted: dict[str, str]
) -> None:
    with (
        TlsServer(tls_of(trustme.CA(), HOST)) as impostor,
        Proxy({HOST: impostor.port}) as proxy,
    ):
        found = await refused(to(f"https://{HOST}", {**trusted, "HTTPS_PROXY": proxy.address}))
    assert type(found) is NetworkFailed
    assert f"certificate of {HOST}:443 (through the proxy {proxy.address}) is refused" in str(found)
    assert impostor.bodies == []


async def test_a_proxy_that_never_answers_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        found = await refused(to(f"https://{HOST}", {"HTTPS_PROXY": address}, connect=0.2))
    assert type(found) is NetworkFailed
    assert f"{HOST}:443 (through the proxy {address}) did not accept a connection" in str(found)


async def test_a_tunnel_that_breaks_off_is_told() -> None:
    with Proxy({}, says=b"HTTP/1.1 ") as proxy:
        found = await refused(to(f"https://{HOST}", {"HTTPS_PROXY": proxy.address}))
    assert type(found) is StreamBroken
    assert f"the proxy {proxy.address}" in str(found)


async def test_a_proxy_may_itself_be_reached_by_tls(
    authority: trustme.CA, trusted: dict[str, str]
) -> None:
    with (
        TlsServer(tls_of(authority, HOST)) as server,
        Proxy({HOST: server.port}, tls=tls_of(authority, "127.0.0.1")) as proxy,
    ):
        transport = to(f"https://{HOST}", {**trusted, "HTTPS_PROXY": f"https://{proxy.address}"})
        assert (await post(transport)).streamed
        await transport.close()
    assert proxy.asked[0].method == "CONNECT"


async def test_loopback_and_what_no_proxy_names_are_reached_straight() -> None:
    with AnthropicServer([say("a")] * 3) as server, Proxy({}, refuse=403) as proxy:
        named = {"HTTP_PROXY": proxy.address}
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            transport = to(url, named)
            assert (await post(transport)).streamed
            await transport.close()
        told = to(server.url, {**named, "NO_PROXY": "<-loopback>"})
        assert (await post(told)).status == 403
        exempt = to(server.url, {**named, "NO_PROXY": "<-loopback>, 127.0.0.0/8"})
        assert (await post(exempt)).streamed
        await exempt.close()
    assert len(proxy.asked) == 1


async def test_the_spelling_in_lower_case_wins_and_an_empty_value_means_no_proxy() -> None:
    with Proxy({}, refuse=403) as proxy:
        upper = {"HTTP_PROXY": "http://unused.invalid", "http_proxy": proxy.address}
        assert (await post(to(f"http://{HOST}", upper))).status == 403
        off = {"HTTP_PROXY": proxy.address, "http_proxy": ""}
        assert "cannot be found" in str(await refused(to("http://nowhere.invalid", off)))
    assert len(proxy.asked) == 1


@pytest.mark.parametrize(
    ("rules", "host", "port", "exempt"),
    [
        ("", "example.com", 443, False),
        ("*", "example.com", 443, True),
        ("*:8080", "example.com", 443, False),
        ("example.com", "example.com", 443, True),
        ("example.com", "api.example.com", 443, True),
        (".example.com", "api.example.com", 443, True),
        ("*.example.com", "API.Example.com.", 443, True),
        ("example.com", "badexample.com", 443, False),
        ("other.com, example.com:8443", "example.com", 443, False),
        ("other.com example.com:443", "example.com", 443, True),
        ("10.0.0.0/8", "10.1.2.3", 443, True),
        ("10.0.0.0/8", "11.1.2.3", 443, False),
        ("10.1.2.3:443", "10.1.2.3", 443, True),
        ("[2001:db8::1]:443", "2001:db8::1", 443, True),
        ("2001:db8::/32", "2001:db8::1", 443, True),
        ("10.0.0.0/8", "ten.example.com", 443, False),
        (".", "example.com", 443, False),
        ("", "localhost", 80, True),
        ("", "my.localhost", 80, True),
        ("", "127.8.8.8", 80, True),
        ("", "::1", 80, True),
        ("<-loopback>", "localhost", 80, False),
        ("<-loopback>,localhost", "localhost", 80, True),
    ],
)
def test_the_rules_of_no_proxy(rules: str, host: str, port: int, exempt: bool) -> None:
    assert is_exempt(host, port, rules) is exempt


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("socks5://h:1080", "'socks5' is not supported"),
        ("http://", "not the address"),
        ("http://h:port", "not the address"),
        ("http://me:secret@h/path", "not the address"),
        ("http://[::1", "not the address"),
    ],
)
def test_a_proxy_that_cannot_be_used_names_its_variable_and_no_password(
    value: str, told: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        to(f"https://{HOST}", {"HTTPS_PROXY": value})
    assert str(caught.value).startswith("environment: HTTPS_PROXY: ")
    assert told in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_address_of_a_proxy_may_leave_out_most_of_itself() -> None:
    assert Address.parse("V", "h").where == "h:80"
    assert Address.parse("V", "https://h").where == "h:443"
    assert Address.parse("V", "http://u@h:1").credentials == "u:"
    assert "secret" not in repr(Address.parse("V", "http://u:secret@h:1"))


def test_without_a_variable_no_code_for_it_is_loaded() -> None:
    code = (
        "import sys; from induscode.gateway.endpoint import Endpoint;"
        "from induscode.gateway.transport import HttpTransport;"
        "HttpTransport(Endpoint.parse('https://h', '/'), environ={'NO_PROXY': 'x'});"
        "names = ('proxy', 'tls', 'inflate');"
        "sys.exit(any(f'induscode.gateway.{name}' in sys.modules for name in names))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
