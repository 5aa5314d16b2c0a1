"""An addon as it lies on disk: which tier it is for, where it begins, and the digest of all of it.

Nothing of it runs here, and no link is followed: what is digested is what is there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from os.path import normpath
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.addons.contract import ADDON_MANIFEST_FIELD, AddonId, LoaderError, LoaderErrorKind
from induscode.addons.discovery import (
    ENTRY_EXTENSIONS,
    MANIFEST_FILENAME,
    PACKAGE_FILENAME,
    Tier,
    derive_addon_id,
    package_entry,
    tier_of,
    usable_id,
)
from induscode.addons.offers import Offers
from induscode.policy.belongings import GONE, Belonging, Kind
from induscode.policy.contents import FileMark, Seen, Unfit, examine

__all__ = ["AddonPackage", "FileMark", "id_of", "package_at"]

_WASM = ".wasm"
_SHAPES = (
    f"an addon is a folder with a {MANIFEST_FILENAME}, a {PACKAGE_FILENAME} that names its "
    f'"{ADDON_MANIFEST_FIELD}", an index.* or one .wasm; or a file that is executable or ends with '
    f"one of {' '.join(ENTRY_EXTENSIONS)}"
)


class AddonPackage(Struct, frozen=True):
    """`path` is the folder, or the file of an addon that is one. `entry` is where it begins: the
    manifest, the program or the component. `files` are all of it, by their path from the folder;
    "" is the file itself. The same content has the same digest wherever it lies, and whether it
    was looked at here or trusted as an item of a workspace."""

    path: Path
    entry: Path
    tier: Tier
    name: str
    digest: str
    files: Mapping[str, FileMark] = msgspec.field(default_factory=dict[str, FileMark])


def package_at(path: Path) -> AddonPackage:
    """The addon at a path: its folder or file, or the `manifest.toml` or `index.*` of its folder.
    Reads all of it, within the bounds of trust. Raises `LoaderError`."""
    place = Path(normpath(Path.cwd() / path))
    if not place.is_dir() and (place.name == MANIFEST_FILENAME or place.stem == "index"):
        place = place.parent
    root = Path(os.path.realpath(place.parent))
    place = root / place.name
    seen = _seen(root, place)
    entry = _entry(place, seen.files)
    tier = tier_of(entry)
    if tier is None:
        raise LoaderError.unsupported(entry, "it is no addon of any tier", hint=_SHAPES)
    return AddonPackage(place, entry, tier, derive_addon_id(place), seen.digest, seen.files)


def id_of(package: AddonPackage, offers: Offers) -> AddonId:
    """What the addon calls itself, else what its folder or file is called. No path can be made of
    it. Raises `LoaderError` for what cannot be the name of a feature."""
    name = offers.id or package.name
    if not usable_id(name):
        raise LoaderError(
            LoaderErrorKind.INVALID,
            package.entry,
            f"{name[:80]!r} is no id of an addon",
            hint="use up to 64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit",
        )
    return AddonId(name)


def _seen(root: Path, place: Path) -> Seen:
    if not place.name:
        raise LoaderError.unsupported(place, "it is no addon of any tier", hint=_SHAPES)
    if place.is_symlink():
        raise LoaderError(
            LoaderErrorKind.UNREADABLE, place, "it is a link", hint="name what it leads to"
        )
    match examine(root, Belonging(Kind.ADDON, place.name), lambda _text, _path: ()):
        case Unfit(reason):
            said = reason.removeprefix(f"{place.name}: ")
            said = "there is nothing at this path" if said == GONE else said
            raise LoaderError(LoaderErrorKind.UNREADABLE, place, said)
        case Seen(files=files) as seen:
            links = sorted(name for name, mark in files.items() if mark.leads)
            if links:
                raise LoaderError(
                    LoaderErrorKind.UNREADABLE,
                    place,
                    f"{links[0]} is reached through a link",
                    hint="an addon holds its files itself: put a copy in the place of the link",
                )
            return seen


def _entry(place: Path, files: Mapping[str, FileMark]) -> Path:
    """Where it begins; always one of its files."""
    if "" in files:
        return place
    if MANIFEST_FILENAME in files:
        return place / MANIFEST_FILENAME
    named = package_entry(place)
    if named is not None:
        _check_named(place, named, files)
        return named
    indexes = (f"index{suffix}" for suffix in ENTRY_EXTENSIONS)
    index = next((name for name in indexes if name in files), None)
    if index is not None:
        return place / index
    components = [name for name in files if name.endswith(_WASM)]
    if len(components) == 1:
        return place / components[0]
    why = "it holds more than one component" if components else "there is no addon in this folder"
    raise LoaderError.unsupported(place, why, hint=_SHAPES)


def _check_named(place: Path, named: Path, files: Mapping[str, FileMark]) -> None:
    if str(named.relative_to(place)) not in files:
        raise LoaderError(
            LoaderErrorKind.INVALID,
            place / PACKAGE_FILENAME,
            f"{ADDON_MANIFEST_FIELD}: there is no file {named.relative_to(place)}",
            hint="name a file of the package",
        )
