"""What the loaders of the briefing see: the user's own files, and of a workspace what was accepted.

Inside the workspace only admitted files exist, with the bytes that were accepted; what waits or
changed is not there. Outside, a file is read when nobody else could have written it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct, field

from induscode.boot.admitted import Admitted
from induscode.boot.owned_files import followed, list_owned, read_owned
from induscode.boot.trusting import Door
from induscode.briefing.files import Child, Refused
from induscode.errors import ConfigError
from induscode.policy.belongings import GONE, Astray, Landing, landing
from induscode.policy.contents import MAX_IMPORT_DEPTH, MAX_IMPORTS
from induscode.policy.glance import MISSING, Glance, glance, standing
from induscode.policy.places import inside

__all__ = ["TrustedFiles"]

_OPEN_HIDDEN = frozenset({".indus", ".indusagi", ".claude", ".agents"})
_INTO = "it leads into the workspace, and is not part of what you accepted there"
_OUT = "it leads out of the workspace"
_APART = (
    "it is not part of what you accepted with the document, which are text files,"
    f" {MAX_IMPORT_DEPTH} imports deep and {MAX_IMPORTS} at most; look: indus trust show"
)
_FAR = "it is neither below your home nor below the folder of the document"
_HIDDEN = "it is hidden"
_OURS = "it is a file of indus, not a document"


class _Inside(Struct, frozen=True):
    """A path from outside led into the workspace, to this place."""

    place: str


class _Look(Struct, frozen=True):
    """What one look at a path outside gave, and what it depends on: of the `glances` all that a
    look without opening tells, of the folders in `standings` only whose they are."""

    found: bytes | tuple[Child, ...] | Refused | _Inside | None
    glances: dict[str, Glance]
    standings: dict[str, Glance]

    def holds(self) -> bool:
        return all(glance(path) == seen for path, seen in self.glances.items()) and all(
            standing(path) == seen for path, seen in self.standings.items()
        )


class _Memory(Struct, frozen=True):
    """Looks by what was asked for, and accepted contents by their digest."""

    reads: dict[tuple[str, int], _Look] = field(default_factory=dict)
    lists: dict[str, _Look] = field(default_factory=dict)
    held: dict[str, bytes] = field(default_factory=dict)


class TrustedFiles:
    """One look at everything: what was asked for once is answered the same afterwards.

    `unchanged` tells, without opening anything, whether a new look would see the same; `renewed` is
    that new look, which opens only what changed. `before` is for `renewed` alone. Nothing raises:
    with a store of trust that cannot be used, nothing is admitted.
    """

    def __init__(self, door: Door, before: _Memory | None = None) -> None:
        self.door = door
        self._before = before or _Memory()
        self._memory = _Memory()
        self._targets: dict[str, Glance] = {}

    def unchanged(self) -> bool:
        looks = (*self._memory.reads.values(), *self._memory.lists.values())
        return (
            self.door.unchanged()
            and all(glance(path) == seen for path, seen in self._targets.items())
            and all(look.holds() for look in looks)
        )

    def renewed(self) -> TrustedFiles:
        return TrustedFiles(self.door.renewed(), self._memory)

    def read(self, path: Path, most: int) -> bytes | Refused | None:
        place = _normal(path)
        if self._within(place):
            return self._admitted.read(self._named(place), most)
        if self._targets.get(place) == MISSING:
            return None
        key = (place, most)
        look = self._memory.reads.get(key) or _held(self._before.reads.get(key))
        if look is None:
            look = self._look(place, most)
        self._memory.reads[key] = look
        match look.found:
            case _Inside(real):
                data = self._admitted.read(self._named(real), most)
                return Refused(_INTO) if data is None else data
            case tuple():
                return None
            case found:
                return found

    def children(self, folder: Path) -> Sequence[Child] | Refused:
        place = _normal(folder)
        if self._within(place):
            return self._admitted.children(self._named(place))
        look = self._memory.lists.get(place) or _held(self._before.lists.get(place))
        if look is None:
            look = self._look(place, None)
        self._memory.lists[place] = look
        match look.found:
            case _Inside(real):
                return self._admitted.children(self._named(real))
            case tuple() | Refused() as found:
                return found
            case _:
                return ()

    def real(self, path: Path) -> Path:
        place = _normal(path)
        if not self._within(place):
            return _real(place)
        name = self._named(place)
        known = self._admitted.real(name)
        if known is None:
            where = landing(self.door.workspace, name)
            known = where.path if isinstance(where, Landing) else name
        return self.door.workspace / known

    def barred(self, importer: Path, target: Path) -> str:
        """Nothing is said against a file that is not there: `@/lib/x` is mostly not meant as one.
        It is not there for this look, then, whatever appears meanwhile."""
        origin, place = _normal(importer), _normal(target)
        if not self._within(place):
            seen = self._targets.setdefault(place, glance(place))
            if seen == MISSING:
                return ""
        if self._within(origin):
            return self._barred_inside(origin, place)
        return self._barred_outside(origin, place)

    def _barred_inside(self, origin: str, place: str) -> str:
        if not self._within(place):
            return _OUT
        name = self._named(place)
        match landing(self.door.workspace, name):
            case Astray(reason):
                return "" if reason == GONE else reason
            case Landing():
                return "" if self._admitted.together(self._named(origin), name) else _APART

    def _barred_outside(self, origin: str, place: str) -> str:
        home, own = str(self.door.home), origin.rpartition("/")[0] or "/"
        if self._within(place):
            return _INTO
        if reason := _far((home, own), place):
            return reason
        real = followed(place)
        if real is None:
            return ""
        if isinstance(real, Refused):
            return real.reason
        if self._within(real):
            return _INTO
        if reason := _far((str(_real(home)), str(_real(origin).parent)), real):
            return f"a link leads elsewhere: {reason}"
        folders = (self.door.places.config, self.door.places.data)
        ours = any(inside(_real(str(folder)), Path(real)) for folder in folders)
        return _OURS if ours and not real.endswith(".md") else ""

    def _look(self, place: str, most: int | None) -> _Look:
        """At a file, or with None at a folder."""
        glances = {place: glance(place)}
        if glances[place] == MISSING:
            return _Look(None, glances, {})
        real = followed(place)
        if not isinstance(real, str):
            return _Look(real, glances, {})
        if self._within(real):
            return _Look(_Inside(real), glances, {})
        if most is not None:
            above = real.rpartition("/")[0] or "/"
            standings = {above: standing(above)}
            return _Look(read_owned(real, most), glances, standings)
        listing = list_owned(real)
        if isinstance(listing, Refused):
            return _Look(listing, glances, {})
        glances |= {path: glance(path) for path in (f"{real}/{name}" for name in listing.links)}
        return _Look(listing.children, glances, {})

    def _within(self, place: str) -> bool:
        """Our own directory is the user's, also where the workspace is the home that holds it."""
        path = Path(place)
        return inside(self.door.workspace, path) and not any(
            inside(folder, path) for folder in self._own_folders
        )

    def _named(self, place: str) -> str:
        return place[len(str(self.door.workspace)) :].lstrip("/")

    @cached_property
    def _own_folders(self) -> tuple[Path, ...]:
        folder = self.door.places.config
        folders = (folder, _real(str(folder)))
        if not any(inside(self.door.workspace, each) for each in folders):
            return ()
        return () if self.door.trust.barred else folders

    @cached_property
    def _admitted(self) -> Admitted:
        known, held = self._before.held, self._memory.held
        try:
            trust = self.door.trust if self.door.items else None
            return Admitted(trust, known=known, held=held)
        except ConfigError:  # the door tells the person
            return Admitted(None, known=known, held=held)


def _held(look: _Look | None) -> _Look | None:
    return look if look is not None and look.holds() else None


def _normal(path: Path) -> str:
    """Absolute, `..` taken off as text, with one slash at its beginning."""
    return "/" + os.path.normpath(path.absolute()).lstrip("/")


def _real(place: str) -> Path:
    try:
        return Path(os.path.realpath(place))
    except (OSError, ValueError):  # a circle of links, or no path at all
        return Path(place)


def _far(bases: tuple[str, ...], place: str) -> str:
    """Why a place is out of reach from every one of these folders; empty when it is not. The root
    folder reaches nothing: all there is lies below it, and `//` begins no path here."""
    below = [place[len(base) + 1 :] for base in bases if place.startswith(f"{base}/")]
    if not below:
        return _FAR
    hidden = (
        any(part.startswith(".") and part not in _OPEN_HIDDEN for part in name.split("/"))
        for name in below
    )
    return _HIDDEN if all(hidden) else ""
