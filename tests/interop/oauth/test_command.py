"""`indus mcp login` as a person runs it."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from tests.cli.home import BOUND, Home
from tests.interop.oauth.realm import Realm
from tests.requirements import requirement

BROWSER = """\
#!{}
import sys
from urllib.request import urlopen
urlopen(sys.argv[1]).read()
"""


@pytest.fixture
def home(tmp_path: Path, realm: Realm) -> Home:
    """Of a person who configured the server, and whose browser says yes to everything."""
    (tmp_path / "person").mkdir()
    made = Home(tmp_path / "person")
    made.extra["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    rows = {"far": {"type": "http", "url": realm.url}, "git": {"command": "git-mcp"}}
    (made.indus / "mcp.json").write_text(json.dumps({"mcpServers": rows}))
    browser = tmp_path / "browser"
    browser.write_text(BROWSER.format(sys.executable))
    browser.chmod(0o700)
    made.extra["BROWSER"] = str(browser)
    return made


@requirement("cli.command.mcp")
def test_a_person_logs_in_at_a_server_and_the_next_session_has_it(home: Home, realm: Realm) -> None:
    ran = home.run("mcp", "login", "far")
    assert (ran.code, ran.err) == (0, "")
    assert f"far is logged in at {realm.issuer}" in ran.out
    file = home.indus / "mcp-credentials.json"
    assert file.stat().st_mode & 0o777 == 0o600
    listed = home.run("mcp", "list", "far")
    assert listed.code == 0
    assert "whoami" in listed.out
    for each in set(realm.tokens_sent()) - {""}:
        assert each in file.read_text()
        assert each not in ran.out + ran.err + listed.out + listed.err


def test_without_a_login_the_list_says_how_to_log_in(home: Home) -> None:
    listed = home.run("mcp", "list", "far")
    assert "indus mcp login far" in listed.out + listed.err


def test_a_program_and_an_unknown_name_are_refused_in_one_line(home: Home) -> None:
    for name, told in {"git": "program of this machine", "fra": "no MCP server 'fra'"}.items():
        ran = home.run("mcp", "login", name)
        assert ran.code == 2
        assert told in ran.err
        assert ran.err.count("\n") == 1


def test_an_issuer_that_refuses_is_told_in_one_line(home: Home, realm: Realm) -> None:
    realm.issues(authorize="deny")
    ran = home.run("mcp", "login", "far")
    assert ran.code == 1
    assert "its issuer refused: access_denied" in ran.err
    assert ran.err.count("\n") == 1


def test_a_login_can_be_interrupted(home: Home) -> None:
    process = home.start("mcp", "login", "far", "--no-browser")
    assert process.stdout is not None
    while b"go to" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=BOUND)
    assert process.returncode == 130
    assert complaints == b"indus: interrupted\n"
