"""What in a workspace waits for trust: everything that could configure, instruct or execute.

The table is the whole knowledge. Listing looks at names and kinds of files and opens none of them;
it touches nothing outside the workspace, wherever links lead.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Literal

from msgspec import Struct

from induscode.policy.glance import Glance, glance_of

__all__ = [
    "CONTEXT_NAMES",
    "GONE",
    "MAX_CHILDREN",
    "OUTSIDE",
    "SETTINGS_FILE",
    "Astray",
    "Belonging",
    "Kind",
    "Landing",
    "is_text",
    "landing",
    "list_belongings",
]

MAX_CHILDREN = 500
"""A folder of the table that holds more is one item, and cannot be trusted."""

SETTINGS_FILE = ".indus/config.toml"
OUTSIDE = "it is a link that leads out of the workspace"
GONE = "it is gone"
_MAX_LINKS = 40
_NOWHERE = "it is a link that leads nowhere"
_CIRCLE = "its links lead in a circle"
_NO_TEXT = "its name is not text"


class Kind(StrEnum):
    ADDON = "addon"
    MCP = "mcp"
    SKILL = "skill"
    COMMAND = "command"
    AGENT = "agent"
    CONTEXT = "context"
    SETTINGS = "settings"
    HOOKS = "hooks"
    PLUGIN = "plugin"


class Belonging(Struct, frozen=True):
    """An item: `path` is relative to the workspace. `refused` says why it can never be trusted as
    it is; empty when nothing that shows from outside speaks against it."""

    kind: Kind
    path: str
    refused: str = ""


_Shape = Literal[
    "file",  # the file itself
    "folders",  # each folder in it, and each file with the suffix
    "files",  # each file in it with the suffix
    "tree",  # each file below it with the suffix
]


class _Place(Struct, frozen=True):
    kind: Kind
    path: str
    shape: _Shape = "file"
    suffix: str = ""


_PLACES = (
    _Place(Kind.ADDON, ".indus/addons", "folders"),
    _Place(Kind.MCP, ".indus/mcp.json"),
    _Place(Kind.MCP, ".mcp.json"),
    _Place(Kind.MCP, ".indusvx/mcp.json"),
    _Place(Kind.SKILL, ".indus/skills", "folders", ".md"),
    _Place(Kind.SKILL, ".indusagi/skills", "folders", ".md"),
    _Place(Kind.SKILL, ".agents/skills", "folders", ".md"),
    _Place(Kind.SKILL, ".claude/skills", "folders", ".md"),
    _Place(Kind.COMMAND, ".indus/commands", "files", ".md"),
    _Place(Kind.COMMAND, ".indusagi/commands", "files", ".md"),
    _Place(Kind.COMMAND, ".claude/commands", "tree", ".md"),
    _Place(Kind.AGENT, ".indus/agents", "files", ".toml"),
    _Place(Kind.AGENT, ".claude/agents", "files", ".md"),
    _Place(Kind.CONTEXT, ".claude/rules", "tree", ".md"),
    _Place(Kind.SETTINGS, SETTINGS_FILE),
    _Place(Kind.HOOKS, ".claude/settings.json"),
    _Place(Kind.HOOKS, ".claude/settings.local.json"),
    _Place(Kind.PLUGIN, ".claude-plugin/plugin.json"),
    _Place(Kind.PLUGIN, "plugin.json"),
)

CONTEXT_NAMES = (
    "AGENTS.md",
    "CLAUDE.md",
    "INDUSAGI.md",
    "CLAUDE.local.md",
    "AGENTS.local.md",
    ".indusagi/CLAUDE.md",
    ".claude/CLAUDE.md",
)
"""Context documents, in each directory from the workspace down to the working directory."""


class Landing(Struct, frozen=True):
    """Where a path leads, every link followed: a path of the workspace without links, its mode, and
    a glance at what is there."""

    path: str
    mode: int
    glance: Glance = ()


class Astray(Struct, frozen=True):
    """A path that leads nowhere we would follow; `reason` is a sentence about it."""

    reason: str


def landing(workspace: Path, path: str) -> Landing | Astray:
    """Follow `path` (relative to the real path `workspace`) without a look at anything outside."""
    root = str(workspace).rstrip("/")
    todo, done, links = path.split("/")[::-1], list[str](), 0
    try:
        while todo:
            name = todo.pop()
            if name == ".." and not done:
                return Astray(OUTSIDE)
            if name == "..":
                done.pop()
            elif name not in {"", "."}:
                target = _link_text("/".join((root, *done, name)))
                if target is None:
                    done.append(name)
                    continue
                links += 1
                if target.startswith("/"):
                    done.clear()
                    target = f"{target}/".removeprefix(f"{root}/")
                if target.startswith("/") or links > _MAX_LINKS:
                    return Astray(OUTSIDE if target.startswith("/") else _CIRCLE)
                todo.extend(target.split("/")[::-1])
        status = os.lstat("/".join((root, *done)) or "/")
        return Landing("/".join(done), status.st_mode, glance_of(status))
    except (FileNotFoundError, NotADirectoryError):
        return Astray(_NOWHERE if links else GONE)
    except OSError as error:
        return Astray(f"it cannot be looked at: {error.strerror}")


def _link_text(path: str) -> str | None:
    """What a link says; None for anything that is no link. Raises OSError."""
    if stat.S_ISLNK(os.lstat(path).st_mode):
        return str(Path(path).readlink())
    return None


def list_belongings(workspace: Path, cwd: Path) -> tuple[Belonging, ...]:
    """Every item there is, in the order of the table. Both are real paths; `cwd` is in `workspace`.

    Opens no file: names and kinds only. Raises nothing; what cannot be looked at is an item that
    cannot be trusted.
    """
    root = str(workspace).rstrip("/")
    found: list[Belonging] = []
    tops: dict[str, bool] = {}
    for folder, place in _every_place(workspace, cwd):
        top = folder + place.path[len(folder) :].partition("/")[0]
        if top not in tops:
            tops[top] = _exists(f"{root}/{top}")
            if tops[top] and top != place.path and (reason := _astray(workspace, top)):
                tops[top] = False
                found.append(Belonging(place.kind, top, reason))
        if tops[top]:
            found.extend(_items(workspace, place))
    return tuple(found)


def _every_place(workspace: Path, cwd: Path) -> Iterator[tuple[str, _Place]]:
    """Each place of the table, after the folder that is known to be real."""
    for place in _PLACES:
        yield "", place
    folder = ""
    for part in ("", *cwd.relative_to(workspace).parts):
        folder += f"{part}/" if part else ""
        for name in CONTEXT_NAMES:
            yield folder, _Place(Kind.CONTEXT, folder + name)


def _astray(workspace: Path, path: str) -> str:
    where = landing(workspace, path)
    return where.reason if isinstance(where, Astray) else ""


def _items(workspace: Path, place: _Place) -> Iterator[Belonging]:
    match landing(workspace, place.path):
        case Astray(reason):
            if reason != GONE:
                yield Belonging(place.kind, place.path, reason)
        case Landing(_, mode) if place.shape == "file":
            reason = "" if stat.S_ISREG(mode) else _strange(mode)
            yield Belonging(place.kind, place.path, reason or _unreadable_name(place.path))
        case Landing(real, mode):
            if not stat.S_ISDIR(mode):
                yield Belonging(place.kind, place.path, "it is a file where a folder belongs")
                return
            yield from _children(workspace, place, real)


def _children(workspace: Path, place: _Place, real: str) -> Iterator[Belonging]:
    """What a folder holds, or the folder itself when it cannot be listed as a whole."""
    try:
        names = sorted(_names(workspace, place, real))
    except _TooMany:
        why = f"it holds more than {MAX_CHILDREN} entries"
        yield Belonging(place.kind, place.path, why)
    except OSError as error:
        yield Belonging(place.kind, place.path, f"it cannot be listed: {error.strerror}")
    else:
        for name, mode in names:
            item = _child(workspace, place, f"{place.path}/{name}", mode)
            if item is not None:
                yield item


class _TooMany(Exception):
    """A folder is over its bound."""


def _names(workspace: Path, place: _Place, real: str) -> Iterator[tuple[str, int]]:
    """Paths below the place, and their modes as a listing tells them, 0 for a link; folders of a
    tree are entered, links are not."""
    waiting, seen = [""], 0
    while waiting:
        below = waiting.pop()
        with os.scandir(workspace / real / below) as entries:
            for entry in entries:
                seen += 1
                if seen > MAX_CHILDREN:
                    raise _TooMany
                if entry.name.startswith("."):
                    continue
                mode = _listed_mode(entry)
                if place.shape == "tree" and stat.S_ISDIR(mode):
                    waiting.append(f"{below}{entry.name}/")
                elif place.shape == "folders" or not mode or _suffixed(place, entry.name):
                    yield below + entry.name, mode


def _listed_mode(entry: os.DirEntry[str]) -> int:
    if entry.is_symlink():
        return 0
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    return stat.S_IFREG if entry.is_file(follow_symlinks=False) else stat.S_IFIFO


def _child(workspace: Path, place: _Place, path: str, mode: int) -> Belonging | None:
    """The item that is at this path of a folder; None for what does not belong there. A loose file
    among folders counts by its suffix, where the table names one."""
    if reason := _unreadable_name(path):
        return Belonging(place.kind, path, reason)
    if not mode:
        where = landing(workspace, path)
        if isinstance(where, Astray):
            return Belonging(place.kind, path, where.reason)
        mode = where.mode
    folder = place.shape == "folders" and stat.S_ISDIR(mode)
    if not folder and not stat.S_ISREG(mode):
        return Belonging(place.kind, path, _strange(mode))
    if folder or not place.suffix or _suffixed(place, path):
        return Belonging(place.kind, path)
    return None


def _unreadable_name(path: str) -> str:
    return "" if is_text(path) else _NO_TEXT


def is_text(name: str) -> bool:
    """False for a name of the disk whose bytes are no text."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _suffixed(place: _Place, name: str) -> bool:
    return name.lower().endswith(place.suffix)


def _strange(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "it is a folder where a file belongs"
    return "it is not a regular file"


def _exists(path: str) -> bool:
    """What cannot be looked at counts as there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
