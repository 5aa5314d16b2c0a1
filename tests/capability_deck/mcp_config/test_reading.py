"""What a file says of servers, and what is wrong with it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.capability_deck.mcp_config import limits
from induscode.capability_deck.mcp_config.reading import FileReading, parse_config_file
from induscode.capability_deck.mcp_config.servers import (
    Disabled,
    RemoteServer,
    ServerConfig,
    StdioServer,
    Transport,
)
from tests.requirements import requirement

ENVIRON = {"HOME": "/home/me", "TOKEN": "s3cret", "EMPTY": ""}


def reading(said: object, environ: dict[str, str] | None = None) -> FileReading:
    data = said if isinstance(said, bytes) else json.dumps(said).encode()
    return parse_config_file(data, "mcp.json", ENVIRON if environ is None else environ)


def server(row: dict[str, Any], environ: dict[str, str] | None = None) -> ServerConfig:
    found = reading({"mcpServers": {"git": row}}, environ)
    assert found.problems == ()
    (only,) = found.servers
    assert not isinstance(only, Disabled)
    return only


def problems(said: object) -> list[str]:
    return [str(problem) for problem in reading(said).problems]


def names(found: FileReading) -> list[str]:
    return [each.name for each in found.servers]


STDIO = {"command": "git-mcp", "args": ["--root", "."], "env": {"A": "b"}, "cwd": "sub"}
REMOTE = {"url": "https://git.example/mcp", "headers": {"X-Key": "k"}}


@requirement("ledger.discover.array-form")
def test_a_list_of_servers_is_understood() -> None:
    found = reading({"servers": [{"name": "git", **STDIO}, {"name": "far", **REMOTE}]})
    assert names(found) == ["git", "far"]
    assert found.problems == ()
    assert [str(each.source) for each in found.servers] == [
        "mcp.json: servers[0]",
        "mcp.json: servers[1]",
    ]


@requirement("ledger.discover.object-form")
@pytest.mark.parametrize("root", ["servers", "mcpServers"])
def test_an_object_of_servers_by_name_is_understood(root: str) -> None:
    found = reading({root: {"git": STDIO, "far": REMOTE}})
    assert names(found) == ["git", "far"]
    assert str(found.servers[0].source) == f"mcp.json: {root}.git"


@requirement("ledger.discover.command-stdio")
def test_a_server_with_a_command_is_a_program() -> None:
    found = server(STDIO)
    assert isinstance(found, StdioServer)
    assert (found.command, found.args, found.env, found.cwd) == (
        "git-mcp",
        ("--root", "."),
        {"A": "b"},
        "sub",
    )


@requirement("ledger.discover.url-remote")
@pytest.mark.parametrize(
    ("kind", "transport"),
    [
        (None, Transport.HTTP),
        ("http", Transport.HTTP),
        ("streamable-http", Transport.HTTP),
        ("sse", Transport.SSE),
    ],
)
def test_a_server_with_an_address_is_remote(kind: str | None, transport: Transport) -> None:
    found = server(REMOTE if kind is None else {**REMOTE, "type": kind})
    assert isinstance(found, RemoteServer)
    assert (found.url, found.transport) == ("https://git.example/mcp", transport)
    assert found.headers == {"X-Key": "k"}


@requirement("ledger.discover.disabled")
@pytest.mark.parametrize("said", [{"enabled": False}, {"disabled": True}])
def test_a_server_that_is_not_enabled_is_left_out(said: dict[str, bool]) -> None:
    found = reading({"servers": {"git": {**STDIO, **said}, "far": REMOTE}})
    assert [type(each) for each in found.servers] == [Disabled, RemoteServer]
    assert found.problems == ()
    assert server({**STDIO, "enabled": True, "disabled": False}).name == "git"


@requirement("ledger.discover.neither-skipped")
def test_a_row_with_neither_address_nor_command_is_skipped_and_the_rest_counts() -> None:
    found = reading({"servers": [{"name": "odd", "args": []}, {"name": "git", **STDIO}]})
    assert names(found) == ["git"]
    (only,) = map(str, found.problems)
    assert only == (
        "mcp.json: servers[0]: has neither `command` nor `url`; skipped;"
        " say what to start or where to go"
    )


def test_a_mistyped_command_is_guessed() -> None:
    (only,) = map(str, reading({"servers": [{"name": "odd", "comand": "x"}]}).problems)
    assert only.endswith("has neither `command` nor `url`; skipped; did you mean 'command'?")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (7, "servers.odd: expected an object, found a number; skipped"),
        ({"command": ["npx", "x"]}, "servers.odd.command: expected a text, found a list; skipped"),
        ({"command": " "}, "servers.odd.command: is empty; skipped"),
        ({"command": "a\0b"}, "servers.odd.command: holds a character that no program"),
        ({"command": "x", "args": "y"}, "args: expected a list of texts, found a text"),
        ({"command": "x", "args": ["y", 8080]}, "args[1]: expected a text, found a number"),
        ({"command": "x", "env": ["y"]}, "env: expected an object of texts, found a list"),
        ({"command": "x", "env": {"P": 1}}, "env.P: expected a text, found a number"),
        ({"command": "x", "env": {"A=B": "1"}}, "env: 'A=B' is no name that this can have"),
        ({"command": "x", "enabled": "no"}, "enabled: expected true or false, found a text"),
        ({"command": "x", "type": "http"}, "url: is missing"),
        ({"url": "https://x", "type": "stdio"}, "command: is missing"),
        ({"url": "https://x", "type": "htp"}, "type: 'htp' is no transport; skipped; did you mean"),
        ({"url": "file:///etc/passwd"}, "url: is no address"),
        ({"url": "https://x y"}, "url: is no address"),
        ({"url": "https://x", "headers": {"A b": "1"}}, "headers: 'A b' is no name"),
        ({"command": "x", "startup_timeout_sec": 0}, "startup_timeout_sec: 0 is out of range"),
        ({"command": "x", "tool_timeout_sec": 1e9}, "is out of range"),
        ({"command": "x", "tool_timeout_sec": True}, "expected a number, found true or false"),
        ({"command": "x", "timeout": 60}, "timeout: 60 is no time for a call; skipped; it counts"),
        ({"command": "x", "timeout": 10**4000}, "is no time for a call"),
        ({"command": "x", "allow_tools": "a"}, "allow_tools: expected a list of texts"),
        ({"command": "x", "deny_tools": [], "excludeTools": []}, "says the same as deny_tools"),
    ],
)
def test_a_malformed_row_is_skipped_with_its_place_and_the_rest_counts(
    row: object, said: str
) -> None:
    found = reading({"servers": {"odd": row, "git": STDIO}})
    assert names(found) == ["git"]
    (only,) = map(str, found.problems)
    assert only.startswith("mcp.json: servers.odd")
    assert said in only


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("g\u0456t", "U\\+0456 \\(CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I\\)"),
        ("mcp", "in front of every server's name"),
        ("", "is empty"),
        ("x" * 90, "is too long"),
        ("\x1b]0;x", "the control character U\\+001B"),
    ],
)
def test_a_server_whose_name_misleads_is_skipped(name: str, why: str) -> None:
    (only,) = problems({"servers": {name: STDIO}})
    assert re.search(why, only)
    assert only.isprintable()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "not valid JSON"),
        (b"[]", "expected a JSON object"),
        (b'{"servers": {"git": {"command": "a\\ud800"}}}', "not valid JSON"),
        (b'{"servers": {}, "servers": {}}', "the key 'servers' appears twice"),
        (b"\xff\xfe", "not valid UTF-8"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "nested deeper"),
        (b" " * (limits.FILE_BYTES + 1), "has over"),
        (b'{"servers": 3}', "servers: expected servers, found a number; skipped"),
        (b"{}", "names no servers"),
    ],
)
def test_a_malformed_file_is_skipped_and_named(said: bytes, why: str) -> None:
    found = reading(said)
    assert found.servers == ()
    (only,) = map(str, found.problems)
    assert only.startswith("mcp.json: ")
    assert why in only


def test_a_byte_order_mark_is_no_problem() -> None:
    assert names(reading(b'\xef\xbb\xbf{"servers": {"a": {"command": "x"}}}')) == ["a"]


def test_a_key_that_is_not_used_is_reported_and_the_server_is_there() -> None:
    found = reading(
        {
            "mcpServer": {},
            "$schema": "https://x",
            "mcpServers": {
                "git": {**STDIO, "comand": "x", "alwaysAllow": ["a"], "url": "https://x", "type":
                        "stdio", "\x1b": 1},
                "far": {**REMOTE, "args": []},
            },
        }
    )  # fmt: skip
    assert names(found) == ["git", "far"]
    where = "mcp.json: mcpServers"
    assert [str(each) for each in found.problems] == [
        "mcp.json: mcpServer: is not known and not used; did you mean 'mcpServers'?",
        f"{where}.git.comand: is not known and not used; did you mean 'command'?",
        f"{where}.git.alwaysAllow: is not used; permissions are rules of yours, not of a server",
        f"{where}.git.url: is not used for this kind of server; remove it",
        f"{where}.git.'\\x1b': is not known and not used",
        f"{where}.far.args: is not used for this kind of server; remove it",
    ]


def test_a_name_that_comes_twice_in_a_file_is_taken_once() -> None:
    found = reading({"servers": [{"name": "git", **STDIO}, {"name": "git", **REMOTE}, {}]})
    assert [type(each) for each in found.servers] == [StdioServer]
    assert [str(each) for each in found.problems] == [
        "mcp.json: servers[1]: there is a server 'git' already; skipped",
        "mcp.json: servers[2].name: is missing; skipped; give the server a name",
    ]


def test_variables_are_put_in_where_texts_are() -> None:
    found = server(
        {
            "command": "${HOME}/bin/x",
            "args": ["${NOT_SET:-7}", "${EMPTY:-8}", "${EMPTY}", "$HOME", "${TOKEN:-9}"],
            "env": {"KEY": "k-${TOKEN}-${TOKEN}"},
            "cwd": "${HOME}",
        }
    )
    assert isinstance(found, StdioServer)
    assert (found.command, found.cwd) == ("/home/me/bin/x", "/home/me")
    assert found.args == ("7", "8", "", "$HOME", "s3cret")
    assert found.env == {"KEY": "k-s3cret-s3cret"}
    assert found.variables == {"HOME": "/home/me", "TOKEN": "s3cret", "EMPTY": ""}
    assert "s3cret" not in repr(found)
    far = server({"url": "https://${HOST:-h.example}/x", "headers": {"A": "Bearer ${TOKEN}"}})
    assert isinstance(far, RemoteServer)
    assert (far.url, far.headers) == ("https://h.example/x", {"A": "Bearer s3cret"})
    assert "s3cret" not in repr(far)


def test_a_value_is_not_looked_through_again() -> None:
    found = server({"command": "${A}"}, {"A": "${B}", "B": "b"})
    assert isinstance(found, StdioServer)
    assert found.command == "${B}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${GIT_KEY}", "the variable GIT_KEY is not set; skipped; set it, or write ${NAME:-"),
        ("${A} ${B}", "the variable A is not set, the variable B is not set; skipped"),
        ("${input:key}", "'${input:key}' names no variable; skipped"),
        ("x ${HOME", "'${HOME' names no variable; skipped"),
    ],
)
def test_a_variable_that_is_missing_is_named_and_the_row_skipped(text: str, said: str) -> None:
    (only,) = problems({"servers": {"git": {"command": "x", "env": {"K": text}}}})
    assert only.startswith("mcp.json: servers.git: ")
    assert said in only


def test_deadlines_and_lists_of_tools_are_the_servers_own() -> None:
    found = server({**STDIO, "startup_timeout_sec": 5, "tool_timeout_sec": 90.5})
    assert (found.startup_seconds, found.call_seconds) == (5, 90.5)
    assert (server(STDIO).startup_seconds, server(STDIO).call_seconds) == (None, None)
    assert server({**STDIO, "timeout": 2500}).call_seconds == 2.5
    assert server(STDIO).admits("anything")
    for allow, deny in (
        ("allow_tools", "deny_tools"),
        ("enabled_tools", "disabled_tools"),
        ("includeTools", "excludeTools"),
    ):
        found = server({**STDIO, allow: ["a", "b"], deny: ["b"]})
        assert [found.admits(name) for name in ("a", "b", "c")] == [True, False, False]
    assert not server({**STDIO, "allow_tools": []}).admits("a")


LAUNCHES = [
    STDIO,
    {**STDIO, "command": "other"},
    {**STDIO, "args": ["--root"]},
    {**STDIO, "args": []},
    {**STDIO, "env": {"A": "c"}},
    {**STDIO, "env": {"A": "b", "LD_PRELOAD": "x"}},
    {**STDIO, "env": {}},
    {**STDIO, "cwd": "other"},
    REMOTE,
    {**REMOTE, "url": "https://git.example/mcp2"},
    {**REMOTE, "headers": {}},
    {**REMOTE, "type": "sse"},
]


def test_another_command_argument_environment_or_address_is_another_launch() -> None:
    assert len({server(row).launch for row in LAUNCHES}) == len(LAUNCHES)
    again = {**STDIO, "tool_timeout_sec": 5, "deny_tools": ["x"], "type": "stdio"}
    assert server(again).launch == server(STDIO).launch


def test_a_variable_counts_for_a_launch_by_value_where_it_decides_what_runs() -> None:
    for row in ({"command": "${V}"}, {"command": "x", "args": ["${V}"]}, {"url": "https://${V}"}):
        assert server(row, {"V": "a"}).launch != server(row, {"V": "b"}).launch
    for row in (
        {"command": "x", "env": {"K": "${V}"}},
        {"url": "https://x", "headers": {"K": "${V}"}},
    ):
        assert server(row, {"V": "a"}).launch == server(row, {"V": "b"}).launch
    no_text = b"\xff".decode(errors="surrogateescape")
    assert server({"command": "${V}"}, {"V": no_text}).launch


def test_servers_and_problems_of_a_file_are_bounded() -> None:
    many = {f"s{number}": STDIO for number in range(limits.SERVERS_MOST + 5)}
    found = reading({"servers": many})
    assert len(found.servers) == limits.SERVERS_MOST
    assert "and what follows is skipped: over 100 servers" in str(found.problems[0])
    odd = reading({"servers": [0] * (limits.PROBLEMS_MOST + 5)})
    assert len(odd.problems) == limits.PROBLEMS_MOST + 1
    assert str(odd.problems[-1]) == "mcp.json: 5 more problems"


scraps = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["${A}", "${", "stdio", "http", "https://x"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["servers", "mcpServers", "name", "type", "command", "args", "env", "url", "headers",
             "timeout", "allow_tools", "enabled", "tool_timeout_sec", "x"]
        ) | st.text(max_size=3),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(scraps)
def test_no_file_whatsoever_raises(said: object) -> None:
    for whole in (said, {"servers": said}, {"servers": {"git": said}}, {"servers": [said]}):
        for each in reading(whole).problems:
            str(each).encode()
