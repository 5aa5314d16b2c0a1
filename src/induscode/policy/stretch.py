"""How far the `*` of a rule reaches.

A person who allows `bash(git log *)` means reading history, not `git log --output=FILE`; one who
allows `bash(find *)` does not mean `-exec`. Here is, as data, which words a `*` never covers:
commands that run other commands, programs given inline, flags that write elsewhere or start
something. A rule that spells the whole command out, without `*`, is taken at its word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from induscode.policy.wordlist import words

__all__ = ["INTERPRETERS", "WRAPPERS", "stretches"]

WRAPPERS = words(
    "env timeout xargs sudo doas su nohup nice ionice setsid stdbuf time watch exec eval"
    " command builtin source . coproc parallel ssh rsh chroot unshare nsenter setpriv strace"
    " ltrace flock script expect busybox toybox at batch trap npx bunx uvx if then else elif for"
    " while until case select function do"
)
"""Commands and words of the shell that run another command."""

INTERPRETERS = (
    r"(?:ba|da|z|k|mk|c|tc|fi|a)?sh|(?:python|pypy|ipython|node|nodejs|deno|bun|perl|ruby|irb|php|lua"
    r"|luajit|tclsh|Rscript|java|osascript|pwsh|guile|[gmn]?awk)[\d.]*"
)
"""Commands whose flags may hold a program."""

_PROGRAM_IS_AN_OPERAND = r"[gmn]?awk[\d.]*"
_CODE_FLAG = r"-\w*[cerpE]\w*|--eval|--print|--command|-"
_ONLY_BY_NAME = frozenset({"docker", "podman", "kubectl"})
_GIT_RUNS = words(
    "bisect config credential daemon difftool filter-branch hook instaweb mergetool send-email"
    " submodule remote-ext remote-fd for-each-repo shell upload-pack receive-pack http-backend"
)
_EVALUATE = words(
    "printf test [ [[ let declare typeset local export readonly read unset mapfile readarray wait"
    " getopts set shopt alias enable hash bind complete compgen"
)
"""Builtins that take a name or a sum from a word, and run what stands in the brackets of it."""


def _flags(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_ESCAPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "git": _flags(
            "--output --ext-diff --textconv --upload-pack --receive-pack --exec --exec-path"
            " --config --config-env --open-files-in-pager --extcmd --tool --template --git-dir"
            " --work-tree --namespace -c -C -x -O"
        ),
        "sort": _flags("--output --compress-program --files0-from --temporary-directory -o -T"),
        "find": _flags(
            "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from"
        ),
        "fd": _flags("--exec --exec-batch -x -X"),
        "rg": _flags("--pre --hostname-bin --search-zip --file --ignore-file -f -z"),
        "grep": _flags("--file -f"),
        "tar": _flags(
            "--to-command --checkpoint-action --use-compress-program --info-script"
            " --new-volume-script --rsh-command --rmt-command -I -F"
        ),
        "tree": _flags("--output -o -R"),
        "date": _flags("--set --file -s -f"),
        "file": _flags("--compile -C"),
        "diff": _flags("--paginate -l"),
        "rsync": _flags("--rsh --rsync-path -e"),
        "curl": _flags("--output --output-dir --remote-name --config --upload-file -o -O -K -T"),
        "wget": _flags("--output-document --output-file --execute --use-askpass -O -o -e"),
        "make": _flags("--eval --file --makefile --directory -f -C -E"),
        "go": _flags("-exec -toolexec -ldflags"),
        "npm": _flags("--script-shell --prefix"),
        "pip": _flags("--index-url --extra-index-url --find-links -i -f"),
        "zip": _flags("--unzip-command -T"),
        "man": _flags("--pager --html -P -H"),
        "less": _flags("--log-file -o -O"),
        "sed": _flags("--in-place --expression --file -i -e -f"),
    }
)
_PLAIN_SED = (
    r"(?:[\d,$]*|/[^/\\]*/)"
    r"(?:[pdq=]|s(?P<d>[/|,\#])(?:(?!(?P=d))[^\\])*(?P=d)(?:(?!(?P=d))[^\\])*(?P=d)[gpI\d]*)"
)


def stretches(command: tuple[str, ...], fixed: int) -> bool:
    """Whether the words after the first `fixed` ones, which a `*` would cover, change what runs."""
    covered = command[fixed:]
    name = command[0].rpartition("/")[2]
    if not covered:
        return False
    if name in WRAPPERS or re.fullmatch(_PROGRAM_IS_AN_OPERAND, name):
        return True
    if name in _EVALUATE and any(re.search(r"[$`\[]", word) for word in covered):
        return True
    if re.fullmatch(INTERPRETERS, name):
        return _holds_code(command, fixed)
    if fixed <= 1 and (name in _ONLY_BY_NAME or _git_starts(command)):
        return True
    if name == "sed" and not _plain_sed(command, fixed):
        return True
    return any(_escapes(word, _ESCAPES.get(name, ())) for word in covered)


def _holds_code(command: tuple[str, ...], fixed: int) -> bool:
    """A script's flags are the script's own; flags of the interpreter may be a program."""
    if fixed <= 1:
        return fixed == 0 or command[1].startswith("-")
    if re.fullmatch(_CODE_FLAG, command[fixed - 1]):
        return True
    named = any(not word.startswith("-") for word in command[1:fixed])
    return not named and command[fixed].startswith("-")


def _git_starts(command: tuple[str, ...]) -> bool:
    if command[0].rpartition("/")[2] != "git":
        return False
    if command[1:2] == ("clone",) and any(word.startswith("-u") for word in command):
        return True
    return any(word.startswith("-") or word in _GIT_RUNS for word in command[1:2])


def _plain_sed(command: tuple[str, ...], fixed: int) -> bool:
    """The script is the first operand; it must be a simple one unless the rule spells it out."""
    script = next((at for at, word in enumerate(command[1:], 1) if not word.startswith("-")), 0)
    return 0 < script < fixed or bool(script and re.fullmatch(_PLAIN_SED, command[script]))


def _escapes(word: str, escapes: tuple[str, ...]) -> bool:
    if not word.startswith("-"):
        return False
    name = word.partition("=")[0]
    return any(_is_form_of(name, escape) for escape in escapes)


def _is_form_of(name: str, escape: str) -> bool:
    if escape.startswith("--"):
        # Long flags may be abbreviated, so a beginning counts as the whole.
        return name != "--" and escape.startswith(name)
    if escape[2:]:
        return name in {escape, "-" + escape}
    return not name.startswith("--") and escape[1] in name
