"""Commands that read or hand on whole directories.

A rule that denies reading `.env` sees `cat .env`. It must not be walked around by naming the
directory instead: `grep -r x .`, `tar c .`, `cp -r . /tmp/x`, `mv config c`, `ls | xargs cat`. For
these the gate is told which directories they reach, and asks where a rule that narrows reading may
speak of something below. Commands that only tell names and sizes (`ls -R`, `find`, `tree`, `du`)
reach nothing, nor does git's own history (`git log -p`): it holds what was committed, not the file.
Programs whose reading nobody can know (`pytest`, `make`) are left to confinement.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from induscode.policy.wordlist import words

__all__ = ["Reach", "reaches"]


class Reach(Struct, frozen=True):
    """`operands` are words that may name directories; `everything` says that the working directory
    is meant, or may be."""

    operands: tuple[str, ...]
    everything: bool = False


class _Walker(Struct, frozen=True):
    """`letters` and `long`: flags of which one is needed, none when both are empty. `not_with`:
    flags that make it harmless. `valued`: short flags that take the next word. `leading`: only
    words before the first flag are operands. `last`: False leaves out the last operand, a
    destination. With fewer operands than `least` it walks the working directory."""

    letters: str = ""
    long: frozenset[str] = frozenset()
    not_with: frozenset[str] = frozenset()
    valued: str = ""
    leading: bool = False
    last: bool = True
    least: int = 0


_NEVER_ENOUGH = sys.maxsize
_SEARCH = _Walker(
    not_with=words("--files --type-list --version --help"), valued="ABCEefgjmMrtTd", least=2
)
_GREP = _Walker(
    "rR",
    words("--recursive --dereference-recursive --directories=recurse recurse -drecurse"),
    valued="ABCDdefm",
    least=2,
)
_COPY = _Walker("rRa", words("--recursive --archive"), last=False)
_MOVE = _Walker(last=False)
_PACK = _Walker()
_FROM_A_PIPE = _Walker(least=_NEVER_ENOUGH)

_WALKERS: Mapping[str, _Walker] = MappingProxyType(
    {
        "rg": _SEARCH,
        "ag": _SEARCH,
        "ack": _SEARCH,
        "grep": _GREP,
        "egrep": _GREP,
        "fgrep": _GREP,
        "zgrep": _GREP,
        "diff": _Walker("r", words("--recursive")),
        "cp": _COPY,
        "scp": _COPY,
        "mv": _MOVE,
        "ln": _MOVE,
        "rsync": _MOVE,
        "tar": _PACK,
        "bsdtar": _PACK,
        "zip": _PACK,
        "7z": _PACK,
        "cpio": _FROM_A_PIPE,
        "xargs": _FROM_A_PIPE,
        "parallel": _FROM_A_PIPE,
        "find": _Walker(long=words("-exec -execdir -ok -okdir"), leading=True, least=1),
    }
)
_GIT_WALKERS = frozenset({"grep", "archive"})


def reaches(group: tuple[str, ...]) -> Iterator[Reach]:
    """What the commands named in one group of words reach. A wrapper may stand before each."""
    for at, word in enumerate(group):
        name = word.rpartition("/")[2]
        walker = _WALKERS.get(name)
        rest = group[at + 1 :]
        if walker is not None and _walks(walker, rest):
            yield _reach(walker, rest)
        elif name == "git" and any(given in _GIT_WALKERS for given in rest[:3]):
            yield Reach((), everything=True)


def _walks(walker: _Walker, given: tuple[str, ...]) -> bool:
    if any(word in walker.not_with for word in given):
        return False
    if not walker.letters and not walker.long:
        return True
    return any(
        word in walker.long
        or (word[:1] == "-" and word[1:2] != "-" and any(flag in word for flag in walker.letters))
        for word in given
    )


def _reach(walker: _Walker, given: tuple[str, ...]) -> Reach:
    operands: list[str] = []
    before = ""
    for word in given:
        if word.startswith("-"):
            if walker.leading:
                break
        elif not _takes_next(walker, before):
            operands.append(word)
        before = word
    if not walker.last and not any(word.startswith(("-t", "--target")) for word in given):
        operands = operands[:-1]
    return Reach(tuple(operands), everything=len(operands) < walker.least)


def _takes_next(walker: _Walker, flag: str) -> bool:
    """Whether the word after this one is, or may be, the flag's value."""
    if not walker.valued or not flag.startswith("-"):
        return False
    return "=" not in flag if flag.startswith("--") else flag[-1] in walker.valued
