"""The built-in table of commands that only read.

A command is read-only when its name is in the table and every word that begins with a dash is on
its list, exactly as spelled: abbreviations, unknown flags and flags after `--` are not on it. Flags
that write, run something, take their input from a list in a file or follow links out of the tree
are left out on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from induscode.policy.wordlist import words

__all__ = ["is_read_only", "takes_paths"]


class _Spec(Struct, frozen=True):
    """`short` flags may be clustered; `valued` ones take a value, glued or as the next word;
    `long` are whole words up to `=`; `number` allows `-20`; `operands` False allows none;
    `paths` says that operands name files; `needs` are words of which operands need one."""

    short: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    number: bool = False
    operands: bool = True
    paths: bool = True
    needs: frozenset[str] = frozenset()


_ANY_TEXT = _Spec(paths=False)

_TABLE: Mapping[str, _Spec] = MappingProxyType(
    {
        "ls": _Spec(
            "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1",
            "ITw",
            words(
                "--all --almost-all --color --classify --directory --full-time"
                " --group-directories-first --human-readable --inode --no-group --recursive"
                " --reverse --size --sort --time --time-style --format --width --hide --ignore"
            ),
        ),
        "cat": _Spec("AbeEnstTuv", long=words("--number --number-nonblank --show-all")),
        "head": _Spec("qvz", "nc", words("--lines --bytes --quiet --verbose"), number=True),
        "tail": _Spec("qvz", "nc", words("--lines --bytes --quiet --verbose"), number=True),
        "wc": _Spec("clmLw", long=words("--lines --words --bytes --chars --max-line-length")),
        "pwd": _Spec("LP", operands=False),
        "which": _Spec("as", long=words("--all"), paths=False),
        "stat": _Spec("Lftx", "c", words("--format --printf --terse --dereference")),
        "file": _Spec("bhiIk0", long=words("--brief --mime --mime-type --mime-encoding")),
        "du": _Spec(
            "abchklmsSx0",
            "dt",
            words("--all --apparent-size --bytes --total --human-readable --max-depth --summarize"),
        ),
        "df": _Spec("ahHiklPT", long=words("--all --human-readable --inodes --print-type --total")),
        "uname": _Spec("asnrvmpio", long=words("--all"), operands=False),
        "whoami": _Spec(operands=False),
        "grep": _Spec(
            "abcEFGhHiIlLnoPqrsTUvVwxyzZ",
            "ABCDdem",
            words(
                "--after-context --before-context --binary-files --color --colour --context"
                " --count --exclude --exclude-dir --extended-regexp --files-with-matches"
                " --files-without-match --fixed-strings --ignore-case --include --invert-match"
                " --line-number --line-regexp --max-count --no-filename --no-messages"
                " --only-matching --perl-regexp --quiet --recursive --regexp --with-filename"
                " --word-regexp"
            ),
            number=True,
        ),
        "rg": _Spec(
            "abcFhHiIlnNopPqsSuUvVwxz0",
            "ABCegjmMrtT",
            words(
                "--after-context --before-context --case-sensitive --color --column --context"
                " --count --count-matches --files --files-with-matches --files-without-match"
                " --fixed-strings --glob --heading --hidden --iglob --ignore-case --invert-match"
                " --json --line-number --line-regexp --max-columns --max-count --max-depth"
                " --multiline --no-filename --no-heading --no-ignore --no-line-number"
                " --only-matching --pcre2 --quiet --regexp --replace --smart-case --sort --sortr"
                " --stats --trim --type --type-list --type-not --vimgrep --with-filename"
                " --word-regexp"
            ),
        ),
        "find": _Spec(
            long=words(
                "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype"
                " -type -size -maxdepth -mindepth -mtime -mmin -atime -amin -ctime -cmin -newer"
                " -newermt -empty -print -print0 -printf -ls -not -o -or -a -and -prune -perm"
                " -user -group -nouser -nogroup -links -inum -quit -depth -xdev -mount -true"
                " -false -readable -writable -executable -P"
            )
        ),
        "sort": _Spec(
            "bcCdfghimMnrRsuVz",
            "kt",
            words(
                "--check --dictionary-order --field-separator --general-numeric-sort"
                " --human-numeric-sort --ignore-case --key --numeric-sort --reverse --stable"
                " --unique --version-sort"
            ),
        ),
        "uniq": _Spec("cdDiuz", "fsw", words("--count --repeated --unique"), operands=False),
        "cut": _Spec("snz", "bcdf", words("--bytes --characters --delimiter --fields")),
        "diff": _Spec(
            "abBcdeiNpqstTuwyZ",
            "CUW",
            words(
                "--brief --color --context --ignore-all-space --ignore-blank-lines"
                " --ignore-case --ignore-space-change --new-file --report-identical-files"
                " --side-by-side --unified"
            ),
        ),
        "cmp": _Spec("bls", "in", words("--print-bytes --verbose --quiet --silent")),
        "tree": _Spec("aACdDfFghinNpQrsStuUvx", "LIP", words("--dirsfirst --du --noreport --si")),
        "basename": _Spec("az", "s", words("--multiple --suffix"), paths=False),
        "dirname": _Spec("z", paths=False),
        "realpath": _Spec("emsz", long=words("--canonicalize-existing --relative-to")),
        "readlink": _Spec("efmnz"),
        "md5sum": _Spec("bt"),
        "sha1sum": _Spec("bt"),
        "sha256sum": _Spec("bt"),
        "nl": _Spec("p", "bdfhilnsvw"),
        "true": _ANY_TEXT,
        "false": _ANY_TEXT,
        "id": _Spec("gGnru", paths=False),
        "nproc": _Spec(operands=False),
        "arch": _Spec(operands=False),
    }
)

_DIFF_FLAGS = words(
    "--abbrev --cached --cc --check --color --color-words --compact-summary --diff-filter"
    " --dirstat --exit-code --find-copies --find-renames --full-index --function-context"
    " --histogram --ignore-all-space --ignore-blank-lines --ignore-space-at-eol"
    " --ignore-space-change --inter-hunk-context --merge-base --minimal --name-only"
    " --name-status --no-color --no-ext-diff --no-patch --no-prefix --no-renames --no-textconv"
    " --numstat --patch --patch-with-stat --patience --pickaxe-all --pickaxe-regex --quiet --raw"
    " --relative --shortstat --staged --stat --summary --text --unified --word-diff"
    " --diff-algorithm"
)
_LOG_FLAGS = _DIFF_FLAGS | words(
    "--abbrev-commit --after --all --all-match --ancestry-path --author --author-date-order"
    " --before --branches --cherry-pick --children --committer --date --date-order --decorate"
    " --extended-regexp --first-parent --fixed-strings --follow --format --full-history --graph"
    " --grep --invert-grep --left-right --max-count --merges --min-parents --max-parents"
    " --no-decorate --no-merges --no-notes --not --oneline --parents --pretty"
    " --regexp-ignore-case --remotes --reverse --simplify-merges --since --skip --source --tags"
    " --topo-order --until --walk-reflogs"
)
_LISTING = words("--list -l --contains --no-contains --merged --no-merged --points-at")

_GIT: Mapping[str, _Spec] = MappingProxyType(
    {
        "status": _Spec(
            "bsvz",
            "u",
            words(
                "--ahead-behind --branch --ignored --long --no-ahead-behind --porcelain"
                " --renames --short --show-stash --untracked-files --verbose"
            ),
        ),
        "diff": _Spec("abBDMpquRswz", "CGSU", _DIFF_FLAGS),
        "log": _Spec("abcDEFgiMpqRsuwz", "CGLnSU", _LOG_FLAGS, number=True),
        "show": _Spec("abcDEFgiMpqRsuwz", "CGLnSU", _LOG_FLAGS, number=True),
        "branch": _Spec(
            "alqrv",
            long=_LISTING
            | words(
                "--abbrev --all --color --column --format --ignore-case --no-color --no-column"
                " --remotes --show-current --sort --verbose"
            ),
            paths=False,
            needs=_LISTING,
        ),
        "tag": _Spec(
            "l",
            "n",
            _LISTING | words("--format --sort"),
            paths=False,
            needs=_LISTING,
        ),
        "remote": _Spec("v", long=words("--verbose"), operands=False),
        "rev-parse": _Spec(
            "q",
            long=words(
                "--abbrev-ref --absolute-git-dir --all --branches --git-dir --git-common-dir"
                " --is-bare-repository --is-inside-work-tree --quiet --short --show-cdup"
                " --show-prefix --show-toplevel --symbolic --symbolic-full-name --tags --verify"
            ),
        ),
        "ls-files": _Spec(
            "cdikmostuvz",
            long=words(
                "--cached --deleted --directory --error-unmatch --exclude-standard --full-name"
                " --ignored --killed --modified --others --stage --unmerged"
            ),
        ),
        "ls-tree": _Spec("drtlz", long=words("--name-only --full-name --long --full-tree")),
        "blame": _Spec("bcefklnpstw", "LMC", words("--date --porcelain --show-email --show-name")),
        "describe": _Spec(long=words("--all --always --dirty --long --tags --abbrev --match")),
        "shortlog": _Spec("cens", long=words("--email --numbered --summary --since --until --all")),
        "cat-file": _Spec("epst"),
        "merge-base": _Spec("a", long=words("--all --is-ancestor --octopus --fork-point")),
    }
)


def is_read_only(command: tuple[str, ...]) -> bool:
    """Whether a command of plain command only reads, whatever its operands name."""
    name = command[0]
    if name in {"echo", "printf"}:
        return True
    if name == "date":
        return all(_date_word(word) for word in command[1:])
    if name == "git":
        return _git_reads(command[2:] if command[1:2] == ("--no-pager",) else command[1:])
    spec = _TABLE.get(name)
    return spec is not None and _fits(spec, command[1:])


def takes_paths(command: tuple[str, ...]) -> bool:
    """Whether operands of this read-only command name files, so that their place matters."""
    name = command[0]
    if name == "git":
        spec = _GIT.get(next((word for word in command[1:] if not word.startswith("-")), ""))
    else:
        spec = _TABLE.get(name, _ANY_TEXT)
    return spec is None or spec.paths


def _date_word(word: str) -> bool:
    return word.startswith(("+", "--iso-8601", "--rfc-3339", "-I")) or word in {
        "-u",
        "-R",
        "--utc",
        "--universal",
        "--rfc-email",
    }


def _git_reads(given: tuple[str, ...]) -> bool:
    if given in {("--version",), ("version",), ("stash", "list")}:
        return True
    spec = _GIT.get(given[0]) if given else None
    return spec is not None and _fits(spec, given[1:])


def _fits(spec: _Spec, given: tuple[str, ...]) -> bool:
    flags = [word for word in given if word.startswith("-") and word != "-"]
    if len(flags) < len(given):
        needed = not spec.needs or any(flag.partition("=")[0] in spec.needs for flag in flags)
        if not spec.operands or not needed:
            return False
    return all(_flag_fits(spec, flag) for flag in flags)


def _flag_fits(spec: _Spec, flag: str) -> bool:
    if flag == "--" or flag.partition("=")[0] in spec.long:
        return True
    if flag.startswith("--"):
        return False
    if spec.number and flag[1:].isdigit():
        return True
    for letter in flag[1:]:
        if letter in spec.valued:
            return True
        if letter not in spec.short:
            return False
    return True
