"""Whether a repository's own configuration makes git run something.

`git status`, `diff`, `log -p`, `show`, `blame` only read, unless `.git/config` says otherwise: it
may name programs that show or clean files, and an archive that somebody unpacked may bring such a
`.git`. This module reads the configuration that git would find from a directory, as bytes and up to
limits, and follows nothing: an include counts as naming a program, as does what cannot be read.

The user's own configuration and the system's are theirs and are not looked at. Of the hooks one
counts: `git diff` refreshes the index and then runs `post-index-change`. Others, and so the folder
of hooks that a tool like husky names, do not: with the environment that children get, commands
that only read run none of them (tested with the real git). The file-system monitor is turned off by
that environment; in submodules, where this hangs on the version of git, it counts all the same.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from induscode.policy.places import is_directory, spelled
from induscode.policy.wordlist import words

__all__ = ["program_named_by_git"]

CONFIG_BYTES = 256 * 1024
INDEX_BYTES = 64 * 1024 * 1024
DIRECTORIES_AT_MOST = 200
"""How many git directories, submodules included, are looked at."""

_PROGRAMS = {
    "diff": words("external command textconv"),
    "filter": words("clean smudge process"),
    "gpg": words("program"),
    "core": words("alternaterefscommand worktree"),
    # Looks into submodules that only history knows.
    "status": words("submodulesummary"),
    "include": words("path"),
    "includeif": words("path"),
    # A repository with missing objects fetches them while it reads, by a program it names.
    "remote": words("promisor"),
    "extensions": words("partialclone"),
}
_HOOK = "post-index-change"
_HARMLESS = frozenset({"", "true", "false", "yes", "no", "on", "off", "0", "1"})
_UNREADABLE = "what could not be read"


def program_named_by_git(cwd: Path, subcommand: str = "") -> str:
    """The setting by which git, started in `cwd`, would run a program of the repository's choice;
    "" when there is none. An alias counts when it is the `subcommand`."""
    survey = _Survey(subcommand.lower())
    level = str(cwd)
    while True:
        for git_directory in _candidates(level):
            if found := survey.repository(git_directory, Path(level)):
                return found
        if level in {"/", ""}:
            return ""
        level = level.rpartition("/")[0] or "/"


def _candidates(level: str) -> Iterator[Path]:
    """Where git may find a repository at this level. One that it finds broken it passes over, so
    the levels above count too. A directory may itself be a bare repository."""
    inner = f"{level}/.git"
    if os.path.lexists(inner):
        place = Path(inner)
        yield place if is_directory(place) else _led_to(place, b"gitdir: ")
    if os.path.lexists(f"{level}/HEAD"):
        yield Path(level)


def _led_to(pointer: Path, prefix: bytes = b"") -> Path:
    """The directory that a file names from where it stands, read as git reads it."""
    text = _bytes(pointer, CONFIG_BYTES) or b""
    name = os.fsdecode(text.removeprefix(prefix).rstrip(b"\r\n").partition(b"\0")[0])
    return pointer.parent / name if name else pointer


class _Survey:
    """One look at a repository, with a limit on how far it goes."""

    def __init__(self, subcommand: str) -> None:
        self._alias = subcommand
        self._left = DIRECTORIES_AT_MOST

    def repository(self, git_directory: Path, tree: Path, *, submodule: bool = False) -> str:
        self._left -= 1
        if self._left < 0:
            return _UNREADABLE
        places = [git_directory]
        if os.path.lexists(f"{git_directory}/commondir"):
            places.append(_led_to(git_directory / "commondir"))
        for place in places:
            if found := self._place(place, tree, submodule=submodule):
                return found
        return self._linked(git_directory, tree)

    def _place(self, place: Path, tree: Path, *, submodule: bool) -> str:
        for name in ("config", "config.worktree"):
            if found := self._file(f"{place}/{name}", tree, submodule=submodule):
                return found
        if os.path.lexists(f"{place}/hooks/{_HOOK}"):
            return _HOOK
        if not os.path.lexists(f"{place}/modules"):
            return ""
        return self._modules(place / "modules")

    def _file(self, path: str, tree: Path, *, submodule: bool) -> str:
        if not os.path.lexists(path):
            return ""
        text = _bytes(path, CONFIG_BYTES)
        if text is None:
            return _UNREADABLE
        for section, key, value in _settings(text):
            hooks = (section, key) == ("core", "hookspath")
            if (hooks and _has_hook(tree, value)) or self._runs(
                section, key, value, submodule=submodule
            ):
                return f"{section}.{key}" if section else key
        return ""

    def _runs(self, section: str, key: str, value: str, *, submodule: bool) -> bool:
        if section == "":
            return True
        if section == "alias" and self._alias:
            return key == self._alias
        if section == "core" and key == "fsmonitor":
            return submodule and value.lower() not in _HARMLESS
        if submodule and key == "worktree":
            return False
        if (section, key) == ("diff", "submodule"):
            return value.lower() not in {"short", "log"}
        return key in _PROGRAMS.get(section, ())

    def _modules(self, folder: Path) -> str:
        """Submodules keep their configuration below `modules`, at the depth of their names."""
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            try:
                names = [entry.name for entry in current.iterdir()]
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                return _UNREADABLE
            self._left -= 1
            if self._left < 0:
                return _UNREADABLE
            if "HEAD" in names or "config" in names:
                for name in ("config", "config.worktree"):
                    if found := self._file(f"{current}/{name}", current, submodule=True):
                        return found
                names = ["modules"]
            waiting += [current / name for name in names]
        return ""

    def _linked(self, git_directory: Path, tree: Path) -> str:
        """Repositories that the index links to, wherever in the tree their own directory is."""
        for index in _indexes(git_directory):
            paths = _links(index)
            if paths is None:
                return _UNREADABLE
            for path in paths:
                nested = tree / path
                for inner in _candidates(str(nested)):
                    if found := self.repository(inner, nested, submodule=True):
                        return found
        return ""


def _has_hook(tree: Path, value: str) -> bool:
    """Whether a folder of hooks holds the one that counts. A value that is more than a plain path
    may mean any folder."""
    if not re.fullmatch(r"[\w./~+@-]*", value):
        return True
    return os.path.lexists(spelled(tree, value) / _HOOK)


def _indexes(git_directory: Path) -> Iterator[Path]:
    """The index, and the ones that it may share entries with."""
    index = git_directory / "index"
    if os.path.lexists(index):
        yield index
        yield from git_directory.glob("sharedindex.*")


_LINK_MODE = b"\0\0\xe0\0"
_LINK = rb"(?s)\0\0\xe0\0.{32}(..)"
_EXTENDED = 0x40
_COMPRESSED = 4


def _links(index: Path) -> list[str] | None:
    """The paths of an index that are repositories of their own; None when it cannot be told."""
    data = _bytes(index, INDEX_BYTES)
    if data is None:
        return None
    if _LINK_MODE not in data:
        return []
    if int.from_bytes(data[4:8], "big") >= _COMPRESSED:
        return None
    found: list[str] = []
    for match in re.finditer(_LINK, data):
        start = match.end() + (2 if match[1][0] & _EXTENDED else 0)
        name = data[start : data.find(b"\0", start)]
        if name and not name.startswith(b"/"):
            found.append(os.fsdecode(name))
    return found


_HEADER = r'\[[ \t]*([A-Za-z0-9.-]+)[ \t]*(?:"((?:[^"\\]|\\.)*)")?[ \t]*\]'
_SETTING = r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?"


def _settings(text: bytes) -> Iterator[tuple[str, str, str]]:
    """Section and key in lower case, without the subsection, and the value. Where this reader does
    not understand a line: a setting without section."""
    section = ""
    for line in text.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"):
        rest = line.strip(" \t\r\v\f")
        while rest.startswith("["):
            header = re.match(_HEADER, rest)
            if header is None:
                yield "", _UNREADABLE, ""
                return
            section, _, sub = header[1].lower().partition(".")
            rest = rest[header.end() :].lstrip(" \t")
            if section == "alias" and (header[2] or sub):
                yield section, (header[2] or sub).lower(), ""
        if not rest or rest[0] in "#;":
            continue
        setting = re.match(_SETTING, rest)
        if setting is not None and section:
            yield section, setting[1].lower(), (setting[2] or "").strip(' \t\r"')


def _bytes(path: str | Path, limit: int) -> bytes | None:
    """The whole of a plain file; None when it is no such file, too long or not readable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        return os.read(descriptor, status.st_size)
    except OSError:
        return None
    finally:
        os.close(descriptor)
