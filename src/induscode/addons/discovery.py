"""Finding addons: three shapes directly in one folder, in sorted order, each with an id.

Finding reads nothing but the `package.json` of a package, and starts nothing. Whether the workspace
is trusted is asked before, by whoever calls.
"""

from __future__ import annotations

import os
import re
import stat
from enum import StrEnum
from os.path import normpath
from pathlib import Path
from typing import cast

from induscode.addons.contract import (
    ADDON_MANIFEST_FIELD,
    ADDONS_DIR,
    AddonDiscovery,
    AddonId,
    AddonSource,
    LoaderError,
    LoaderErrorKind,
)
from induscode.addons.paths import resolve_path
from induscode.kernel.jsontext import JsonProblem, parse_object

__all__ = [
    "ENTRY_EXTENSIONS",
    "MANIFEST_BYTES",
    "MANIFEST_FILENAME",
    "Tier",
    "derive_addon_id",
    "discover_addons",
    "discover_sources",
    "package_entry",
    "read_bounded",
    "tier_of",
    "usable_id",
]

MANIFEST_FILENAME = "manifest.toml"
PACKAGE_FILENAME = "package.json"
MANIFEST_BYTES = 256 * 1024
"""Of a `manifest.toml` or a `package.json`; a longer one is not read."""

ENTRY_EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".py", ".wasm")
"""Of a file that is an addon by itself. Which tier runs it is the loader's business."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

# Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


class Tier(StrEnum):
    """What can run an addon."""

    DECLARATIVE = "tier 0 (a manifest.toml)"
    PROCESS = "tier 1 (a subprocess)"
    WASM = "tier 2 (a WASM component)"


def discover_addons(directory: Path) -> list[Path]:
    """The entries of the addons directly in `directory`, sorted by name; names that begin with a
    dot are passed over. A directory that is missing or cannot be read has none."""
    try:
        children = sorted(directory.iterdir(), key=lambda child: child.name)
    except OSError:
        return []
    found = (_entry(child) for child in children if not child.name.startswith("."))
    return [path for path in found if path is not None]


def discover_sources(discovery: AddonDiscovery) -> list[AddonSource]:
    """What is found under the workspace, then the explicit paths as they are; a path that comes
    twice counts once, at its first place."""
    paths: list[Path] = []
    workspace = discovery.workspace
    if workspace is not None:
        root = resolve_path(str(workspace))
        paths += discover_addons(resolve_path(discovery.dir or ADDONS_DIR, root))
    paths += [resolve_path(str(path), workspace) for path in discovery.explicit_paths]
    once = dict.fromkeys(Path(normpath(path)) for path in paths)
    return [AddonSource(path, derive_addon_id(path)) for path in once]


def derive_addon_id(path: Path) -> AddonId:
    """A folder's name; for an `index.*`, the name of the folder it is in; else the file's stem."""
    if path.is_dir():
        return AddonId(path.name)
    return AddonId(path.parent.name if path.stem == "index" else path.stem)


def usable_id(text: str) -> bool:
    """Whether a feature can have this name; no path can be made of it."""
    return _ID.fullmatch(text) is not None


def tier_of(path: Path) -> Tier | None:
    """What could run a file or folder, as far as its name and shape tell; None for nothing."""
    if path.is_dir():
        if os.path.lexists(path / MANIFEST_FILENAME):
            return Tier.DECLARATIVE
        entry = _entry(path)
        return tier_of(entry) if entry is not None and entry != path else None
    if path.name == MANIFEST_FILENAME:
        return Tier.DECLARATIVE
    if path.suffix == ".wasm":
        return Tier.WASM
    if path.suffix in ENTRY_EXTENSIONS or os.access(path, os.X_OK):
        return Tier.PROCESS
    return None


def package_entry(folder: Path) -> Path | None:
    """The file that the folder's `package.json` names, None when it names none. Raises
    `LoaderError` for a file that is no package, or that points out of its folder."""
    file = folder / PACKAGE_FILENAME
    if not os.path.lexists(file):
        return None
    try:
        named = parse_object(read_bounded(file))[1].get(ADDON_MANIFEST_FIELD)
    except JsonProblem as problem:
        raise LoaderError(LoaderErrorKind.INVALID, file, str(problem)) from None
    if named is None:
        return None
    return _within(file, cast("object", named))


def _within(file: Path, named: object) -> Path:
    if not isinstance(named, str) or not named.strip():
        raise LoaderError(
            LoaderErrorKind.INVALID,
            file,
            f"{ADDON_MANIFEST_FIELD}: expected the path of a file",
            hint=f'write "{ADDON_MANIFEST_FIELD}": "main.js"',
        )
    folder = file.parent
    entry = Path(normpath(resolve_path(named, folder)))
    if not entry.is_relative_to(normpath(folder)) or "\0" in named:
        raise LoaderError(
            LoaderErrorKind.INVALID,
            file,
            f"{ADDON_MANIFEST_FIELD}: {named!r} is not in the package",
            hint="name a file of the package itself",
        )
    return entry


def read_bounded(file: Path) -> bytes:
    """A short regular file, not through a link. Raises `LoaderError`."""
    try:
        data = _read(file)
    except (OSError, ValueError) as error:
        linked = file.is_symlink()
        why = "it is a link" if linked else getattr(error, "strerror", None) or str(error)
        hint = "put the file itself there" if linked else ""
        raise LoaderError(LoaderErrorKind.UNREADABLE, file, why, hint=hint) from None
    if len(data) > MANIFEST_BYTES:
        raise LoaderError(
            LoaderErrorKind.INVALID,
            file,
            f"it has over {MANIFEST_BYTES} bytes",
            hint="keep what is long in files of its own",
        )
    return data


def _read(file: Path) -> bytes:
    """At most one byte more than is taken."""
    handle = os.open(file, _READ)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is not a regular file")
        with os.fdopen(handle, "rb", closefd=False) as opened:
            return opened.read(MANIFEST_BYTES + 1)
    finally:
        os.close(handle)


def _entry(path: Path) -> Path | None:
    """Where an addon begins; None when there is none. A package that is broken is its own folder,
    so that whoever loads it says what is wrong."""
    if not path.is_dir():
        return path if path.suffix in ENTRY_EXTENSIONS and path.is_file() else None
    if os.path.lexists(path / MANIFEST_FILENAME):
        return path
    try:
        named = package_entry(path)
    except LoaderError:
        return path
    if named is not None:
        return named
    indexes = (path / f"index{suffix}" for suffix in ENTRY_EXTENSIONS)
    return next((file for file in indexes if file.is_file()), None)
