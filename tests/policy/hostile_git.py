"""Repositories that somebody prepared, and the commands that are run in them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ShellOutcome
from induscode.tools.local_shell import LocalShell

# Every subcommand of the table, in the forms that show contents or look at the working tree.
READING = """
git status
git status -s -b
git status -v -v
git status --porcelain --ignored -uall
git diff
git diff --cached
git diff HEAD
git diff HEAD~1 HEAD
git diff --stat HEAD~1
git log
git log -p
git log -p -1 --stat
git log -L 1,1:file.x
git log '--format=%G?'
git log --all --graph --oneline
git log -S text
git log -G text
git show
git show HEAD
git show HEAD:file.x
git show HEAD~1 --stat
git branch
git branch -a -v
git branch --list x
git branch '--format=%(refname)'
git tag
git tag -l -n
git remote -v
git rev-parse HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files -m -o -d
git ls-files --stage
git ls-tree -r HEAD
git blame file.x
git blame -w -C file.x
git describe --always
git describe --always --dirty
git shortlog -s
git shortlog HEAD
git cat-file -p HEAD
git cat-file -t HEAD
git merge-base HEAD HEAD~1
git check-ignore -v file.x
git config --list
git config --get user.name
git grep text
git grep -n -w text
git rev-list --count HEAD
git reflog
git stash list
git worktree list
git version
git --version
git --no-pager log -p
""".strip().splitlines()

_ENVIRON = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def git(cwd: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, env=_ENVIRON, check=True, capture_output=True, text=True
    )
    return done.stdout


def repository(at: Path) -> Path:
    """Two commits, a change in the index and one in the working tree, newer than the index."""
    at.mkdir(parents=True, exist_ok=True)
    git(at, "init", "-q", "-b", "main")
    (at / ".gitattributes").write_text("*.x diff=evil filter=evil\n")
    for text in ("one\n", "two text\n"):
        (at / "file.x").write_text(text)
        (at / "other.x").write_text(text)
        git(at, "add", ".")
        git(at, "commit", "-q", "-m", text.strip())
    (at / "other.x").write_text("staged\n")
    git(at, "add", "other.x")
    age(at)
    return at


def age(at: Path) -> None:
    """Let the index think that it must look at the files again."""
    (at / "file.x").write_text("changed text\n")
    last = (at / "other.x").stat().st_mtime
    os.utime(at / "other.x", (last - 10, last - 10))


def canary(folder: Path, name: str = "evil") -> tuple[Path, Path]:
    """A program, and the file that tells that it ran."""
    folder.mkdir(parents=True, exist_ok=True)
    program, trace = folder / name, folder / f"{name}.ran"
    program.write_text(f"#!/bin/sh\n: > '{trace}'\ncat 2>/dev/null\nexit 0\n")
    program.chmod(0o755)
    return program, trace


async def run(command: str, cwd: Path, spill: Path) -> ShellOutcome:
    """As the tool runs it once the gate has allowed it."""
    shell = LocalShell(spill, environ={"PATH": _ENVIRON["PATH"], "HOME": str(spill)})
    return await shell.run(
        command, cwd=cwd, seconds=20, cancel=CancelToken(), progress=lambda _: None
    )
