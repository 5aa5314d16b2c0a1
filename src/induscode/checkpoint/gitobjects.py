"""Contents that git has: asked for by `git cat-file`, which only reads.

git is not started where the repository's own configuration would make it run a program; then, and
where git is missing or refuses the repository, everything is kept by ourselves.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from induscode.checkpoint.limits import FILE_BYTES
from induscode.policy.environment import find_program
from induscode.policy.gitconfig import program_named_by_git

__all__ = ["GitObjects", "blob_id"]

_ALONE = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_FIELDS = 3


def blob_id(data: bytes) -> str:
    """The name that git gives to this content."""
    head = b"blob %d\0" % len(data)
    return hashlib.sha1(head + data, usedforsecurity=False).hexdigest()


class GitObjects:
    """The objects of one repository. `environ` is what git finds."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = {**environ, **_ALONE}
        self._usable: bool | None = None
        self._sizes: dict[str, int] = {}

    def usable(self, oid: str) -> bool:
        """Whether git can be asked here; tried once, with an object that must be there."""
        if self._usable is None:
            self._usable = bool(self._command()) and any(True for _ in self.get([oid]))
        return self._usable

    def get(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each object that is there and not too large, verified, in any order."""
        command = self._command()
        wanted = list(dict.fromkeys(oids))
        if not command or not wanted:
            return
        with subprocess.Popen(
            [*command, "cat-file", "--batch"],
            cwd=self._root,
            env=self._environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as git:
            try:
                yield from _asked(git, wanted)
            finally:
                git.kill()

    def sizes(self, oids: Iterable[str]) -> Mapping[str, int]:
        """The size of each object that is there; asked for once."""
        command = self._command()
        fresh = [oid for oid in oids if oid not in self._sizes]
        if command and fresh:
            done = subprocess.run(
                [*command, "cat-file", "--batch-check=%(objectname) %(objectsize)"],
                cwd=self._root,
                env=self._environ,
                input="\n".join(fresh).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            for oid, size in (line.split(maxsplit=1) for line in done.stdout.splitlines()):
                if size.isdigit():
                    self._sizes[oid.decode()] = int(size)
        return self._sizes

    def _command(self) -> list[str]:
        """How git is started; empty where it must not be."""
        program, _ = find_program("git", self._root, self._environ)
        if program is None or program.is_relative_to(self._root):
            return []
        return [] if program_named_by_git(self._root) else [str(program)]


def _asked(git: subprocess.Popen[bytes], wanted: list[str]) -> Iterator[tuple[str, bytes]]:
    if git.stdin is None or git.stdout is None:
        return
    for oid in wanted:
        try:
            git.stdin.write(f"{oid}\n".encode())
            git.stdin.flush()
        except OSError:
            return
        words = git.stdout.readline().split()
        if not words:
            return
        if len(words) < _FIELDS or words[1] != b"blob":
            continue
        size = int(words[2])
        data = git.stdout.read(min(size, FILE_BYTES) + 1)
        left = size + 1 - len(data)
        while left > 0 and (more := git.stdout.read(min(left, FILE_BYTES))):
            left -= len(more)
        if blob_id(data[:-1]) == oid:
            yield oid, data[:-1]
