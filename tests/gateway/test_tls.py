from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

import pytest
import trustme
from cryptography import x509

from induscode.errors import ConfigError, NetworkFailed
from induscode.gateway import ProviderSpec, connect
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.reply import Reply
from induscode.gateway.transport import HttpTransport
from induscode.kernel.cancel import CancelToken
from tests.fakes.tls_server import TlsServer


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA(organization_name="A private authority")


def server_of(authority: trustme.CA, *names: str) -> TlsServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*(names or ("127.0.0.1", "localhost"))).configure_cert(context)
    return TlsServer(context)


async def posted(
    server: TlsServer, environ: dict[str, str], body: bytes = b"{}", host: str = "127.0.0.1"
) -> Reply:
    endpoint = Endpoint.parse(f"https://{host}:{server.port}", "/v1/messages")
    transport = HttpTransport(endpoint, environ=environ)
    try:
        return await transport.post(
            [],
            body,
            on_sent=lambda: None,
            feed=lambda chunk: b"message_stop" in chunk,
            cancel=CancelToken(),
        )
    finally:
        await transport.close()


def written(authority: trustme.CA, file: Path) -> str:
    authority.cert_pem.write_to_path(file)
    return str(file)


def hashed_name(authority: trustme.CA) -> str:
    """The name under which OpenSSL looks for a certificate in a directory."""
    subject = x509.load_pem_x509_certificate(authority.cert_pem.bytes()).subject
    plain = x509.Name([
        x509.RelativeDistinguishedName([x509.NameAttribute(one.oid, one.value.lower())])
        for one in subject
    ])  # fmt: skip
    der = plain.public_bytes()
    inner = der[2:] if der[1] < 0x80 else der[2 + (der[1] & 0x7F) :]
    return f"{int.from_bytes(hashlib.sha1(inner).digest()[:4], 'little'):08x}.0"


async def test_a_body_goes_through_tls_to_a_server_that_is_trusted_and_to_no_other(
    authority: trustme.CA, tmp_path: Path
) -> None:
    body = b"x" * 3_000_000
    trusted = {"SSL_CERT_FILE": written(authority, tmp_path / "ca.pem")}
    with server_of(authority) as server:
        reply = await posted(server, trusted, body)
        assert reply.streamed
        for name in ({}, {"SSL_CERT_FILE": written(trustme.CA(), tmp_path / "other.pem")}):
            with pytest.raises(NetworkFailed, match=r"certificate of 127\.0\.0\.1:\d+ is refused"):
                await posted(server, name)
    assert server.bodies == [body]
    assert server.refused == 2


async def test_a_connection_by_tls_is_kept_for_the_next_request(
    authority: trustme.CA, tmp_path: Path
) -> None:
    reports: list[str] = []
    with server_of(authority) as server:
        transport = HttpTransport(
            Endpoint.parse(f"https://127.0.0.1:{server.port}", "/v1/messages"),
            environ={"SSL_CERT_FILE": written(authority, tmp_path / "ca.pem")},
            on_reconnect=reports.append,
        )
        for size in (2, 100_000, 2_000_000, 2, 300_000):
            sent: list[int] = []
            await transport.post(
                [],
                b"x" * size,
                on_sent=lambda told=sent: told.append(1),
                feed=lambda chunk: b"message_stop" in chunk,
                cancel=CancelToken(),
            )
            assert sent == [1]
        await transport.close()
    assert (server.connections, reports) == (1, [])


async def test_a_certificate_for_another_name_is_refused(
    authority: trustme.CA, tmp_path: Path
) -> None:
    trusted = {"SSL_CERT_FILE": written(authority, tmp_path / "ca.pem")}
    with (
        server_of(authority, "api.example.com") as server,
        pytest.raises(NetworkFailed, match="IP address mismatch"),
    ):
        await posted(server, trusted)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
async def test_each_of_the_usual_variables_names_whom_to_trust(
    authority: trustme.CA, tmp_path: Path, variable: str
) -> None:
    named = {variable: written(authority, tmp_path / "ca.pem")}
    with server_of(authority) as server:
        assert (await posted(server, named, host="localhost")).streamed


@pytest.mark.parametrize("variable", ["SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
@pytest.mark.parametrize("hashed", [True, False])
async def test_a_directory_of_certificates_may_have_any_names(
    authority: trustme.CA, tmp_path: Path, variable: str, hashed: bool
) -> None:
    written(authority, tmp_path / (hashed_name(authority) if hashed else "ours.crt"))
    if not hashed:
        (tmp_path / "README").write_text("how these came here")
        (tmp_path / "more").mkdir()
    with server_of(authority) as server:
        assert (await posted(server, {variable: str(tmp_path)})).streamed


async def test_a_file_and_directories_are_trusted_together(
    authority: trustme.CA, tmp_path: Path
) -> None:
    other = trustme.CA()
    (tmp_path / "dir").mkdir()
    written(authority, tmp_path / "dir" / "ca.pem")
    named = {
        "SSL_CERT_FILE": written(other, tmp_path / "other.pem"),
        "SSL_CERT_DIR": f"{tmp_path / 'missing'}:{tmp_path / 'dir'}",
        "REQUESTS_CA_BUNDLE": "/not/looked/at",
    }
    with server_of(authority) as first, server_of(other) as second:
        assert (await posted(first, named)).streamed
        assert (await posted(second, named)).streamed


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
@pytest.mark.parametrize(
    ("text", "told"), [(None, "No such file"), ("no certificate", "holds no certificate")]
)
def test_a_bad_file_is_named_with_its_variable_before_anything_is_sent(
    tmp_path: Path, variable: str, text: str | None, told: str
) -> None:
    file = tmp_path / "bundle.pem"
    if text is not None:
        file.write_text(text)
    spec = ProviderSpec(provider="a", model="m", wire="anthropic", base_url="https://127.0.0.1:1")
    with pytest.raises(ConfigError) as caught:
        connect(spec, environ={variable: str(file)})
    message = str(caught.value)
    assert message.startswith(f"environment: {variable}: {file}")
    assert told in message


@pytest.mark.parametrize("variable", ["SSL_CERT_DIR", "CURL_CA_BUNDLE"])
def test_a_directory_without_certificates_is_named_with_its_variable(
    tmp_path: Path, variable: str
) -> None:
    endpoint = Endpoint.parse("https://127.0.0.1:1", "/")
    with pytest.raises(ConfigError, match=f"environment: {variable}: no certificate in"):
        HttpTransport(endpoint, environ={variable: str(tmp_path)})


def test_a_plain_http_provider_does_not_read_certificates() -> None:
    endpoint = Endpoint.parse("http://127.0.0.1:1", "/")
    HttpTransport(endpoint, environ={"SSL_CERT_FILE": "/not/there"})
