"""What a row says of a login."""

from __future__ import annotations

import pytest

from induscode.capability_deck.mcp_config.servers import OAuthClient, RemoteServer
from tests.capability_deck.mcp_config.test_reading import problems, server

URL = "https://git.example/mcp"


def row(**oauth: object) -> dict[str, object]:
    return {"url": URL, "oauth": oauth}


def test_a_client_that_a_person_registered_is_understood() -> None:
    said = row(clientId="me", clientSecret="${TOKEN}", scopes="read write", callbackPort=8080)
    found = server(said)
    assert isinstance(found, RemoteServer)
    assert found.oauth == OAuthClient("me", "s3cret", "read write", 8080)
    assert "s3cret" not in repr(found.oauth)
    plain = server({"url": URL})
    assert isinstance(plain, RemoteServer)
    assert plain.oauth is None


def test_another_client_is_another_launch_and_another_value_of_its_secret_is_not() -> None:
    rows = [{"url": URL}, row(), row(clientId="me"), row(clientId="you"), row(scopes="read")]
    assert len({server(each).launch for each in rows}) == len(rows)
    secret = row(clientId="me", clientSecret="${V}")
    assert server(secret, {"V": "a"}).launch == server(secret, {"V": "b"}).launch


@pytest.mark.parametrize(
    ("oauth", "told"),
    [
        ("yes", "oauth: expected an object, found a text"),
        ({"clientId": 1}, "oauth.clientId: expected a text, found a number"),
        ({"scopes": 'a"b'}, "oauth.scopes: is no list of scopes"),
        ({"scopes": "a  b"}, "oauth.scopes: is no list of scopes"),
        ({"callbackPort": 70_000}, "oauth.callbackPort: is no port"),
        ({"callbackPort": True}, "oauth.callbackPort: is no port"),
        ({"clientSecret": "${MISSING}"}, "the variable MISSING is not set"),
        ({"clientid": "x"}, "oauth.clientid: is not known and not used; did you mean 'clientId'?"),
    ],
)
def test_what_is_wrong_with_it_is_told(oauth: object, told: str) -> None:
    (found,) = problems({"servers": {"git": {"url": URL, "oauth": oauth}}})
    assert told in found


def test_a_program_has_no_login() -> None:
    (found,) = problems({"servers": {"git": {"command": "x", "oauth": {}}}})
    assert "oauth: is not used for this kind of server" in found
