"""The commands of git that only read, if the repository's configuration names no program."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from induscode.policy.flagspec import Spec
from induscode.policy.wordlist import words

__all__ = ["GIT"]

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

GIT: Mapping[str, Spec] = MappingProxyType(
    {
        "status": Spec(
            "bsvz",
            "u",
            words(
                "--ahead-behind --branch --ignored --long --no-ahead-behind --porcelain"
                " --renames --short --show-stash --untracked-files --verbose"
            ),
        ),
        "diff": Spec("abBDMpquRswz", "CGSU", _DIFF_FLAGS),
        "log": Spec("abcDEFgiMpqRsuwz", "CGLnSU", _LOG_FLAGS, number=True),
        "show": Spec("abcDEFgiMpqRsuwz", "CGLnSU", _LOG_FLAGS, number=True),
        "branch": Spec(
            "alqrv",
            long=_LISTING
            | words(
                "--abbrev --all --color --column --format --ignore-case --no-color --no-column"
                " --remotes --show-current --sort --verbose"
            ),
            paths=False,
            needs=_LISTING,
        ),
        "tag": Spec(
            "l",
            "n",
            _LISTING | words("--format --sort"),
            paths=False,
            needs=_LISTING,
        ),
        "remote": Spec("v", long=words("--verbose"), operands=False),
        "rev-parse": Spec(
            "q",
            long=words(
                "--abbrev-ref --absolute-git-dir --all --branches --git-dir --git-common-dir"
                " --is-bare-repository --is-inside-work-tree --quiet --short --show-cdup"
                " --show-prefix --show-toplevel --symbolic --symbolic-full-name --tags --verify"
            ),
        ),
        "ls-files": Spec(
            "cdikmostuvz",
            long=words(
                "--cached --deleted --directory --error-unmatch --exclude-standard --full-name"
                " --ignored --killed --modified --others --stage --unmerged"
            ),
        ),
        "ls-tree": Spec("drtlz", long=words("--name-only --full-name --long --full-tree")),
        "blame": Spec("bcefklnpstw", "LMC", words("--date --porcelain --show-email --show-name")),
        "describe": Spec(long=words("--all --always --dirty --long --tags --abbrev --match")),
        "shortlog": Spec("cens", long=words("--email --numbered --summary --since --until --all")),
        "cat-file": Spec("epst"),
        "check-ignore": Spec("nqv", long=words("--non-matching --quiet --verbose --no-index")),
        "config": Spec(
            "lz",
            long=words(
                "--list --get --get-all --get-regexp --show-origin --show-scope --name-only"
            ),
            paths=False,
            needs=words("--get --get-all --get-regexp"),
        ),
        "grep": Spec(
            "cEFGhHiIlLnopPqvwW",
            "ABCem",
            words(
                "--and --break --cached --count --extended-regexp --files-with-matches"
                " --files-without-match --fixed-strings --function-context --heading --ignore-case"
                " --invert-match --line-number --max-depth --name-only --not --only-matching --or"
                " --perl-regexp --quiet --show-function --untracked --word-regexp"
            ),
        ),
        "rev-list": Spec("", "n", words("--all --count --max-count --no-merges --since --until")),
        "reflog": Spec("", "n", words("--oneline --date --max-count"), number=True, operands=False),
        "merge-base": Spec("a", long=words("--all --is-ancestor --octopus --fork-point")),
    }
)
