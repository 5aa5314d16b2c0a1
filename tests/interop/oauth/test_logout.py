"""`indus mcp logout`: what a login left is gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.home import Home
from tests.interop.oauth.realm import Realm


@pytest.fixture
def home(tmp_path: Path, realm: Realm) -> Home:
    """Of a person who is logged in; the login is in a file."""
    (tmp_path / "person").mkdir()
    made = Home(tmp_path / "person")
    made.extra["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    rows = {"far": {"type": "http", "url": realm.url}, "git": {"command": "git-mcp"}}
    (made.indus / "mcp.json").write_text(json.dumps({"mcpServers": rows}))
    return made


async def test_a_login_is_forgotten_and_the_server_asks_for_another(
    home: Home, realm: Realm
) -> None:
    await realm.log_in()
    kept = realm.folder / "mcp-credentials.json"
    file = home.indus / kept.name
    file.write_bytes(kept.read_bytes())
    file.chmod(0o600)
    secrets = realm.must_keep().secrets()
    ran = home.run("mcp", "logout", "far")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"the login of far at {realm.issuer} is forgotten\n"
    assert not [each for each in secrets if file.exists() and each in file.read_text()]
    assert "indus mcp login far" in home.run("mcp", "list", "far").out
    assert home.run("mcp", "logout", "far").out == "there is no login of far\n"


def test_a_program_has_nothing_to_forget(home: Home) -> None:
    ran = home.run("mcp", "logout", "git")
    assert ran.code == 2
    assert "has no login" in ran.err
