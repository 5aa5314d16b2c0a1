"""The addons a person installed, and what is known of others: copies and records of our own.

An installed addon is a copy in `<data>/addons/<id>/<digest>`; the record in `<data>/addons.json`
says which copy counts. The record is replaced as a whole and last, so that whatever interrupts an
installation leaves the addon as it was before or as it is after. What a copy holds is compared
with the pinned digest; when nothing about its files changed since that was done, a glance does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from induscode.addons.contract import AddonId, LoaderError
from induscode.addons.discovery import Tier, usable_id
from induscode.addons.offers import Offers
from induscode.addons.package import AddonPackage, package_at
from induscode.boot.addons.copies import (
    copy_into,
    file_of,
    glance_at,
    place_in,
    removed,
    unfinished,
)
from induscode.boot.addons.records import (
    TIERS,
    AddonBook,
    AddonRecord,
    AddonRecords,
    Looked,
    kept_offers,
)
from induscode.errors import ConfigError
from induscode.feature.hosting.grant_store import GrantStore
from induscode.policy.file_lock import lock_within

__all__ = ["AddonStore", "Installed", "InstalledState"]

LOOKED_MOST = 200
"""Contents of workspaces whose offers are remembered; the longest known go first."""

_CONTENT = ".content"
_CONTENT_SECONDS = 24 * 3600.0
"""So long a copy stays that no offers are known of: somebody may be looking at it."""
_LOCK = ".lock"
_LOCK_SECONDS = 30.0
_FEATURE = "user:"


class InstalledState(StrEnum):
    """`changed`: the copy is not any more what was installed. `broken`: there is none that can be
    read, or its record cannot be."""

    OK = "ok"
    CHANGED = "changed"
    BROKEN = "broken"


class Installed(Struct, frozen=True):
    """One installed addon. `package` is the copy as it is now, None when it is broken; `digest` is
    what was pinned and `offers` what was recorded then, None when that cannot be read."""

    id: AddonId
    state: InstalledState
    digest: str
    tier: Tier
    version: str
    origin: str
    at: str
    package: AddonPackage | None = None
    offers: Offers | None = None
    reason: str = ""


class AddonStore:
    """Methods raise `ConfigError` for a record that cannot be used, and OSError as the disk does.
    `data` is the folder of our data."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "addons"
        self._records = AddonRecords(data / "addons.json")

    def installed(self) -> list[Installed]:
        """All of them, by name. Nothing of any of them runs; nothing is read of one that did not
        change since it was last compared."""
        book = self._records.read()
        return self._compared(sorted(book.installed), book)

    def get(self, name: str) -> Installed | None:
        book = self._records.read()
        return self._compared([name], book)[0] if name in book.installed else None

    def put(
        self, name: AddonId, package: AddonPackage, offers: Offers, *, origin: str, at: str
    ) -> Installed:
        """Copy the package, and pin it by its digest. Raises `LoaderError` when it changed since it
        was looked at, and ValueError for an id that no addon can have."""
        if not usable_id(name):
            raise ValueError(f"{name!r} is no id of an addon")
        copy, file = self._copy(name, package.digest), file_of(package)
        record = AddonRecord(
            digest=package.digest,
            tier=TIERS.index(package.tier),
            version=offers.version,
            origin=origin,
            at=at,
            offers=Raw(msgspec.json.encode(offers)),
            entry="" if file else str(package.entry.relative_to(package.path)),
            file=file,
        )
        with self._alone():
            self._sweep()
            if not _holds(copy, file, package.digest):
                removed(copy)
                copy_into(package, copy, durable=True)
            self._records.change(lambda book: book.installed.update({name: record}))
            self._sweep()
        return self._compared([name], self._records.read())[0]

    def remove(self, name: str, grants: GrantStore) -> bool:
        """Take it away, with its grants and what is remembered of its gates; False when there was
        nothing of it."""
        if not usable_id(name):
            return False
        with self._alone():
            known = name in self._records.read().installed
            if known:
                self._records.change(lambda book: book.installed.pop(name))
            known |= (self.folder / name).exists()
            self._sweep()
        return grants.forget(f"{_FEATURE}{name}") or known

    def known(self, digest: str) -> Offers | None:
        """What this content offered when it was looked at; None when it was not."""
        book = self._records.read()
        looked = book.looked.get(digest)
        raws = [] if looked is None else [looked.offers]
        raws += [each.offers for each in book.installed.values() if each.digest == digest]
        return next((offers for raw in raws if (offers := kept_offers(raw)) is not None), None)

    def remember(self, digest: str, offers: Offers, *, at: str) -> None:
        """What content of a workspace offers, now that it was looked at."""
        looked = Looked(Raw(msgspec.json.encode(offers)), at)

        def note(book: AddonBook) -> None:
            book.looked.pop(digest, None)
            book.looked[digest] = looked
            for old in list(book.looked)[:-LOOKED_MOST]:
                del book.looked[old]
            for copy in [copy for copy in book.copies if copy not in book.looked]:
                del book.copies[copy]

        with self._alone():
            self._records.change(note)
            kept = self._records.read().looked
            for copy in (self.folder / _CONTENT).glob("[!.]*"):
                if copy.name not in kept and _is_old(copy):
                    removed(copy)

    def private_copy(self, package: AddonPackage) -> Path:
        """The path of a copy of exactly this content, which nobody else writes: what is run is what
        was looked at. Raises `LoaderError` when the package changed meanwhile."""
        copy, file = self.folder / _CONTENT / package.digest, file_of(package)
        known = self._records.read().copies.get(package.digest)
        if known and known == glance_at(copy):
            return place_in(copy, file)
        with self._alone():
            glance = glance_at(copy)
            if not _holds(copy, file, package.digest):
                removed(copy)
                for left in unfinished(copy.parent):
                    removed(left)
                copy_into(package, copy, durable=False)
                glance = glance_at(copy)
            self._records.change(lambda book: book.copies.update({package.digest: glance}))
        return place_in(copy, file)

    def _copy(self, name: str, digest: str) -> Path:
        return self.folder / name / digest

    def _compared(self, names: Sequence[str], book: AddonBook) -> list[Installed]:
        """How these stand. What had to be read to know it is remembered."""
        found: list[Installed] = []
        fresh: dict[str, str] = {}
        for name in names:
            record = book.installed[name]
            glance = glance_at(self._copy(name, record.digest))
            same = bool(glance) and glance == record.glance
            found.append(self._standing(AddonId(name), record, same=same))
            if not same and found[-1].state is InstalledState.OK:
                fresh[name] = glance
        if fresh:
            self._note(fresh)
        return found

    def _standing(self, name: AddonId, record: AddonRecord, *, same: bool) -> Installed:
        offers = kept_offers(record.offers)
        copy = self._copy(name, record.digest)
        path = place_in(copy, record.file)
        tier = TIERS[record.tier]
        about = Installed(
            id=name,
            state=InstalledState.OK,
            digest=record.digest,
            tier=tier,
            version=record.version,
            origin=record.origin,
            at=record.at,
            package=AddonPackage(path, path / record.entry, tier, name, record.digest),
            offers=offers,
        )
        if offers is None:
            return _broken(about, "its record was written by another version of indus")
        if same:
            return about
        try:
            package = package_at(path)
        except LoaderError as error:
            return _broken(about, error.detail)
        if package.digest == record.digest:
            return about
        return msgspec.structs.replace(
            about,
            state=InstalledState.CHANGED,
            package=package,
            reason="its files are not any more what was installed",
        )

    def _note(self, glances: dict[str, str]) -> None:
        """A disk that does not take it makes the next start slower, and nothing else."""

        def note(book: AddonBook) -> None:
            for name, glance in glances.items():
                if (record := book.installed.get(name)) is not None:
                    book.installed[name] = msgspec.structs.replace(record, glance=glance)

        try:
            self._records.change(note)
        except ConfigError:
            return

    def _sweep(self) -> None:
        """Take away what no record speaks of: older copies, and what an interruption left."""
        records = self._records.read().installed
        for folder in self.folder.glob("[!.]*"):
            record = records.get(folder.name)
            if record is None:
                removed(folder)
                continue
            for copy in folder.iterdir():
                if copy.name != record.digest:
                    removed(copy)

    @contextmanager
    def _alone(self) -> Generator[None]:
        """One process at a time copies and takes away."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self.folder / _LOCK, flags, 0o600)
        try:
            lock_within(handle, _LOCK_SECONDS, "another process installs an addon")
            yield
        finally:
            os.close(handle)


def _holds(copy: Path, file: str, digest: str) -> bool:
    try:
        return package_at(place_in(copy, file)).digest == digest
    except LoaderError:
        return False


def _is_old(copy: Path) -> bool:
    try:
        return time.time() - copy.stat().st_mtime > _CONTENT_SECONDS
    except FileNotFoundError:
        return False


def _broken(about: Installed, reason: str) -> Installed:
    return msgspec.structs.replace(
        about, state=InstalledState.BROKEN, package=None, reason=f"{reason}; install it again"
    )
