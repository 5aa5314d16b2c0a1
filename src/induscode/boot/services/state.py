"""Durable state of one feature, outside the workspace: a version, a migration, a lock.

`<root>/<source>-<name>-<digest>/` holds `current.json`, which says which version the content has
and in which folder beside it the files are. A migration works on a copy of that folder; replacing
`current.json` is the one moment at which all of it counts. What is named by nothing is left over
from a crash and removed when the state is opened.

The key is the feature's source and name, without the digest of a plugin's content: an update is the
same feature and finds its state again. What a workspace or its servers bring (`project:`, `mcp:`)
is another feature in another workspace, so those keys hold the workspace too.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.boot.services.authority import Authority
from induscode.boot.services.durable import locked, read_small, replace
from induscode.boot.services.state_folder import PRIVATE_FILE, PRIVATE_FOLDER, Folder
from induscode.errors import AddonAuthorError, ServiceRefused
from induscode.feature.capability import FeatureState
from induscode.feature.descriptor import FeatureId
from induscode.feature.hosting.snapshot import is_a
from induscode.feature.lending import lend, take_back
from induscode.feature.service_state import Migration, StateDirectory, StatePort
from induscode.tools.anchored import anchored

__all__ = ["StateUnusable", "open_state", "state_key"]

Hold = Callable[[], AbstractContextManager[Folder]]

_CURRENT = "current.json"
_CURRENT_BYTES = 4096
_FOLDERS = "version-"
_FOLDER = re.compile(r"version-[0-9]+-[0-9a-f]{8}")
_GRANT = FeatureState()
_OF_A_WORKSPACE = frozenset({"project", "mcp"})


class StateUnusable(AddonAuthorError):
    """There is state, or a place for it, that this version of the feature cannot use."""


class _Current(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    folder: str


def state_key(feature: FeatureId, workspace: Path) -> str:
    """The name of a feature's folder: readable, safe, and its own."""
    whole = f"{feature.source}:{feature.name}"
    if feature.source in _OF_A_WORKSPACE:
        whole += f"\0{os.path.realpath(workspace)}"
    digest = hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{feature.source}-{feature.name}-{digest[:16]}"


def open_state(
    folder: Path, version: int, migrate: Migration | None, authority: Authority
) -> StatePort:
    """The state in `folder`, of this version. Raises `StateUnusable` or OSError; then what was
    there is there unchanged."""
    if not is_a(version, int) or version < 1:
        raise StateUnusable(f"{version} is no version of a state", hint="count from 1")
    folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    home = Path(os.path.realpath(folder))
    with _held(home) as handle:
        current = _read(home, handle)
        if current is None:
            current = _begin(home, handle, version)
        elif current.version > version:
            raise StateUnusable(
                f"the state is of version {current.version}, newer than {version}",
                hint="use the newer version of the feature",
            )
        _sweep(home, current)
        if current.version < version:
            old = current
            current = _migrated(home, handle, old, version, migrate, authority)
            shutil.rmtree(home / old.folder, ignore_errors=True)
    return _State(authority, lambda: _as_opened(home, current))


@contextmanager
def _held(home: Path) -> Generator[int]:
    with anchored(home) as handle, locked(handle, PRIVATE_FILE):
        yield handle


def _read(home: Path, handle: int) -> _Current | None:
    try:
        current = msgspec.json.decode(read_small(handle, _CURRENT, _CURRENT_BYTES), type=_Current)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise _damaged(home, str(error)) from None
    if not _is_folder(home, current.folder):
        raise _damaged(home, f"the folder {current.folder!r} that it names is not there")
    return current


def _damaged(home: Path, why: str) -> StateUnusable:
    hint = "put it right, or move the directory away to begin anew"
    return StateUnusable(f"{home / _CURRENT} is damaged: {why}", hint=hint)


def _is_folder(home: Path, name: str) -> bool:
    place = home / name
    return bool(_FOLDER.fullmatch(name)) and place.is_dir() and not place.is_symlink()


def _begin(home: Path, handle: int, version: int) -> _Current:
    name = _fresh_name(version)
    (home / name).mkdir(mode=PRIVATE_FOLDER)
    return _point(handle, _Current(version, name))


def _fresh_name(version: int) -> str:
    return f"{_FOLDERS}{version}-{os.urandom(4).hex()}"


def _point(handle: int, current: _Current) -> _Current:
    replace(handle, _CURRENT, msgspec.json.encode(current) + b"\n", PRIVATE_FILE)
    return current


def _sweep(home: Path, current: _Current) -> None:
    for entry in home.iterdir():
        if entry.name != current.folder and entry.name.startswith(_FOLDERS):
            shutil.rmtree(entry, ignore_errors=True)


def _migrated(
    home: Path,
    handle: int,
    old: _Current,
    version: int,
    migrate: Migration | None,
    authority: Authority,
) -> _Current:
    if migrate is None:
        raise StateUnusable(
            f"the state is of version {old.version} and nothing brings it to {version}",
            hint="give a migration",
        )
    name = _fresh_name(version)
    try:
        copy = Folder(home / old.folder).copy_to(home / name)
        _run(migrate, old.version, _State(authority, lambda: nullcontext(copy)))
        authority.check(_GRANT)  # it may have been withdrawn meanwhile
        return _point(handle, _Current(version, name))
    except BaseException:
        shutil.rmtree(home / name, ignore_errors=True)
        raise


def _run(migrate: Migration, found: int, port: StatePort) -> None:
    lease = lend(port)
    try:
        migrate(found, StateDirectory(lease))
    except (Exception, SystemExit) as error:
        raise StateUnusable(f"the migration from version {found} failed: {error!r}") from error
    finally:
        take_back(lease)


class _State:
    """The port behind `StateDirectory`: at every use the grant, then whatever `hold` holds."""

    def __init__(self, authority: Authority, hold: Hold) -> None:
        self._authority = authority
        self._hold = hold

    def read(self, name: str) -> bytes | None:
        with self._held() as folder:
            return folder.read(name)

    def write(self, name: str, data: bytes) -> None:
        with self._held() as folder:
            folder.write(name, data)

    def remove(self, name: str) -> bool:
        with self._held() as folder:
            return folder.remove(name)

    def names(self) -> tuple[str, ...]:
        with self._held() as folder:
            return folder.names()

    def _held(self) -> AbstractContextManager[Folder]:
        self._authority.check(_GRANT)
        return self._hold()


@contextmanager
def _as_opened(home: Path, opened: _Current) -> Generator[Folder]:
    """The files under the lock, if nobody brought them to another version meanwhile."""
    with _held(home) as handle:
        if _read(home, handle) != opened:
            raise ServiceRefused(
                f"the state was opened at version {opened.version} and is another one now",
                hint="ask for it again",
            )
        yield Folder(home / opened.folder)
