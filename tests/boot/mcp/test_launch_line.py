"""How a server is launched, as a person may see it."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.boot.mcp.launch_line import launch_line, transport_of
from induscode.capability_deck.mcp_config.servers import (
    OAuthClient,
    RemoteServer,
    Source,
    StdioServer,
    Transport,
)

SOURCE = Source("mcp.json", "mcpServers.a")


def program(*words: str, **more: Any) -> str:
    return launch_line(
        StdioServer(name="a", source=SOURCE, launch="x", command=words[0], args=words[1:], **more)
    )


def remote(url: str, **more: Any) -> RemoteServer:
    return RemoteServer(name="a", source=SOURCE, launch="x", url=url, **more)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("run", "a b", "c"), "run 'a b' c"),
        (("run", "--token", "abc"), "run --token '[redacted: token]'"),
        (("run", "--token", "--verbose"), "run --token --verbose"),
        (("run", "--api-key=abc", "x"), "run '--api-key=[redacted: api-key]' x"),
        (("run", "API_KEY=abc", "x"), "run 'API_KEY=[redacted: API_KEY]' x"),
        (("run", "--mode=fast"), "run --mode=fast"),
        (("run", "https://a:b@host/x"), "run 'https://[redacted: user]@host/x'"),
        (("run", "http://h/?token=abc&b=c"), "run 'http://h/?token=[redacted: token]&b=c'"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_program_is_shown_whole_without_what_a_name_calls_secret(
    words: tuple[str, ...], shown: str
) -> None:
    assert program(*words) == shown


def test_its_environment_stands_in_front_and_its_folder_behind() -> None:
    env = {"MY_TOKEN": "abc", "LD_PRELOAD": "./x.so"}
    assert program("run", env=env, cwd="a b") == (
        "LD_PRELOAD=./x.so 'MY_TOKEN=[redacted: MY_TOKEN]' run (in 'a b')"
    )


def test_of_headers_and_a_client_only_names_are_shown() -> None:
    oauth = OAuthClient(client_id="indus", client_secret="abc")
    server = remote("https://host/mcp", headers={"X-Key": "abc", "A": "b"}, oauth=oauth)
    assert launch_line(server) == "https://host/mcp with the headers A, X-Key as the client indus"
    assert transport_of(server) == "http"
    assert transport_of(remote("https://host/sse", transport=Transport.SSE)) == "sse"
