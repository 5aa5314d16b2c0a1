"""Servers that a workspace configures: nothing of them starts before trust, and trust is for what
was seen."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.addons.session.walks import MODES
from tests.cli.home import answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.mcp.harbour import FULL, Harbour, Server, tool
from tests.requirements import requirement

FILES = {"one": ".indus/mcp.json", "two": ".indusvx/mcp.json", "three": ".mcp.json"}


@pytest.fixture
def servers(home: Harbour) -> dict[str, Server]:
    """One in each file that a workspace may have."""
    made = {name: home.server(name, tool("works")) for name in FILES}
    for name, file in FILES.items():
        home.project(file, **{name: made[name].row()})
    return made


def _started(servers: dict[str, Server]) -> list[str]:
    return [name for name, server in servers.items() if server.started()]


def _hello(home: Harbour, *words: str) -> Any:
    return home.run("-p", "hi", "-m", home.script(answer()), *FULL, *words)


@requirement("invariant.08.trust-before-reading")
@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "delegate"])
def test_nothing_of_an_untrusted_workspace_starts_in_any_mode(
    home: Harbour, servers: dict[str, Server], mode: str
) -> None:
    with AnthropicServer([say("Hello.")]) as model:
        home.url = model.url
        told = MODES[mode](home, "hi")
        [body] = [json.loads(body) for body in model.bodies]
    assert told.exit == 0
    assert _started(servers) == []
    assert [each for each in body["tools"] if "__" in each["name"]] == []
    if mode != "sdk":
        assert all(file in told.aside for file in FILES.values()), told.aside
    assert home.entries("bridge") == []


@requirement("files.workspace")
def test_trust_starts_what_was_seen_and_asks_again_when_it_changes(
    home: Harbour, servers: dict[str, Server]
) -> None:
    ran = home.go([(f"{name}__works", {}) for name in FILES], words=(*FULL, "--trust"))
    assert (ran.code, ran.complaints) == (0, [])
    assert [server.ran() for server in servers.values()] == [["works"]] * 3

    row = servers["one"].row()
    command = {"command": "/usr/bin/env", "args": [sys.executable, *row["args"]]}
    home.project(FILES["one"], one=command)
    home.project(FILES["two"], two=servers["two"].row("--more"))
    home.project(FILES["three"], three=servers["three"].row(env={"LD_PRELOAD": "./x.so"}))
    for words in ((), ("--trust",)):
        ran = home.go([(f"{name}__works", {}) for name in FILES], words=(*FULL, *words))
        assert [server.started() for server in servers.values()] == [1, 1, 1], "as they were"
        [line] = ran.complaints
        assert all(file in line for file in FILES.values())
        assert "changed" in line
        assert [name for name in home.tools() if "__" in name] == []


def test_another_address_in_the_file_asks_again(home: Harbour) -> None:
    far = home.remote("far", tool("works"))
    with far:
        home.project(".mcp.json", far=far.row())
        assert _hello(home, "--trust").code == 0
        assert len(far.deeds("greeted")) == 1
        home.project(".mcp.json", far={"url": f"{far.row()['url']}?to=elsewhere"})
        ran = _hello(home)
        assert len(far.deeds("greeted")) == 1
    [line] = ran.complaints
    assert ".mcp.json" in line


def test_a_file_of_the_workspace_that_is_named_needs_trust_as_it_is_now(
    home: Harbour, servers: dict[str, Server]
) -> None:
    ran = _hello(home, "--mcp", ".mcp.json")
    assert (ran.code, _started(servers)) == (0, [])
    [line] = ran.complaints
    assert ".mcp.json" in line

    for file in (FILES["one"], FILES["two"]):
        (home.work / file).unlink()
    home.trust()
    home.project(".mcp.json", three=servers["three"].row("--more"))
    ran = _hello(home, "--mcp", ".mcp.json")
    assert (ran.code, _started(servers)) == (0, [])
    [line] = ran.complaints
    assert ".mcp.json" in line
    assert "changed" in line

    (home.work / "link.json").symlink_to(".mcp.json")
    (home.work / "other.json").write_bytes((home.work / ".mcp.json").read_bytes())
    outside = home.root / "outside.json"
    outside.symlink_to(home.work / ".mcp.json")
    for name in ("link.json", "other.json", "../work/other.json", str(outside)):
        ran = _hello(home, "--mcp", name)
        assert (ran.code, _started(servers)) == (2, []), ran
        assert "indus trust grant" in ran.err


def test_no_file_of_a_workspace_is_given_a_key_of_a_provider(home: Harbour) -> None:
    names = ("env", "args", "url", "default")
    made = {name: home.server(name, tool("works")) for name in names}
    key = "${ANTHROPIC_API_KEY}"
    home.extra["PLAIN"] = "1"
    home.project(
        ".mcp.json",
        env=made["env"].row(env={"TOKEN": key}),
        args=made["args"].row(key),
        url={"url": f"http://127.0.0.1:9/{key}"},
        default=made["default"].row("${ANTHROPIC_API_KEY:-none}", "${PLAIN}"),
    )
    ran = _hello(home, "--trust", "--mcp", ".mcp.json")
    assert [name for name, server in made.items() if server.started()] == ["default"]
    [started] = made["default"].deeds("started")
    assert started["argv"][1:] == ["none", "1"]
    lines = [line for line in ran.complaints if "ANTHROPIC_API_KEY" in line]
    assert len(lines) == 3
    assert all("put the server into a file of your own" in line for line in lines)
    assert home.key not in ran.err


def test_a_server_of_the_user_starts_without_trust_and_gets_no_key(home: Harbour) -> None:
    server = home.server("srv", tool("look", does="environment"))
    home.configure(server)
    home.project(".mcp.json", other=server.row())
    home.extra["OPENAI_API_KEY"] = "sk-another-canary-1234567890"
    ran = home.go([("srv__look", {})])
    assert ".mcp.json" in ran.err
    [environment] = home.results()
    found = json.loads(environment)
    assert {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}.isdisjoint(found)
    assert home.key not in environment


@requirement("cli.flag.mcp")
def test_a_named_file_decides_before_the_others_and_off_is_for_all(
    home: Harbour, tmp_path: Path
) -> None:
    server, named = home.server("srv", tool("works")), home.server("named", tool("works"))
    home.configure(server, shared=server.row())
    file = tmp_path / "more.json"
    file.write_text(json.dumps({"mcpServers": {"named": named.row(), "shared": named.row()}}))

    assert _hello(home, "--mcp", "off").code == 0
    assert (server.started(), named.started()) == (0, 0)
    assert home.entries("bridge") == []

    ran = home.go([("srv__works", {}), ("shared__works", {})], words=(*FULL, "--mcp", str(file)))
    assert (ran.code, ran.complaints) == (0, [])
    assert (server.ran(), named.ran()) == (["works"], ["works"])
    assert [name for name in home.tools() if "__" in name] == [
        *("named__works", "shared__works", "srv__works")
    ]

    for wrong in ("missing.json", "."):
        ran = _hello(home, "--mcp", wrong)
        assert ran.code == 2
        assert "indus: --mcp " in ran.err
