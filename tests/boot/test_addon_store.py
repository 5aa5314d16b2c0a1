"""Installed addons: copies of our own, pinned by digest, whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.addons.contract import AddonId, HookEvent, HookKind, LoaderError
from induscode.addons.offers import OfferedEvent, Offers
from induscode.addons.package import AddonPackage, package_at
from induscode.boot.addons import copies as addon_copies
from induscode.boot.addons import store as addon_store
from induscode.boot.addons.store import AddonStore, Installed, InstalledState
from induscode.errors import ConfigError
from induscode.feature.capability import EmitAlert
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.hosting.grant_store import GrantStore, StandingGate

OFFERS = Offers(
    id="safety", version="1", events=(OfferedEvent(HookEvent.TOOL_BEFORE, HookKind.GATE),)
)
AT = "2030-01-01T00:00:00.000Z"
SAFETY = AddonId("safety")


class Shelf:
    def __init__(self, root: Path) -> None:
        self.source = root / "safety"
        self.data = root / "data"
        self.store = AddonStore(self.data)
        self.grants = GrantStore(root / "config")
        self.write("manifest.toml", 'id = "safety"\n')
        self.write("lib/run.sh", "#!/bin/sh\n")
        (self.source / "lib/run.sh").chmod(0o755)

    def write(self, name: str, text: str) -> None:
        file = self.source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def package(self) -> AddonPackage:
        return package_at(self.source)

    def put(self, package: AddonPackage | None = None) -> Installed:
        return self.store.put(SAFETY, package or self.package(), OFFERS, origin="here", at=AT)

    def copy(self) -> Path:
        (found,) = self.store.installed()
        assert found.package is not None
        return found.package.path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_an_installed_addon_is_a_private_copy_with_the_digest_of_what_was_looked_at(
    shelf: Shelf,
) -> None:
    package = shelf.package()
    made = shelf.put(package)
    (found,) = shelf.store.installed()
    assert found == made
    assert (found.id, found.state, found.digest) == ("safety", InstalledState.OK, package.digest)
    assert (found.tier, found.offers, found.origin, found.at) == (package.tier, OFFERS, "here", AT)
    copy = found.package
    assert copy is not None
    assert copy.path.is_relative_to(shelf.data / "addons" / "safety")
    assert copy.entry == copy.path / "manifest.toml"
    assert package_at(copy.path).digest == package.digest
    modes = {
        str(path.relative_to(copy.path)): stat.S_IMODE(path.stat().st_mode)
        for path in copy.path.rglob("*")
    }
    assert modes == {"manifest.toml": 0o600, "lib": 0o700, "lib/run.sh": 0o700}


def test_an_addon_that_is_one_file_keeps_its_digest_too(tmp_path: Path) -> None:
    file = tmp_path / "tool.py"
    file.write_text("x")
    store = AddonStore(tmp_path / "data")
    found = store.put(AddonId("tool"), package_at(file), Offers(), origin="x", at=AT)
    assert found.package is not None
    assert (found.package.path.name, found.package.entry) == ("tool.py", found.package.path)
    assert package_at(found.package.path).digest == package_at(file).digest


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (lambda copy: (copy / "manifest.toml").write_text('id = "safetx"\n'), "changed"),
        (lambda copy: (copy / "more").write_text(""), "changed"),
        (lambda copy: (copy / "lib/run.sh").chmod(0o600), "changed"),
        (lambda copy: (copy / "manifest.toml").unlink(), "broken"),
        (lambda copy: copy.rename(copy.with_name("moved")), "broken"),
        (lambda copy: (copy / "lib/run.sh").rename(copy / "lib/x"), "changed"),
        (lambda copy: (copy / "link").symlink_to("manifest.toml"), "broken"),
    ],
    ids=["a byte", "a file more", "a bit", "no manifest", "moved away", "a name", "a link"],
)
def test_a_copy_that_is_not_what_was_installed_is_noticed(
    shelf: Shelf, change: Callable[[Path], object], state: str
) -> None:
    shelf.put()
    change(shelf.copy())
    (found,) = shelf.store.installed()
    assert (found.state, found.offers) == (state, OFFERS)
    assert found.reason
    assert (found.package is None) == (state == "broken")


def test_a_changed_copy_has_its_own_digest_and_installing_anew_mends_it(shelf: Shelf) -> None:
    pinned = shelf.put().digest
    (shelf.copy() / "manifest.toml").write_text("# other\n")
    (found,) = shelf.store.installed()
    assert found.package is not None
    assert found.digest == pinned != found.package.digest
    assert shelf.put().state is InstalledState.OK


def test_another_version_replaces_the_copy_and_nothing_of_the_old_one_stays(shelf: Shelf) -> None:
    before = shelf.put()
    shelf.write("manifest.toml", 'id = "safety"\nversion = "2"\n')
    after = shelf.put()
    assert after.digest != before.digest
    assert [path.name for path in (shelf.data / "addons" / "safety").iterdir()] == [after.digest]


def test_what_changed_since_it_was_looked_at_is_not_installed(shelf: Shelf) -> None:
    package = shelf.package()
    shelf.write("lib/run.sh", "#!/bin/sh\nrm -rf ~\n")
    with pytest.raises(LoaderError, match="changed while it was copied"):
        shelf.put(package)
    assert shelf.store.installed() == []
    assert not [
        path
        for path in (shelf.data / "addons").rglob("*")
        if path.is_file() and path.name != ".lock"
    ]


def test_what_became_something_else_is_not_opened_to_be_copied(shelf: Shelf) -> None:
    package = shelf.package()
    (shelf.source / "lib/run.sh").unlink()
    os.mkfifo(shelf.source / "lib/run.sh")
    with pytest.raises(LoaderError, match="changed while it was copied"):
        shelf.put(package)


def test_a_copy_is_compared_with_what_was_looked_at_before_it_counts(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addon_copies, "read_marked", lambda *_: b"other")
    with pytest.raises(LoaderError):
        shelf.put()
    assert shelf.store.installed() == []


def test_an_interrupted_copy_leaves_the_installed_one_and_is_cleared_away(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shelf.put()
    shelf.write("manifest.toml", 'id = "safety"\nversion = "2"\n')

    def cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(addon_store.AddonRecords, "change", cut)
        with pytest.raises(KeyboardInterrupt):
            shelf.put()
    assert shelf.store.installed() == [before]
    left = shelf.data / "addons" / "safety" / ".new-left"
    left.mkdir()
    shelf.put()
    assert not left.exists()


@pytest.mark.parametrize("name", ["../../x", "", ".content", "A"])
def test_no_path_is_made_of_an_id(shelf: Shelf, name: str) -> None:
    with pytest.raises(ValueError, match="no id of an addon"):
        shelf.store.put(AddonId(name), shelf.package(), OFFERS, origin="x", at=AT)
    assert not shelf.store.remove(name, shelf.grants)


def test_removing_takes_the_copy_the_grants_and_the_remembered_gates(shelf: Shelf) -> None:
    digest = shelf.put().digest
    made = FeatureDescriptor.builder(FeatureId.user("safety")).build()
    shelf.grants.give(made, digest, [EmitAlert()], AT)
    shelf.grants.remember_gates("user:safety", "addon safety", (StandingGate("guard"),))
    assert shelf.store.remove("safety", shelf.grants)
    assert shelf.store.installed() == []
    assert shelf.grants.all() == {}
    assert not (shelf.data / "addons" / "safety").exists()
    assert not shelf.store.remove("safety", shelf.grants)


def test_nothing_is_read_of_a_copy_that_did_not_change(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put()
    asked: list[Path] = []
    real = addon_store.package_at
    monkeypatch.setattr(addon_store, "package_at", lambda path: (asked.append(path), real(path))[1])
    assert shelf.store.installed()[0].state is InstalledState.OK
    assert asked == []
    (shelf.copy() / "manifest.toml").touch()
    assert shelf.store.installed()[0].state is InstalledState.OK
    assert len(asked) == 1
    shelf.store.installed()
    assert len(asked) == 1, "what was compared is remembered"


def test_the_record_of_another_version_breaks_one_addon_and_not_the_others(shelf: Shelf) -> None:
    shelf.put()
    shelf.store.put(AddonId("other"), shelf.package(), OFFERS, origin="x", at=AT)
    file = shelf.data / "addons.json"
    book = json.loads(file.read_text())
    book["installed"]["other"]["offers"]["later"] = True
    file.write_text(json.dumps(book))
    states = {each.id: each.state for each in shelf.store.installed()}
    assert states == {"safety": InstalledState.OK, "other": InstalledState.BROKEN}


@pytest.mark.parametrize("text", ["{", '{"installed": {"../x": {}}}'])
def test_a_damaged_record_is_said_and_installs_nothing(shelf: Shelf, text: str) -> None:
    shelf.put()
    (shelf.data / "addons.json").write_text(text)
    with pytest.raises(ConfigError, match="not what we wrote"):
        shelf.store.installed()


def test_what_content_offers_is_remembered_by_its_digest_and_the_oldest_go(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addon_store, "LOOKED_MOST", 2)
    digests = [letter * 64 for letter in "abc"]
    for digest in digests:
        shelf.store.remember(digest, OFFERS, at=AT)
    assert [shelf.store.known(digest) for digest in digests] == [None, OFFERS, OFFERS]
    installed = shelf.put().digest
    assert shelf.store.known(installed) == OFFERS


def test_a_private_copy_is_what_was_looked_at_whatever_becomes_of_the_package(shelf: Shelf) -> None:
    package = shelf.package()
    copy = shelf.store.private_copy(package)
    assert package_at(copy).digest == package.digest
    shelf.write("lib/run.sh", "#!/bin/sh\nrm -rf ~\n")
    assert package_at(shelf.store.private_copy(package)).digest == package.digest


def test_a_private_copy_that_somebody_changed_is_made_anew(shelf: Shelf) -> None:
    package = shelf.package()
    copy = shelf.store.private_copy(package)
    (copy / "lib/run.sh").write_text("#!/bin/sh\nrm -rf ~\n")
    assert package_at(shelf.store.private_copy(package)).digest == package.digest


def test_a_package_that_changed_gives_no_private_copy(shelf: Shelf) -> None:
    package = shelf.package()
    shelf.write("lib/run.sh", "other\n")
    with pytest.raises(LoaderError, match="changed"):
        shelf.store.private_copy(package)


def test_copies_that_nobody_knows_go_after_a_day(shelf: Shelf) -> None:
    copy = shelf.store.private_copy(shelf.package())
    shelf.store.remember("a" * 64, OFFERS, at=AT)
    assert copy.exists(), "somebody may be looking at it"
    os.utime(copy, (0, 0))
    shelf.store.remember("b" * 64, OFFERS, at=AT)
    assert not copy.exists()
