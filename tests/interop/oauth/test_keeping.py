"""Where logins are kept, and that nobody else reads them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import keyring
import keyring.errors
import msgspec
import pytest

from induscode.boot.mcp.credentials import McpCredentials
from induscode.boot.secrets import secrets_of_process
from induscode.errors import ConfigError
from induscode.interop.oauth.credential import Credential
from tests.fakes.keyring_file import FileKeyring
from tests.interop.test_imports import HEAVY

ONE = Credential(
    "https://issuer.example",
    "https://one.example/mcp",
    "client",
    "access-of-one",
    "refresh-of-one",
    client_secret="secret-of-the-client",
)
OTHER = msgspec.structs.replace(ONE, resource="https://two.example/mcp", access="access-of-two")


@pytest.fixture
def vault(tmp_path: Path) -> McpCredentials:
    return McpCredentials(tmp_path / "config")


def file(folder: Path) -> Path:
    return folder / "config" / "mcp-credentials.json"


def test_logins_are_found_by_issuer_and_server_and_in_no_other_way(vault: McpCredentials) -> None:
    vault.put(ONE)
    vault.put(OTHER)
    assert vault.issuers(ONE.resource) == (ONE.issuer,)
    assert vault.get(ONE.issuer, ONE.resource) == ONE
    assert vault.get(ONE.issuer, OTHER.resource) == OTHER
    assert vault.get("https://other.example", ONE.resource) is None
    assert vault.issuers("https://one.example") == ()
    vault.remove(ONE.issuer, ONE.resource)
    assert vault.issuers(ONE.resource) == ()
    assert vault.get(ONE.issuer, OTHER.resource) == OTHER


def test_the_file_is_for_its_owner_only(vault: McpCredentials, tmp_path: Path) -> None:
    assert vault.put(ONE) == str(file(tmp_path))
    assert file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert file(tmp_path).parent.stat().st_mode & 0o777 == 0o700


def test_a_login_says_nothing_secret_of_itself() -> None:
    told = f"{ONE!r} {ONE}"
    assert not any(each in told for each in ONE.secrets())


@pytest.mark.parametrize(
    "damage",
    ["{", "[]", '{"https://issuer.example https://one.example/mcp": {"key": "{"}}'],
    ids=["cut", "no object", "no login"],
)
def test_a_damaged_file_is_an_error_that_names_it_and_the_remedy(
    vault: McpCredentials, tmp_path: Path, damage: str
) -> None:
    vault.put(ONE)
    file(tmp_path).write_text(damage)
    with pytest.raises(ConfigError) as caught:
        vault.get(ONE.issuer, ONE.resource)
    assert str(file(tmp_path)) in str(caught.value)
    assert "remove it and log in again" in str(caught.value)


def test_a_login_that_stands_under_the_name_of_another_is_not_taken(
    vault: McpCredentials, tmp_path: Path
) -> None:
    vault.put(ONE)
    rows = json.loads(file(tmp_path).read_text())
    (kept,) = rows.values()
    file(tmp_path).write_text(json.dumps({f"{OTHER.issuer} {OTHER.resource}": kept}))
    with pytest.raises(ConfigError, match="name of another"):
        vault.get(OTHER.issuer, OTHER.resource)


def test_a_file_that_others_may_write_is_not_believed(
    vault: McpCredentials, tmp_path: Path
) -> None:
    vault.put(ONE)
    file(tmp_path).chmod(0o666)
    with pytest.raises(ConfigError, match="others may write it"):
        vault.get(ONE.issuer, ONE.resource)


def test_what_the_file_holds_is_printed_by_no_command(
    vault: McpCredentials, tmp_path: Path
) -> None:
    vault.put(ONE)
    secrets = secrets_of_process({"INDUS_HOME": str(tmp_path / "config")})
    shown = secrets.text(" ".join(ONE.secrets()))
    assert not any(each in shown for each in ONE.secrets())
    file(tmp_path).write_text("{")
    assert secrets_of_process({"INDUS_HOME": str(tmp_path / "config")}).text("fine") == "fine"


@pytest.mark.parametrize("module", ["credentials", "login"])
def test_nothing_of_the_sdk_is_loaded_to_look_at_logins(module: str) -> None:
    code = f"import induscode.boot.mcp.{module}, sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {each.partition(".")[0] for each in ran.stdout.split()} & HEAVY


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A keyring that works."""
    made = tmp_path / "ring"
    monkeypatch.setenv("INDUS_TEST_RING", str(made))
    keyring.set_keyring(FileKeyring())
    return made


def test_a_keyring_keeps_logins_where_there_is_one(
    vault: McpCredentials, tmp_path: Path, ring: Path
) -> None:
    assert vault.put(ONE) == "the keyring"
    assert vault.get(ONE.issuer, ONE.resource) == ONE
    assert not any(each in file(tmp_path).read_text() for each in ONE.secrets())
    vault.remove(ONE.issuer, ONE.resource)
    assert json.loads(ring.read_text()) == {}


def test_a_keyring_that_does_not_open_is_an_error_that_says_so(
    vault: McpCredentials, ring: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.put(ONE)

    def locked(*_: str) -> str:
        raise keyring.errors.KeyringLocked("it is locked")

    monkeypatch.setattr(FileKeyring, "get_password", locked)
    with pytest.raises(ConfigError, match="it is locked; unlock"):
        vault.get(ONE.issuer, ONE.resource)
