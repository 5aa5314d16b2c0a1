"""Matching many patterns at once, so that the cost of a call does not grow with the rules.

Commands go through a tree of words, paths through an index by the literal beginning of each glob.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from induscode.policy.places import spelled
from induscode.policy.rules import Rule
from induscode.policy.shellwords import plain_words
from induscode.policy.stretch import stretches

__all__ = ["CommandPatterns", "HostPatterns", "PathPatterns"]


class _Node:
    """One word deeper in the tree of command patterns."""

    __slots__ = ("ends", "globs", "stars", "words")

    def __init__(self) -> None:
        self.words: dict[str, _Node] = {}
        self.globs: list[tuple[re.Pattern[str], _Node]] = []
        self.ends: list[Rule] = []
        self.stars: list[Rule] = []

    def child(self, word: str) -> _Node:
        if "*" not in word and "?" not in word:
            return self.words.setdefault(word, _Node())
        node = _Node()
        self.globs.append((_segment(word), node))
        return node

    def following(self, word: str) -> Iterator[_Node]:
        if word in self.words:
            yield self.words[word]
        for glob, node in self.globs:
            if glob.fullmatch(word):
                yield node


class CommandPatterns:
    """`git diff *`: these words, then anything. Without `*`: exactly these words. `git diff:*`, as
    other agents write it, is the same as `git diff *`."""

    def __init__(self, rules: Iterable[tuple[Rule, str]]) -> None:
        self._root = _Node()
        for rule, pattern in rules:
            if rule.exact:
                self._add_exact(rule, pattern)
                continue
            words = (pattern[:-2] + " *" if pattern.endswith(":*") else pattern).split()
            node = self._root
            for word in words[:-1] if words[-1] == "*" else words:
                node = node.child(word.strip("'\""))
            (node.stars if words[-1] == "*" else node.ends).append(rule)

    def _add_exact(self, rule: Rule, command: str) -> None:
        words = plain_words(command)
        if words is None:
            return
        node = self._root
        for word in words:
            node = node.words.setdefault(word, _Node())
        node.ends.append(rule)

    def covering(self, words: tuple[str, ...]) -> Rule | None:
        """A rule that covers this whole command of plain words, and no more than it says."""
        active = [self._root]
        for fixed, word in enumerate(words):
            for node in active:
                if node.stars and not stretches(words, fixed):
                    return node.stars[0]
            active = [child for node in active for child in node.following(word)]
            if not active:
                return None
        for node in active:
            if node.ends or node.stars:
                return (node.ends or node.stars)[0]
        return None

    def within(self, groups: Iterable[tuple[str, ...]]) -> Rule | None:
        """A rule whose words stand somewhere in a group, in order, with anything between them."""
        if self._root.stars:
            return self._root.stars[0]
        for group in groups:
            active: list[_Node] = []
            for word in group:
                if not active and not self._may_begin(word):
                    continue
                added = self._after(word, active)
                for node in added:
                    if node.ends or node.stars:
                        return (node.ends or node.stars)[0]
                active.extend(added)
        return None

    def _may_begin(self, word: str) -> bool:
        root = self._root
        if root.globs or word in root.words:
            return True
        return "/" in word and word.rpartition("/")[2] in root.words

    def _after(self, word: str, active: list[_Node]) -> list[_Node]:
        added = [child for node in active for child in node.following(word)]
        base = word.rpartition("/")[2]
        added.extend(self._root.following(word))
        if base != word:
            added.extend(self._root.following(base))
        return added


class _PathShelf:
    """Globs that share their literal beginning; each matches what follows it."""

    def __init__(self) -> None:
        self._by_last: dict[str, list[tuple[re.Pattern[str], Rule]]] = {}
        self._wild: list[tuple[re.Pattern[str], Rule]] = []
        self._any_wild: re.Pattern[str] | None = None
        self.first: Rule | None = None
        self.open_ended: Rule | None = None

    def add(self, rest: str, last: str, rule: Rule) -> None:
        self.first = self.first or rule
        if rest:
            self.open_ended = self.open_ended or rule
        glob = re.compile(rest, re.DOTALL)
        if _is_wild(last):
            self._wild.append((glob, rule))
        else:
            self._by_last.setdefault(last, []).append((glob, rule))

    def covering(self, rest: str) -> Rule | None:
        if self._by_last:
            for glob, rule in self._by_last.get(rest.rpartition("/")[2], ()):
                if glob.fullmatch(rest):
                    return rule
        if not self._wild:
            return None
        if self._any_wild is None:
            every = "|".join(glob.pattern for glob, _ in self._wild)
            self._any_wild = re.compile(every, re.DOTALL)
        if not self._any_wild.fullmatch(rest):
            return None
        return next(rule for glob, rule in self._wild if glob.fullmatch(rest))


class PathPatterns:
    """Globs relative to the workspace (or absolute, or from `~`): `*` and `?` stay within a name,
    `**` is any depth, a trailing `/` means all below. Brackets and braces are plain characters.
    `fold` compares without case, for rules that narrow where the file system does so."""

    def __init__(
        self, rules: Iterable[tuple[Rule, str]], workspace: Path, *, fold: bool = False
    ) -> None:
        self._shelves: dict[str, _PathShelf] = {}
        self._fold = fold
        for rule, pattern in rules:
            exactly = (pattern, "", "")
            glob = exactly if rule.exact else _path_glob(pattern, workspace)
            beginning, rest, last = (part.lower() for part in glob) if fold else glob
            self._shelves.setdefault(beginning, _PathShelf()).add(rest, last, rule)
        self._lengths = sorted({len(beginning) for beginning in self._shelves})
        self._beginnings = sorted(self._shelves)

    def covering(self, path: Path) -> Rule | None:
        place = str(path).lower() if self._fold else str(path)
        for length in self._lengths:
            shelf = self._shelves.get(place[:length])
            if shelf is not None and (rule := shelf.covering(place[length:])):
                return rule
        return None

    def reaching_below(self, directory: Path) -> Rule | None:
        """A rule that covers, or may cover, something below a directory."""
        place = str(directory).rstrip("/") + "/"
        place = place.lower() if self._fold else place
        at = bisect_left(self._beginnings, place)
        if at < len(self._beginnings) and self._beginnings[at].startswith(place):
            return self._shelves[self._beginnings[at]].first
        for length in self._lengths:
            shelf = self._shelves.get(place[:length])
            if shelf is not None and place[length : length + 1] == "/" and shelf.open_ended:
                return shelf.open_ended
        return None


class HostPatterns:
    """`example.com` is that host, `*.example.com` those below it, `*` any; `domain:` before it is
    what other agents write."""

    def __init__(self, rules: Iterable[tuple[Rule, str]]) -> None:
        self._globs: list[tuple[Callable[[str], object], Rule]] = [
            (re.compile(re.escape(pattern) if rule.exact else _host(pattern)).fullmatch, rule)
            for rule, pattern in rules
        ]

    def covering(self, host: str) -> Rule | None:
        name = host.lower().rstrip(".")
        return next((rule for matches, rule in self._globs if matches(name)), None)


def _host(pattern: str) -> str:
    name = pattern.removeprefix("domain:").strip().lower().rstrip(".")
    return ".*" if name == "*" else re.escape(name).replace(r"\*", "[^/]+")


def _segment(word: str) -> re.Pattern[str]:
    return re.compile(_segment_source(word))


def _segment_source(word: str) -> str:
    return re.escape(word).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def _path_glob(pattern: str, workspace: Path) -> tuple[str, str, str]:
    """The longest beginning without a wildcard, an expression for the rest, and the last name."""
    absolute = str(spelled(workspace, pattern)) + ("/**" if pattern.endswith("/") else "")
    segments = [segment for segment in absolute.split("/") if segment]
    wild = next((at for at, segment in enumerate(segments) if _is_wild(segment)), len(segments))
    beginning = "".join(f"/{segment}" for segment in segments[:wild])
    rest = ""
    for segment in segments[wild:-1]:
        rest += "(?:/[^/]+)*" if segment == "**" else "/" + _segment_source(segment)
    if wild < len(segments):
        rest += "(?:/.*)?" if segments[-1] == "**" else "/" + _segment_source(segments[-1])
    return beginning, rest, segments[-1] if wild < len(segments) else ""


def _is_wild(segment: str) -> bool:
    return "*" in segment or "?" in segment
