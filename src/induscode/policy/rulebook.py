"""The rules of a policy, indexed once, asked at every call."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from induscode.kernel.tool import ToolKind
from induscode.policy.aliases import means
from induscode.policy.patterns import CommandPatterns, HostPatterns, PathPatterns
from induscode.policy.rules import Effect, Rule, canonical_name
from induscode.policy.subject import (
    CallView,
    CommandSubject,
    NoSubject,
    PathSubject,
    ServerSubject,
    SessionSubject,
    UrlSubject,
)
from induscode.policy.verdict import Layer

__all__ = ["RuleBook"]

_FOLDS = sys.platform == "darwin"
"""Whether file systems here usually take `.ENV` for `.env`."""

_KIND_NAMES = frozenset({"read", "write", "bash"})


class _Shelf:
    """All rules of one effect on one name; each index is built when a call first needs it."""

    def __init__(self, workspace: Path, *, fold: bool) -> None:
        self._workspace = workspace
        self._fold = fold
        self.rules: list[Rule] = []

    @cached_property
    def bare(self) -> Rule | None:
        return next((rule for rule in self.rules if rule.pattern is None), None)

    @cached_property
    def _patterned(self) -> list[tuple[Rule, str]]:
        return [(rule, rule.pattern) for rule in self.rules if rule.pattern is not None]

    @cached_property
    def commands(self) -> CommandPatterns:
        return CommandPatterns(self._patterned)

    @cached_property
    def paths(self) -> PathPatterns:
        return PathPatterns(self._patterned, self._workspace, fold=self._fold)

    def any_of(self, places: tuple[Path, ...]) -> Rule | None:
        """A rule that covers one of these places."""
        covering = self.paths.covering
        return next((rule for place in places if (rule := covering(place))), None)

    @cached_property
    def hosts(self) -> HostPatterns:
        return HostPatterns(self._patterned)

    @cached_property
    def first(self) -> Rule | None:
        return self.rules[0] if self.rules else None


class _Shelves:
    """All rules of one effect, by the name they speak of."""

    def __init__(self, rules: list[Rule], workspace: Path, *, fold: bool) -> None:
        self._by_name: dict[str, _Shelf] = {}
        for rule in rules:
            shelf = self._by_name.setdefault(rule.tool, _Shelf(workspace, fold=fold))
            shelf.rules.append(rule)
        self._of_many = [
            (name, shelf) for name, shelf in self._by_name.items() if name.endswith("*")
        ]

    def of(self, call: CallView, *, impostors: bool) -> Iterator[_Shelf]:
        """The shelves that may speak of a call. A foreign tool that took the name of ours is an
        impostor: a rule that narrows means it too, one that allows does not."""
        if not self._by_name:
            return
        by_kind = _kind_name(call.kind)
        if by_kind in self._by_name:
            yield self._by_name[by_kind]
        name = canonical_name(call.tool)
        if name != by_kind and name in self._by_name and (impostors or name not in _KIND_NAMES):
            yield self._by_name[name]
        server = _server_name(call) if impostors else name
        for many, shelf in self._of_many:
            if means(many, name) or means(many, server):
                yield shelf

    def touching(self, call: CallView, groups: tuple[tuple[str, ...], ...]) -> Rule | None:
        for shelf in self.of(call, impostors=True):
            if rule := shelf.bare or _touches(shelf, call, groups):
                return rule
        if isinstance(call.subject, CommandSubject):
            return self._file_rule(call.subject)
        return None

    def _file_rule(self, subject: CommandSubject) -> Rule | None:
        """What narrows reading or writing a file also narrows a command that names it."""
        for name in ("read", "write"):
            shelf = self._by_name.get(name)
            if shelf and (rule := shelf.any_of((*subject.paths, *subject.elsewhere))):
                return rule
        return None

    def maybe_touching(self, subject: CommandSubject) -> Rule | None:
        """A rule that may speak of what a command touches, though it does not say so."""
        if subject.unsure:
            named = (self._by_name.get(name) for name in ("read", "write", "bash"))
            return next((shelf.first for shelf in named if shelf), None)
        for name in ("read", "write") if subject.perhaps else ():
            if (shelf := self._by_name.get(name)) and (rule := shelf.any_of(subject.perhaps)):
                return rule
        if subject.below and (shelf := self._by_name.get("read")):
            below = (shelf.paths.reaching_below(directory) for directory in subject.below)
            return next((rule for rule in below if rule), None)
        return None


class RuleBook:
    """Answers which rule of an effect speaks of a call. Allow rules of a workspace are left out;
    `ignored` lists them, so that somebody can be told."""

    def __init__(self, rules: tuple[Rule, ...], workspace: Path) -> None:
        self.rules = rules
        self.workspace = workspace
        self.ignored = tuple(rule for rule in rules if _widens(rule))
        self._allow, self._ask, self._deny = (
            _Shelves(
                [rule for rule in rules if rule.effect is effect and not _widens(rule)],
                workspace,
                fold=_FOLDS and effect is not Effect.ALLOW,
            )
            for effect in (Effect.ALLOW, Effect.ASK, Effect.DENY)
        )

    def allowing(self, call: CallView, words: tuple[str, ...] | None) -> Rule | None:
        """A rule that allows the call; `words` is its command if that is plain, else None."""
        for shelf in self._allow.of(call, impostors=False):
            if rule := shelf.bare or _covers(shelf, call, words):
                return rule
        return None

    def asking(self, call: CallView, groups: tuple[tuple[str, ...], ...]) -> Rule | None:
        """A rule that asks about the call; `groups` are the literals of its command."""
        return self._ask.touching(call, groups)

    def denying(self, call: CallView, groups: tuple[tuple[str, ...], ...]) -> Rule | None:
        return self._deny.touching(call, groups)

    def doubting(self, subject: CommandSubject) -> Rule | None:
        """A rule that narrows and may be concerned, so that a command is not for silent allowing:
        `grep -r x .` where `.env` must not be read, or a command too intricate to be read."""
        return self._deny.maybe_touching(subject) or self._ask.maybe_touching(subject)


def _kind_name(kind: ToolKind) -> str | None:
    if kind is ToolKind.SHELL:
        return "bash"
    return "read" if kind is ToolKind.READ else "write" if kind is ToolKind.WRITE else None


def _server_name(call: CallView) -> str:
    """What rules on all tools of a server begin with, where a call is about one; "" elsewhere."""
    return canonical_name(call.subject.tools) if isinstance(call.subject, ServerSubject) else ""


def _widens(rule: Rule) -> bool:
    return rule.effect is Effect.ALLOW and rule.layer is Layer.WORKSPACE


def _covers(shelf: _Shelf, call: CallView, words: tuple[str, ...] | None) -> Rule | None:
    match call.subject:
        case PathSubject(path=path):
            return shelf.paths.covering(path)
        case CommandSubject():
            return None if words is None else shelf.commands.covering(words)
        case UrlSubject(host=host):
            return shelf.hosts.covering(host)
        case ServerSubject(server=server):
            return shelf.hosts.covering(server)
        case SessionSubject() | NoSubject():
            return None


def _touches(shelf: _Shelf, call: CallView, groups: tuple[tuple[str, ...], ...]) -> Rule | None:
    match call.subject:
        case PathSubject(path=path, named=named):
            return shelf.paths.covering(path) or shelf.paths.covering(named)
        case CommandSubject():
            return shelf.commands.within(groups)
        case UrlSubject(host=host):
            return shelf.hosts.covering(host)
        case ServerSubject(server=server):
            return shelf.hosts.covering(server)
        case SessionSubject():
            return None  # there is no place, command or host that a pattern could mean
        case NoSubject():
            # A pattern that cannot be judged narrows rather than not.
            return shelf.first
