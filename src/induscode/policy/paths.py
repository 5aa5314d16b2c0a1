"""Subjects of calls: what a path or a command line is about, with facts from the disk.

The face of this part: `places` says where a path leads and which places are special.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from induscode.policy.braces import UNKNOWN, UNMARKED
from induscode.policy.commands import is_known, is_read_only
from induscode.policy.environment import find_program
from induscode.policy.git_table import GIT
from induscode.policy.gitconfig import program_named_by_git
from induscode.policy.globs import GlobSearch, is_live
from induscode.policy.literals import Group, pieces, read_literals, unmarked
from induscode.policy.places import (
    forbidden,
    inside,
    is_directory,
    is_link,
    protected,
    resolve,
    spelled,
)
from induscode.policy.reach import reaches
from induscode.policy.shellwords import plain_words
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

DIRECTORIES_AT_MOST = 64
"""How many directories a command may change to, as far as its words are read from there."""

LOOKS_AT_MOST = 20_000
"""How often a word is tried as a directory."""

PLACES_AT_MOST = 4096
"""How many places the words of one command may mean."""

_GLUED_LETTERS = 8
_OTHER_GLOBBING = ("dotglob", "extglob", "nocaseglob", "globstar", "GLOBIGNORE")
_STAY = words("ls echo printf tree du stat")
_ONLY_NAMES = _STAY | {"find"}
_OWN_STREAM = r"/dev/(?:null|zero|full|tty|u?random|std(?:in|out|err)|fd/\d+)"


def path_subject(cwd: Path, text: str, access: Access) -> PathSubject:
    """The subject of a call that names a path. Raises ValueError as `resolve` does."""
    return PathSubject(path=resolve(cwd, text), named=spelled(cwd, text), access=access)


def command_subject(
    command: str, cwd: Path, environ: Mapping[str, str] | None = None
) -> CommandSubject:
    """The subject of a call that runs a command line, with the places its literals may mean."""
    real = Path(os.path.realpath(cwd))
    plain = plain_words(command)
    survey = _Survey(command, real, plain)
    program, shadows, git_runs = None, False, ""
    if plain is not None:
        around = os.environ if environ is None else environ
        program, shadows = find_program(plain[0], real, around)
        if plain[0].rpartition("/")[2] == "git":
            called = plain[1] if plain[1:] and plain[1] not in GIT else ""
            git_runs = program_named_by_git(real, called)
    return CommandSubject(
        command=command,
        cwd=real,
        paths=tuple(survey.here),
        program=program,
        shadows=shadows,
        groups=survey.groups,
        elsewhere=tuple(survey.elsewhere),
        perhaps=tuple(survey.perhaps),
        below=tuple(survey.below),
        unsure=not survey.complete,
        git_runs=git_runs,
    )


class _Survey:
    """The places that a command line may touch.

    `here`: what its words name from the working directory, patterns expanded. `elsewhere`: the
    same words from every directory that another word names (`cd sub && cat x`, `make -C sub x`).
    `perhaps`: what patterns would match if quoted text came to a shell, or if the shell were told
    to match hidden names. `below`: directories whose contents the command reads or hands on.
    """

    def __init__(self, command: str, cwd: Path, plain: tuple[str, ...] | None) -> None:
        reading = read_literals(command, plain)
        self.here: dict[Path, None] = {}
        self.elsewhere: dict[Path, None] = {}
        self.perhaps: dict[Path, None] = {}
        self.below: dict[Path, None] = {}
        self.complete = reading.complete
        self._cwd = cwd
        self._bases: list[Path] = []
        self._globs = GlobSearch()
        groups = tuple(self._found(group) for group in reading.groups)
        self.groups = (*groups, *pieces(groups))
        named, after = _around_variables(reading.groups)
        words = _candidates(self.groups)
        moved = tuple(group for group in groups if group and group[0] not in _STAY)
        moving = _candidates((*moved, *pieces(moved)))
        self._add(self.here, cwd, sorted(words | named))
        if plain is None or not is_read_only(plain):
            self._look_from_elsewhere(words | after, moving, reading.groups)
            self.complete = self.complete and not any(word in command for word in _OTHER_GLOBBING)
        self._look_below(groups)
        self.complete = self.complete and self._globs.complete

    def _found(self, group: Group) -> tuple[str, ...]:
        """The words of a group as the shell would give them, patterns replaced by what they find.
        Quoted text keeps its patterns: it is mostly not for a shell."""
        if not any(is_live(word) for word in group.words):
            return unmarked(group.words)
        tells_names = group.words[0] in _ONLY_NAMES
        found: list[str] = []
        met: set[str] = set()
        for word in group.words:
            if not is_live(word):
                found.append(word.translate(UNMARKED))
                continue
            if word not in met and not tells_names and not is_known(group.within):
                self._add(
                    self.perhaps, self._cwd, self._globs.matches(self._cwd, word, hidden=True)
                )
            met.add(word)
            certain = not group.quoted and UNKNOWN not in word
            matches = self._globs.matches(self._cwd, word) if certain else []
            if len(found) > PLACES_AT_MOST:
                self.complete = False
                matches = []
            found += matches or [word.translate(UNMARKED)]
        return tuple(word for word in found if word)

    def _look_from_elsewhere(
        self, words: set[str], moving: set[str], groups: Iterable[Group]
    ) -> None:
        patterns = {
            word
            for group in groups
            for word in group.words
            if is_live(word) and group.words[0] not in _ONLY_NAMES and not is_known(group.within)
        }
        relative = sorted(word for word in words if not word.startswith(("/", "~")))
        self._bases = self._directories(sorted(moving), groups)
        for base in self._bases:
            self._add(self.elsewhere, base, relative)
            for pattern in sorted(patterns) if self._globs.complete else ():
                if UNKNOWN not in pattern:
                    self._add(self.elsewhere, base, self._globs.matches(base, pattern))
                self._add(self.perhaps, base, self._globs.matches(base, pattern, hidden=True))

    def _directories(self, words: list[str], groups: Iterable[Group]) -> list[Path]:
        """Every directory that a word names, from the working directory or from another of them."""
        found: dict[Path, None] = {}
        if any(group.words[-1] in {"cd", "pushd"} for group in groups):
            found[resolve(self._cwd, "~")] = None
        waiting = [self._cwd, *found]
        looks_left = LOOKS_AT_MOST
        while waiting:
            base = waiting.pop()
            looks_left -= len(words)
            if looks_left < 0:
                self.complete = False
                break
            for word in words:
                place = _directory(base, word)
                if place is None or place == self._cwd or place in found:
                    continue
                if len(found) >= DIRECTORIES_AT_MOST:
                    self.complete = False
                    return list(found)
                found[place] = None
                waiting.append(place)
        return list(found)

    def _look_below(self, groups: tuple[tuple[str, ...], ...]) -> None:
        bases = [self._cwd, *self._bases]
        for group in groups:
            for reach in reaches(group):
                named = (_directory(base, word) for base in bases for word in reach.operands)
                self.below |= dict.fromkeys(place for place in named if place is not None)
                if reach.everything:
                    self.below |= dict.fromkeys(bases)

    def _add(self, places: dict[Path, None], base: Path, words: Iterable[str]) -> None:
        for word in words:
            if len(places) >= PLACES_AT_MOST:
                self.complete = False
                return
            if "/" not in word and word not in {".", ".."} and word[0] != "~":
                place = base / word
                places[place] = None
                if is_link(place):
                    places[resolve(base, word)] = None
                continue
            places[spelled(base, word)] = None
            if not (word.startswith("/dev/") and re.fullmatch(_OWN_STREAM, word)):
                places[resolve(base, word)] = None


def _directory(base: Path, word: str) -> Path | None:
    """The real directory that a word names, None when it is no directory."""
    if word in {".", "./"}:
        return base
    place = spelled(base, word)
    if ".." in word:
        place = resolve(base, word)
    return resolve(base, word) if is_directory(place) else None


def _candidates(groups: Iterable[tuple[str, ...]]) -> set[str]:
    """Every literal that may be a path, and what may be glued to something in front of it."""
    found: set[str] = set()
    for group in groups:
        for word in group:
            if not word or word == "--" or "\0" in word:
                continue
            found.add(word)
            if word.startswith("-"):
                found.update(_glued(word))
            elif word.startswith("//"):
                found.update(_address(word))
    return found


def _glued(flag: str) -> Iterable[str]:
    """`-f.env`, `-czf.env`: after one letter anything, after several what begins like a path."""
    if flag.startswith("--"):
        return
    if flag[2:]:
        yield flag[2:]
    yield from (flag[at:] for at in range(3, min(len(flag), _GLUED_LETTERS)))


def _address(word: str) -> Iterable[str]:
    """The path of `file://host/path`, whose first part a colon took off."""
    path = "/" + word[2:].partition("/")[2]
    yield re.sub(r"%([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), path)


def _around_variables(groups: Iterable[Group]) -> tuple[set[str], set[str]]:
    """Words with a variable that nobody knows: with a name that stands for it, and the part after
    a directory that it may hold (`$dir/.env`)."""
    words = {word for group in groups for word in group.words if UNKNOWN in word and "/" in word}
    named = {word.replace(UNKNOWN, "$").translate(UNMARKED) for word in words}
    after = {word[2:].translate(UNMARKED) for word in words if word.startswith(UNKNOWN + "/")}
    return named, after - {""}
