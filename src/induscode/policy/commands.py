"""The built-in table of commands that only read.

A command is read-only when its name is in the table and every word that begins with a dash is on
its list, exactly as spelled: abbreviations, unknown flags and flags after `--` are not on it. Flags
that write, run something, take their input from a list in a file or follow links out of the tree
are left out on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from induscode.policy.flagspec import Spec, fits
from induscode.policy.git_table import GIT
from induscode.policy.wordlist import words

__all__ = ["is_known", "is_read_only", "takes_paths"]


_ANY_TEXT = Spec(paths=False)

_TABLE: Mapping[str, Spec] = MappingProxyType(
    {
        "ls": Spec(
            "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1",
            "ITw",
            words(
                "--all --almost-all --color --classify --directory --full-time"
                " --group-directories-first --human-readable --inode --no-group --recursive"
                " --reverse --size --sort --time --time-style --format --width --hide --ignore"
            ),
        ),
        "cat": Spec("AbeEnstTuv", long=words("--number --number-nonblank --show-all")),
        "head": Spec("qvz", "nc", words("--lines --bytes --quiet --verbose"), number=True),
        "tail": Spec("qvz", "nc", words("--lines --bytes --quiet --verbose"), number=True),
        "wc": Spec("clmLw", long=words("--lines --words --bytes --chars --max-line-length")),
        "pwd": Spec("LP", operands=False),
        "which": Spec("as", long=words("--all"), paths=False),
        "stat": Spec("Lftx", "c", words("--format --printf --terse --dereference")),
        "file": Spec("bhiIk0", long=words("--brief --mime --mime-type --mime-encoding")),
        "du": Spec(
            "abchklmsSx0",
            "dt",
            words("--all --apparent-size --bytes --total --human-readable --max-depth --summarize"),
        ),
        "df": Spec("ahHiklPT", long=words("--all --human-readable --inodes --print-type --total")),
        "uname": Spec("asnrvmpio", long=words("--all"), operands=False),
        "whoami": Spec(operands=False),
        "grep": Spec(
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
        "rg": Spec(
            "abcFhHiIlnNopPqsSuUvVwx0",
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
        "find": Spec(
            long=words(
                "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype"
                " -type -size -maxdepth -mindepth -mtime -mmin -atime -amin -ctime -cmin -newer"
                " -newermt -empty -print -print0 -printf -ls -not -o -or -a -and -prune -perm"
                " -user -group -nouser -nogroup -links -inum -quit -depth -xdev -mount -true"
                " -false -readable -writable -executable -P"
            ),
            number=True,
        ),
        "sort": Spec(
            "bcCdfghimMnrRsuVz",
            "kt",
            words(
                "--check --dictionary-order --field-separator --general-numeric-sort"
                " --human-numeric-sort --ignore-case --key --numeric-sort --reverse --stable"
                " --unique --version-sort"
            ),
        ),
        "uniq": Spec("cdDiuz", "fsw", words("--count --repeated --unique"), operands=False),
        "cut": Spec("snz", "bcdf", words("--bytes --characters --delimiter --fields")),
        "diff": Spec(
            "abBcdeiNpqstTuwyZ",
            "CUW",
            words(
                "--brief --color --context --ignore-all-space --ignore-blank-lines"
                " --ignore-case --ignore-space-change --new-file --report-identical-files"
                " --side-by-side --unified"
            ),
        ),
        "cmp": Spec("bls", "in", words("--print-bytes --verbose --quiet --silent")),
        "tree": Spec("aACdDfFghinNpQrsStuUvx", "LIP", words("--dirsfirst --du --noreport --si")),
        "basename": Spec("az", "s", words("--multiple --suffix"), paths=False),
        "dirname": Spec("z", paths=False),
        "realpath": Spec("emsz", long=words("--canonicalize-existing --relative-to")),
        "readlink": Spec("efmnz"),
        "md5sum": Spec("bt"),
        "sha1sum": Spec("bt"),
        "sha256sum": Spec("bt"),
        "nl": Spec("p", "bdfhilnsvw"),
        "true": _ANY_TEXT,
        "false": _ANY_TEXT,
        "id": Spec("gGnru", paths=False),
        "nproc": Spec(operands=False),
        "arch": Spec(operands=False),
        "uptime": Spec("ps", operands=False),
        "free": Spec("bghkmtw", operands=False),
        "hostname": Spec("fis", operands=False),
        "comm": Spec("123", long=words("--check-order --nocheck-order --total")),
        "tac": Spec(),
        "rev": Spec(),
        "paste": Spec("sz", "d"),
        "seq": Spec("w", "s", words("--separator --equal-width"), paths=False),
        "od": Spec("abcdfhilosvx", "AjNtw"),
        "cksum": Spec(),
        "sha512sum": Spec("bt"),
        "type": Spec("afpPt", paths=False),
    }
)


def is_known(name: str) -> bool:
    """Whether the table says what a command of this name does with its words."""
    return name in _TABLE or name in {"echo", "printf", "date", "git", "jq"}


def is_read_only(command: tuple[str, ...]) -> bool:
    """Whether a plain command only reads, whatever its operands name."""
    name, given = command[0], command[1:]
    if len(given) == 1 and given[0] == "--version":
        return name in _TELL_THEIR_VERSION
    if (reads := _BY_HAND.get(name)) is not None:
        return reads(given)
    spec = _TABLE.get(name)
    return spec is not None and fits(spec, given)


def takes_paths(command: tuple[str, ...]) -> bool:
    """Whether operands of this read-only command name files, so that their place matters."""
    name = command[0]
    if name in {"sed", "jq"}:
        return True
    if name == "git":
        spec = GIT.get(next((word for word in command[1:] if not word.startswith("-")), ""))
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


def _date_reads(given: tuple[str, ...]) -> bool:
    return all(_date_word(word) for word in given)


def _git_reads(given: tuple[str, ...]) -> bool:
    if given[:1] == ("--no-pager",):
        given = given[1:]
    if given in {("version",), ("stash", "list"), ("worktree", "list")}:
        return True
    spec = GIT.get(given[0]) if given else None
    return spec is not None and fits(spec, given[1:])


def _printf_reads(given: tuple[str, ...]) -> bool:
    """`-v` takes a name, and bash runs what stands in the brackets of a name."""
    return not given or not given[0].startswith("-")


def _sed_reads(given: tuple[str, ...]) -> bool:
    """Only the printing of lines by number: any other script may write or run something."""
    if len(given) < _SED_WORDS or given[0] != "-n":
        return False
    return bool(re.fullmatch(_SED_PRINTS, given[1])) and not any(
        word.startswith("-") for word in given[2:]
    )


def _jq_reads(given: tuple[str, ...]) -> bool:
    """A program may read other files only by these two words, wherever they stand."""
    if any(re.search(r"\b(?:import|include)\b", word) for word in given):
        return False
    return fits(_JQ, given)


def _command_reads(given: tuple[str, ...]) -> bool:
    return len(given) > 1 and given[0] == "-v" and not any(w.startswith("-") for w in given[1:])


_SED_WORDS = 3
_SED_PRINTS = r"(?:\d+|\$)(?:,(?:\+?\d+|\$))?p"
_JQ = Spec(
    "acCeMnrRsSj",
    long=words(
        "--arg --argjson --ascii-output --color-output --compact-output --exit-status --join-output"
        " --monochrome-output --null-input --raw-input --raw-output --slurp --sort-keys --tab"
    ),
)
_BY_HAND: Mapping[str, Callable[[tuple[str, ...]], bool]] = MappingProxyType(
    {
        "echo": lambda _: True,
        "printf": _printf_reads,
        "date": _date_reads,
        "git": _git_reads,
        "sed": _sed_reads,
        "jq": _jq_reads,
        "command": _command_reads,
    }
)
_TELL_THEIR_VERSION = words(
    "python python3 node gcc g++ clang cc make cmake docker git jq rg grep sed tar curl bash pip"
    " pip3 tree gh"
)
"""Programs that say their version and look at nothing in the workspace before. Not those that let
the workspace choose a version of themselves, or a file to run, even for this: cargo, go, npm, yarn,
pnpm, mvn, gradle."""
