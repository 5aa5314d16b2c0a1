"""Everyday commands that only read, and what they can be made to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.policy.verdict import Allow, Ask
from tests.policy.calls import bash, judge
from tests.policy.hostile_git import repository, run

READ_ONLY = """
ls
ls -la
ls -lah src
ls -1 src/deep
ls -R docs
ls --color=never
pwd
whoami
date
date +%Y-%m-%d
date -u
uname -a
echo hello world
echo "a b" 'c d'
printf '%s' x
true
cat README.md
cat -n src/deep/a.py
cat README.md docs/guide.md
head README.md
head -n 20 README.md
head -20 README.md
head -c 100 README.md
tail -n 5 README.md
tail -5 src/deep/a.py
wc -l README.md
wc -l src/deep/a.py README.md
wc README.md
which python3
which -a git
stat README.md
stat -c %s README.md
file README.md
file -b src/deep/a.py
du -sh .
du -sh src docs
du -h --max-depth=1 .
df -h
grep text README.md
grep -n text README.md
grep -rn text src
grep -rni "some words" src docs
grep -rn --include='*.py' 'def .*(' src
grep -rl text .
grep -c text README.md
grep -A3 -B2 text README.md
grep -E '^(a|b)$' README.md
grep -v text README.md
grep -w text README.md
rg text
rg -n text src
rg -l text
rg --files
rg -g '*.py' text
rg -t py 'class \\w+' src
rg -i --hidden text
find .
find . -name '*.py'
find src -type f
find . -maxdepth 2 -type d
find . -name '*.md' -not -path './docs/*'
find . -mtime -1
find . -size +1M
find . -type f -empty
git status
git status -s
git status --short --branch
git --no-pager log --oneline
git log
git log --oneline -10
git log -n 5 --stat
git log -p -1 README.md
git log --since=yesterday --author=me
git log --graph --oneline --all
git log --format='%h %s'
git diff
git diff --stat
git diff --cached
git diff HEAD~1
git diff main...HEAD -- src
git diff --name-only HEAD^
git show
git show HEAD
git show HEAD:README.md
git show --stat HEAD~2
git branch
git branch -a
git branch --show-current
git branch --list 'feature/*'
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files --others --exclude-standard
git blame README.md
git remote -v
git stash list
sort README.md
sort -u README.md
diff README.md docs/guide.md
diff -u README.md docs/guide.md
tree -L 2
basename src/deep/a.py
dirname src/deep/a.py
realpath src
sed -n 1,20p README.md
sed -n '5,$p' src/deep/a.py
jq . package.json
jq -r '.scripts | keys[]' package.json
command -v git
type git
git grep -n text
git config --get user.name
git config --list
git reflog -5
git worktree list
git rev-list --count HEAD
git check-ignore -v .env
git tag -l
git describe --tags --always
git ls-tree --name-only HEAD
git shortlog -sn
git merge-base main HEAD
git --version
python3 --version
node --version
make --version
uptime
free -h
nproc
od -c README.md
cargo --version
npm ls
env
ps aux
""".strip().splitlines()
ASKED = ["cargo --version", "npm ls", "env", "ps aux"]
"""The first two may run what the workspace names, the others tell of other programs."""


def test_everyday_commands_that_only_read_ask_almost_never(
    workspace: Path, record_property: Callable[[str, object], None]
) -> None:
    (workspace / ".git/config").write_text("[core]\nbare = false\n")

    asked = [c for c in READ_ONLY if not isinstance(judge(bash(workspace, c), workspace), Allow)]

    record_property("asked", asked)
    assert len(READ_ONLY) == len(set(READ_ONLY)) >= 100
    assert asked == ASKED


async def test_everyday_commands_change_nothing(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    for place in ("src/deep/a.py", "README.md", "docs/guide.md", "package.json"):
        (repo / place).parent.mkdir(parents=True, exist_ok=True)
        (repo / place).write_text('{"scripts": {"text": 1}}\n')
    before = contents(repo)

    for command in READ_ONLY:
        if command not in ASKED:
            await run(command, repo, tmp_path / "spill")

    assert contents(repo) == before
    assert sorted(place.name for place in tmp_path.iterdir()) == ["repo"]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the index of git, in which it notes the times of files."""
    return {
        str(place): place.read_bytes()
        for place in sorted(folder.rglob("*"))
        if place.is_file() and place != folder / ".git/index"
    }


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/passwd",
        "cat ../repo-evil/secret",
        "ls ..",
        "ls /",
        "grep -r text /etc",
        "find / -name x",
        "head -n 1 -- /etc/passwd",
        "git diff --no-index /etc/passwd README.md",
        "git show HEAD:/../x",
        "du -sh ../repo-evil",
        "diff README.md /etc/passwd",
        "stat /etc/shadow",
        "sort -o x README.md",
        "sort --output=x README.md",
        "sort --files0-from=x",
        "find . -delete",
        "find . -exec ls",
        "find . -fprint x",
        "find . -ok ls",
        "find -L . -name x",
        "grep -f x README.md",
        "grep -R text .",
        "rg --pre ./x text",
        "rg -f x text",
        "rg --hostname-bin ./x text",
        "git log --output=x",
        "git log --grep -- --output=x",
        "git diff --output x",
        "git diff --ext-diff",
        "git diff -O x",
        "git branch new",
        "git branch -D main",
        "git branch -m other",
        "git branch --merged=x new -d y",
        "git tag v1",
        "git remote add x y",
        "git stash",
        "git stash drop",
        "git -C .. status",
        "git -c core.pager=x log",
        "git grep -Ox a",
        "git fetch",
        "git",
        "date 01010101",
        "date -s tomorrow",
        "date --set=x",
        "date -f x",
        "tail -f README.md",
        "tree -o x",
        "tree -R -L 1",
        "uniq README.md x",
        "file -C -m x",
        "tee x",
        "ls --frobnicate",
        "wc --files0-from=x",
        "make",
        "python3 -V",
        "python3 --version x",
        "cargo --version",
        "go version",
        "yarn --version",
        "npm --version",
        "mvn --version",
        "./node --version",
        "printf -v 'x[$(touch P)]' y",
        "rg -z text",
        "sed -n '1p;w x' README.md",
        "sed -n 1pw README.md",
        "sed -n 1e README.md",
        "sed -n -i 1p README.md",
        "sed -n 1p README.md --in-place",
        "sed 1p README.md",
        "sed -n 1p /etc/passwd",
        """jq 'import "/etc/x" as $x; $x' a.json""",
        """jq -n 'include "x"; .'""",
        "jq -f x a.json",
        "jq -L x . a.json",
        "jq . /etc/passwd",
        "command rm x",
        "command -v -p x",
        "command -p -v x",
        "hostname evil",
        "git config user.name x",
        "git config --get x --add y",
        "git config --file x --list",
        "git config --unset x",
        "git config -l x y",
        "git reflog expire",
        "git grep -O./x a",
        "git grep --open-files-in-pager=./x a",
        "git grep -f x",
        "git worktree add x",
        "git worktree prune",
        "git stash show -p",
        "comm /etc/passwd README.md",
        "cp a b",
        "Cat README.md",
        "/bin/ls",
    ],
)
def test_what_a_read_only_command_can_be_made_to_do_asks(workspace: Path, command: str) -> None:
    assert isinstance(judge(bash(workspace, command), workspace), Ask)


@pytest.mark.parametrize("folder", ["shims", ".volta/bin"])
def test_a_command_that_a_file_of_the_workspace_chooses_asks(
    workspace: Path, tmp_path: Path, folder: str
) -> None:
    shim = tmp_path / "manager" / folder / "rg"
    shim.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\n")
    shim.chmod(0o755)

    call = bash(workspace, "rg text", environ={"PATH": f"{shim.parent}:/usr/bin"})

    assert isinstance(judge(call, workspace), Ask)
