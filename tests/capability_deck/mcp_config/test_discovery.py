"""Where servers are configured, and which file wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from induscode.boot.places import Places
from induscode.boot.trusted_files import TrustedFiles
from induscode.boot.trusting import Door
from induscode.briefing.files import DiskFiles
from induscode.capability_deck import load_mcp_config
from induscode.capability_deck.mcp_config.discovery import (
    ConfigPlace,
    LoadedServers,
    Origin,
    discover_servers,
    mcp_places,
)
from induscode.capability_deck.mcp_config.servers import StdioServer
from tests.requirements import requirement

AT = "2026-01-01T00:00:00.000Z"


class Disk(DiskFiles):
    def is_file(self, path: Path) -> bool:
        return path.is_file()


class Trusted(TrustedFiles):
    def is_file(self, path: Path) -> bool:
        return isinstance(self.read(path, 0), bytes)


class House:
    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        self.environ = {"HOME": str(self.home)}

    def put(self, path: Path, *names: str, **rows: object) -> Path:
        """A file with servers whose command is the file's path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        said = {name: {"command": f"of {path.parent.name}/{path.name}"} for name in names}
        path.write_text(json.dumps({"servers": {**said, **rows}}))
        return path

    def load(self, place: Path | None = None) -> LoadedServers:
        return load_mcp_config(place or self.work, Disk(), self.environ)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def commands(loaded: LoadedServers) -> dict[str, str]:
    return {each.name: each.command for each in loaded.servers if isinstance(each, StdioServer)}


@requirement("ledger.discover.project")
def test_a_workspaces_file_is_read_once_the_workspace_is_trusted(house: House) -> None:
    house.put(house.work / ".indusvx/mcp.json", "git")
    places = Places(house.home / "ours", house.home / "ours")

    def loaded() -> LoadedServers:
        door = Door(house.work, house.work, places, house.environ)
        return load_mcp_config(house.work, Trusted(door), house.environ)

    assert loaded() == LoadedServers()
    Door(house.work, house.work, places, house.environ).trust.accept_new(at=AT)
    assert commands(loaded()) == {"git": "of .indusvx/mcp.json"}
    house.put(house.work / ".indusvx/mcp.json", "git", "evil")
    assert loaded() == LoadedServers()


@requirement("ledger.discover.user")
def test_the_users_file_is_below_the_folder_of_settings(house: House) -> None:
    house.put(house.home / ".config/indusvx/mcp.json", "one")
    house.put(house.home / "xdg/indusvx/mcp.json", "two")
    assert list(commands(house.load())) == ["one"]
    house.environ["XDG_CONFIG_HOME"] = str(house.home / "xdg")
    assert list(commands(house.load())) == ["two"]


@requirement("ledger.discover.legacy")
def test_the_legacy_files_are_read(house: House) -> None:
    house.put(house.home / ".indusvx/agent/mcp.json", "one")
    house.put(house.home / ".indusvx/agent/mcp-servers.json", "two")
    assert list(commands(house.load())) == ["one", "two"]


@requirement("ledger.discover.precedence")
def test_a_server_is_taken_from_the_first_file_that_has_it(house: House) -> None:
    files = [
        house.work / ".indus/mcp.json",
        house.work / ".indusvx/mcp.json",
        house.work / ".mcp.json",
        house.home / "ours/mcp.json",
        house.home / ".config/indusvx/mcp.json",
        house.home / ".indusvx/agent/mcp.json",
        house.home / ".indusvx/agent/mcp-servers.json",
    ]
    for number, file in enumerate(files):
        house.put(file, "git", f"own{number}")

    def loaded() -> LoadedServers:
        config = house.home / "ours"
        return load_mcp_config(house.work, Disk(), house.environ, config=config)

    while files:
        found = loaded()
        assert commands(found)["git"] == f"of {files[0].parent.name}/{files[0].name}"
        assert len(found.servers) == len(files) + 1
        assert [each.source.file for each in found.overridden] == [str(f) for f in files[1:]]
        assert {each.by.file for each in found.overridden} <= {str(files[0])}
        assert found.problems == ()
        files.pop(0).unlink()


@requirement("ledger.discover.file-direct")
def test_a_path_that_is_a_file_is_read_alone(house: House) -> None:
    house.put(house.work / ".mcp.json", "git")
    file = house.put(house.home / "mine.json", "far")
    assert list(commands(house.load(file))) == ["far"]


@requirement("ledger.discover.malformed-skipped")
def test_a_file_that_cannot_be_used_is_named_and_the_others_count(house: House) -> None:
    (house.work / ".mcp.json").write_text("{")
    (house.work / ".indus").mkdir()
    (house.work / ".indus/mcp.json").mkdir()
    user = house.put(house.home / ".config/indusvx/mcp.json", "git")
    legacy = house.put(house.home / ".indusvx/agent/mcp.json", "far")
    legacy.write_bytes(b" " * 300_000)
    found = house.load()
    assert list(commands(found)) == ["git"]
    assert found.servers[0].source.file == str(user)
    assert [(each.file, each.found.partition(":")[0]) for each in found.problems] == [
        (str(house.work / ".indus/mcp.json"), "it is not a regular file; skipped"),
        (str(house.work / ".mcp.json"), "not valid JSON"),
        (str(legacy), "has over 262144 bytes; skipped"),
    ]


def test_a_server_that_is_switched_off_is_not_brought_back_by_a_later_file(house: House) -> None:
    house.put(house.work / ".mcp.json", git={"enabled": False})
    house.put(house.home / ".config/indusvx/mcp.json", "git")
    found = house.load()
    assert found.servers == ()
    assert [each.name for each in found.disabled] == ["git"]
    assert [each.name for each in found.overridden] == ["git"]


def test_two_servers_that_are_one_name_to_rules_are_not_both_taken(house: House) -> None:
    first = house.put(house.work / ".mcp.json", "git_hub", "x.y")
    second = house.put(house.home / ".config/indusvx/mcp.json", "GitHub", "x-y")
    found = house.load()
    assert list(commands(found)) == ["git_hub", "x.y", "x-y"]
    (only,) = map(str, found.problems)
    assert only == (
        f"{second}: servers.GitHub: 'GitHub' and 'git_hub' ({first}: servers.git_hub) are one name"
        " to rules; skipped; rename one of them"
    )


def test_a_workspace_is_not_given_what_is_withheld_and_the_user_is(house: House) -> None:
    row = {"command": "x", "env": {"K": "${MODEL_KEY}"}}
    file = house.put(house.work / ".mcp.json", git=row)
    house.put(house.home / ".config/indusvx/mcp.json", far=row)
    house.environ["MODEL_KEY"] = "s3cret"
    found = load_mcp_config(house.work, Disk(), house.environ, withheld=("MODEL_KEY",))
    assert [each.name for each in found.servers] == ["far"]
    (only,) = map(str, found.problems)
    assert only == (
        f"{file}: servers.git: the variable MODEL_KEY is not given to what a workspace configures;"
        " skipped; put the server into a file of your own"
    )


def test_a_file_that_the_person_named_must_be_there(house: House) -> None:
    places = [ConfigPlace(house.home / "no.json", Origin.NAMED), *mcp_places(house.work, {})]
    found = discover_servers(places, DiskFiles(), house.environ)
    assert [str(each) for each in found.problems] == [
        f"{house.home / 'no.json'}: there is no such file"
    ]


def test_without_a_home_only_the_workspace_is_looked_at(tmp_path: Path) -> None:
    assert {place.origin for place in mcp_places(tmp_path, {})} == {Origin.WORKSPACE}
    assert mcp_places(None, {}) == ()
