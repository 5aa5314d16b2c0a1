"""The admitted files of a workspace as one tree, by their paths from the workspace.

Made from what was accepted and never from a listing of the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from induscode.briefing.files import Child
from induscode.policy.belongings import Belonging
from induscode.policy.contents import FileMark, path_of

if TYPE_CHECKING:
    from induscode.policy.trust import Trust

__all__ = ["Admitted"]


class _Place(Struct, frozen=True):
    trust: Trust
    item: Belonging
    name: str
    mark: FileMark


class Admitted:
    """Without a `trust` nothing is admitted. `known` are contents by their digest, which are not
    read again; `held` takes those in use. Methods take and return paths from the workspace. Making
    one raises `ConfigError` as `Trust` does."""

    def __init__(
        self, trust: Trust | None, *, known: Mapping[str, bytes], held: dict[str, bytes]
    ) -> None:
        self._known = known
        self._held = held
        self._files: dict[str, list[_Place]] = {}
        self._folders: dict[str, dict[str, Child]] = {}
        if trust is None:
            return
        for item in trust.admitted():
            for name, mark in trust.marks(item).items():
                self._add(_Place(trust, item, name, mark))

    def read(self, path: str, most: int) -> bytes | None:
        """The accepted bytes, `most` of them and one more where there are more; None for what was
        not accepted, or has changed since."""
        for place in self._files.get(path, ()):
            data = self._content(place)
            if data is not None:
                self._held[place.mark.sha256] = data
                return data[: most + 1]
        return None

    def children(self, folder: str) -> Sequence[Child]:
        """Of items alone: a file that a document imports is no skill and no command by that."""
        return tuple(sorted(self._folders.get(folder, {}).values(), key=lambda child: child.name))

    def real(self, path: str) -> str | None:
        """Where an admitted file lies, links followed; None for anything else."""
        for place in self._files.get(path, ()):
            return place.mark.leads or path
        return None

    def together(self, one: str, other: str) -> bool:
        """Whether both files belong to one item, accepted as a whole."""
        return not set(self._items(one)).isdisjoint(self._items(other))

    def _content(self, place: _Place) -> bytes | None:
        for contents in (self._held, self._known):
            if place.mark.sha256 in contents:
                return contents[place.mark.sha256]
        return place.trust.read(place.item, place.name)

    def _items(self, path: str) -> Iterator[str]:
        return (place.item.path for place in self._files.get(path, ()))

    def _add(self, place: _Place) -> None:
        path = path_of(place.item, place.name)
        for known in {path, place.mark.leads or path}:
            self._files.setdefault(known, []).append(place)
        if place.name.startswith("/"):
            return
        folder, _, name = path.rpartition("/")
        child = Child(name, folder=False, link=bool(place.mark.leads))
        while name:
            known = self._folders.setdefault(folder, {})
            known[name] = known[name] if name in known and known[name].link else child
            folder, _, name = folder.rpartition("/")
            child = Child(name, folder=True, link=child.link)
