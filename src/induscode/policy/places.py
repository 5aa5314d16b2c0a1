"""Where a path really leads, and which places are special.

`resolve` and `spelled` look at the disk (links, the home directory); `inside`, `protected` and
`forbidden` are pure and judge what those returned.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from induscode.policy.wordlist import words

__all__ = ["forbidden", "inside", "is_directory", "is_link", "protected", "resolve", "spelled"]


def resolve(cwd: Path, text: str) -> Path:
    """The real place that `text` names from `cwd`: `~` expanded, links followed as far as anything
    exists, the rest joined and normalised. A link that turns in a circle, or that may not be read,
    is kept as it is spelled. Raises ValueError for text that cannot be a path."""
    if not text or "\0" in text:
        raise ValueError("a path must be a text without NUL characters, and not empty")
    joined = _joined(cwd, text)
    try:
        return Path(os.path.realpath(joined))
    except OSError:
        return Path(os.path.normpath(joined))


def spelled(cwd: Path, text: str) -> Path:
    """The place `text` names from `cwd` if there were no links: `~` expanded, `..` taken off."""
    return Path(os.path.normpath(_joined(cwd, text)))


def _joined(cwd: Path, text: str) -> str:
    """Not normalised: after a link, `..` leads to where the link's target lies. Two slashes at the
    beginning are one, as Linux and macOS read them; Python would keep both."""
    expanded = _from_home(text) if text.startswith("~") else text
    if expanded[0:1] == "/":
        return "/" + expanded.lstrip("/")
    return f"{str(cwd).rstrip('/')}/{expanded}"


def _from_home(text: str) -> str:
    try:
        return str(Path(text).expanduser())
    except RuntimeError:
        return text


def is_directory(path: Path) -> bool:
    """Whether a directory is there, links followed; what cannot be looked at is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_link(path: Path) -> bool:
    """Whether the last name is a link; what cannot be looked at is none."""
    try:
        return path.is_symlink()
    except OSError:
        return False


def inside(workspace: Path, path: Path) -> bool:
    """Whether a resolved path is the workspace or below it. `/repo-evil` is not inside `/repo`."""
    root, place = str(workspace), str(path)
    if not place.startswith(root):
        return False
    return len(place) == len(root) or place[len(root)] == "/" or root == "/"


_START_UP_FILES = words(
    """
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
    .zlogin .zlogout .kshrc .cshrc .tcshrc .login .logout config.fish
    """
)
_OWN_DIRECTORY = ".indus"
_GIT_CONFIGURATION = frozenset({"config", "config.worktree", "commondir", "gitdir"})
_STARTERS = frozenset(
    {
        (".claude", "settings.json"),
        (".claude", "settings.local.json"),
        (".vscode", "settings.json"),
        (".vscode", "tasks.json"),
    }
)


def protected(workspace: Path, path: Path) -> str | None:
    """Why writing to this place of the workspace always asks, or None. It need not exist.

    Protected is what some program runs, or takes its orders from, by itself: our own directory,
    git's hooks and configuration (and the files that lead git to another configuration), start-up
    files of shells, `.mcp.json`, and the settings in which other agents and an editor name commands
    that they then run unasked. Not protected is what only runs when a person calls for it
    (Makefile, package.json, `.husky/`), what its program asks about itself after a change
    (`.envrc`), and what is ordinary writing for an agent (AGENTS.md).

    Names are compared without case, as some file systems do.
    """
    parts = [part.lower() for part in str(path)[len(str(workspace)) :].split("/") if part]
    if not parts:
        return None
    if _OWN_DIRECTORY in parts:
        return f"{_OWN_DIRECTORY}/ holds what governs this program"
    if ".git" in parts:
        within = parts[parts.index(".git") + 1 :]
        if not within or "hooks" in within or within[-1] in _GIT_CONFIGURATION:
            return "git runs what its hooks and configuration name"
    if parts[-1] in _START_UP_FILES:
        return "shells run it when they start"
    if parts[-1] == ".mcp.json" or tuple(parts[-2:]) in _STARTERS:
        return "it names programs that agents and editors start by themselves"
    return None


_PROCESS = (
    r"/proc/[^/]+/(?:task/[^/]+/)?(?:(?:root|cwd|environ|mem)(?:/|\Z)|(?:fd|map_files)/.)"
    r"|/proc/kcore\Z"
)
_DEVICE = r"/dev(?!/shm/)(?:/|\Z)"


def forbidden(path: Path, *, devices: bool = True) -> str | None:
    """Why no tool may touch this place in any mode, or None."""
    place = str(path)
    if place.startswith("/proc/") and re.match(_PROCESS, place, re.DOTALL):
        return "it leads into another process, around every check of paths"
    if devices and place.startswith("/dev") and re.match(_DEVICE, place):
        return "it is a device, not a file"
    return None
