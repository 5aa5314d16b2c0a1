"""Where a path really leads, and which places are special.

`resolve` and the functions that build subjects look at the disk; `inside`, `protected` and
`forbidden` are pure and judge what `resolve` returned.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from induscode.policy.environment import find_program
from induscode.policy.shellwords import literals, plain_words
from induscode.policy.subject import Access, CommandSubject, PathSubject
from induscode.policy.wordlist import words

__all__ = [
    "command_subject",
    "forbidden",
    "inside",
    "path_subject",
    "protected",
    "resolve",
    "spelled",
]


def resolve(cwd: Path, text: str) -> Path:
    """The real place that `text` names from `cwd`: `~` expanded, links followed as far as anything
    exists, the rest joined and normalised. Raises ValueError for text that cannot be a path."""
    if not text or "\0" in text:
        raise ValueError("a path must be a text without NUL characters, and not empty")
    return Path(os.path.realpath(_joined(cwd, text)))


def spelled(cwd: Path, text: str) -> Path:
    """The place `text` names from `cwd` if there were no links: `~` expanded, `..` taken off."""
    return Path(os.path.normpath(_joined(cwd, text)))


def _joined(cwd: Path, text: str) -> Path:
    """Not normalised: after a link, `..` leads to where the link's target lies."""
    try:
        return cwd / Path(text).expanduser()
    except RuntimeError:
        return cwd / text


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


def protected(workspace: Path, path: Path) -> str | None:
    """Why writing to this place of the workspace always asks, or None. It need not exist.

    Names are compared without case, as some file systems do.
    """
    parts = [part.lower() for part in str(path)[len(str(workspace)) :].split("/") if part]
    if _OWN_DIRECTORY in parts:
        return f"{_OWN_DIRECTORY}/ holds what governs this program"
    if ".git" in parts:
        within = parts[parts.index(".git") + 1 :]
        if not within or "hooks" in within or within[-1] in {"config", "config.worktree"}:
            return "git runs what its hooks and configuration name"
    if parts and parts[-1] in _START_UP_FILES:
        return "shells run it when they start"
    return None


_PROCESS = r"/proc/[^/]+/(?:task/[^/]+/)?(?:root|environ|mem)(?:/|\Z)|/proc/kcore\Z"
_DEVICE = r"/dev(?!/shm/)(?:/|\Z)"


def forbidden(path: Path, *, devices: bool = True) -> str | None:
    """Why no tool may touch this place in any mode, or None."""
    place = str(path)
    if place.startswith("/proc/") and re.match(_PROCESS, place):
        return "it leads into another process, around every check of paths"
    if devices and place.startswith("/dev") and re.match(_DEVICE, place):
        return "it is a device, not a file"
    return None


def path_subject(cwd: Path, text: str, access: Access) -> PathSubject:
    """The subject of a call that names a path. Raises ValueError as `resolve` does."""
    return PathSubject(path=resolve(cwd, text), named=spelled(cwd, text), access=access)


def command_subject(
    command: str, cwd: Path, environ: Mapping[str, str] | None = None
) -> CommandSubject:
    """The subject of a call that runs a command line, with the places its literals may mean."""
    real = Path(os.path.realpath(cwd))
    places: dict[Path, None] = {}
    for word in _candidates(command):
        if "\0" not in word:
            places |= {spelled(real, word): None, resolve(real, word): None}
    plain = plain_words(command)
    program, shadows = None, False
    if plain is not None:
        around = os.environ if environ is None else environ
        program, shadows = find_program(plain[0], real, around)
    return CommandSubject(
        command=command,
        cwd=real,
        paths=tuple(sorted(places)),
        program=program,
        shadows=shadows,
    )


def _candidates(command: str) -> set[str]:
    """Every literal, and what may be glued to a short flag (`-f.env`)."""
    spoken = {word for group in literals(command) for word in group}
    short = (word for word in spoken if word.startswith("-") and not word.startswith("--"))
    return {word for word in spoken if word != "--"} | {word[2:] for word in short if word[2:]}
