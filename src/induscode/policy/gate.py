"""The one gate. Every door asks it: model calls, commands, hooks, tasks, sub-agents, servers.

`decide` is a pure function of the call and the policy. Order: what no mode permits, deny rules, ask
rules, what the mode denies, allow rules, the mode's table. So a deny wins whatever the order of the
rules and whatever the mode, no rule lifts a mode's refusal, and no rule lifts the question about a
protected name.
"""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from msgspec import Struct
from msgspec.structs import force_setattr

from induscode.kernel.tool import ToolKind
from induscode.policy.commands import is_read_only, takes_paths
from induscode.policy.literals import literals
from induscode.policy.modes import TABLE, Answer, Deed, Mode
from induscode.policy.places import forbidden, inside, protected
from induscode.policy.rulebook import RuleBook
from induscode.policy.rules import Rule
from induscode.policy.shellwords import plain_words
from induscode.policy.subject import CallView, CommandSubject, PathSubject, SessionSubject
from induscode.policy.verdict import Allow, Ask, Deny, Layer, Verdict

__all__ = ["Policy", "decide"]


class Policy(Struct, frozen=True):
    """Under what calls are judged. `workspace` is a real path. `own` are directories of this
    program: writing there is protected wherever they are. `readable` are directories outside the
    workspace that may be read like it (where long outputs were put for the model). `book` is the
    index over `rules`, made by itself."""

    mode: Mode
    workspace: Path
    rules: tuple[Rule, ...] = ()
    own: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    book: RuleBook | None = None

    def __post_init__(self) -> None:
        book = self.book
        if book is None or book.rules is not self.rules or book.workspace != self.workspace:
            force_setattr(self, "book", RuleBook(self.rules, self.workspace))


def decide(call: CallView, policy: Policy) -> Verdict:
    """Whether this call may happen under this policy, and which rule of which layer says so."""
    words, groups = _parsed(call)
    if why := _never(call):
        return Deny(f"{call.tool} is refused: {why}", "places no tool may touch", Layer.BUILTIN)
    book = policy.book or RuleBook(policy.rules, policy.workspace)
    if rule := book.denying(call, groups):
        return Deny(f"{call.tool} is denied by the rule {rule.text!r}", rule.text, rule.layer)
    deed, why = _deed(call, policy, words)
    answer = TABLE[deed, policy.mode]
    if answer is not Answer.DENY and (rule := book.asking(call, groups)):
        return Ask(f"the rule {rule.text!r} asks about {call.tool}", rule.text, rule.layer)
    doubt = _doubt(call, book)
    if answer is Answer.ASK or (doubt and answer is Answer.ALLOW):
        rule = book.allowing(call, words)
        lifts = rule is not None and _may_lift(rule, deed, call, policy)
        if rule is not None and lifts and (rule.exact or not doubt):
            return Allow(rule.text, rule.layer)
        if doubt and (lifts or answer is Answer.ALLOW):
            why = f"it may touch what the rule {doubt.text!r} is about"
            return Ask(f"{call.tool}: {why}", doubt.text, doubt.layer)
    return _by_table(call, policy.mode, deed, answer, why)


def _doubt(call: CallView, book: RuleBook) -> Rule | None:
    """A rule that narrows and may be concerned although no literal of the command shows it."""
    if isinstance(call.subject, CommandSubject):
        return book.doubting(call.subject)
    if isinstance(call.subject, SessionSubject):
        return None
    return book.doubting(_UNREAD) if call.kind is ToolKind.SHELL else None


_UNREAD = CommandSubject("", Path("/"), unsure=True)
"""Stands for a command that nobody could read."""


def _may_lift(rule: Rule, deed: Deed, call: CallView, policy: Policy) -> bool:
    """Whether an allow rule answers the question that the mode asks."""
    if deed is Deed.WRITE_PROTECTED:
        return False
    if deed is Deed.WRITE_OUTSIDE:
        return rule.pattern is not None
    subject = call.subject
    if not isinstance(subject, CommandSubject):
        return True
    if subject.git_runs and not rule.exact:
        return False
    if rule.pattern is not None and not inside(policy.workspace, subject.cwd):
        return False  # what a command does depends on where: a rule means the workspace
    return not (subject.shadows and _local(call, policy))


def _parsed(call: CallView) -> tuple[tuple[str, ...] | None, tuple[tuple[str, ...], ...]]:
    if isinstance(call.subject, CommandSubject):
        words = plain_words(call.subject.command)
        return words, call.subject.groups or literals(call.subject.command, words)
    return None, ()


def _never(call: CallView) -> str | None:
    match call.subject:
        case PathSubject(path=path, named=named):
            return forbidden(path) or forbidden(named)
        case CommandSubject(paths=paths, elsewhere=elsewhere, perhaps=perhaps):
            every = (*paths, *elsewhere, *perhaps)
            around = [path for path in every if str(path).startswith("/proc")]
            return next((why for path in around if (why := forbidden(path, devices=False))), None)
        case _:
            return None


def _deed(call: CallView, policy: Policy, words: tuple[str, ...] | None) -> tuple[Deed, str]:
    """The row of the table this call belongs to, and why, in words for a person."""
    if isinstance(call.subject, SessionSubject):
        return Deed.STATE, ""
    match call.kind:
        case ToolKind.READ:
            return _reading(call, policy)
        case ToolKind.WRITE:
            return _writing(call, policy)
        case ToolKind.SHELL:
            return _shell(call, policy, words)
        case ToolKind.NETWORK:
            return Deed.NETWORK, "it uses the network"
        case ToolKind.STATE:
            return Deed.STATE, ""
        case ToolKind.DELEGATE:
            return Deed.DELEGATE, ""
        case ToolKind.FOREIGN:
            return Deed.FOREIGN, "it is a tool of a server or an addon"
    assert_never(call.kind)


def _readable(policy: Policy, path: Path) -> bool:
    return inside(policy.workspace, path) or any(inside(root, path) for root in policy.readable)


def _reading(call: CallView, policy: Policy) -> tuple[Deed, str]:
    if isinstance(call.subject, PathSubject) and _readable(policy, call.subject.path):
        return Deed.READ_INSIDE, ""
    return Deed.READ_OUTSIDE, "it reads outside the workspace"


def _writing(call: CallView, policy: Policy) -> tuple[Deed, str]:
    if not isinstance(call.subject, PathSubject):
        return Deed.WRITE_OUTSIDE, "it does not say where it writes"
    place = call.subject.path
    if any(inside(root, place) for root in policy.own):
        return Deed.WRITE_PROTECTED, "the place holds what governs this program"
    if not inside(policy.workspace, place):
        return Deed.WRITE_OUTSIDE, "it writes outside the workspace"
    named = call.subject.named
    why = protected(policy.workspace, place)
    if why is None and inside(policy.workspace, named):
        why = protected(policy.workspace, named)
    return (Deed.WRITE_PROTECTED, why) if why else (Deed.WRITE_INSIDE, "it changes a file")


def _shell(call: CallView, policy: Policy, words: tuple[str, ...] | None) -> tuple[Deed, str]:
    subject = call.subject
    if not isinstance(subject, CommandSubject):
        return Deed.SHELL_OTHER, "it does not say what it runs"
    if words is None:
        return Deed.SHELL_OTHER, "the command is more than plain words"
    if not is_read_only(words):
        return Deed.SHELL_OTHER, "the command is not in the table of those that only read"
    if _local(call, policy):
        return Deed.SHELL_OTHER, f"{words[0]} is a file of the workspace here"
    if subject.program is not None and not _CHOSEN_BY_FILES.isdisjoint(subject.program.parts):
        return Deed.SHELL_OTHER, f"a version manager lets the workspace choose what {words[0]} is"
    if subject.unsure:
        return Deed.SHELL_OTHER, "it names more than can be looked at"
    if not inside(policy.workspace, subject.cwd):
        return Deed.SHELL_OTHER, "it runs outside the workspace"
    if subject.git_runs:
        named = "this repository's git configuration names programs to run"
        return Deed.SHELL_OTHER, f"{named} ({subject.git_runs})"
    if takes_paths(words) and not all(_readable(policy, path) for path in subject.paths):
        return Deed.SHELL_OTHER, "it names a place outside the workspace"
    return Deed.SHELL_READ_ONLY, ""


_CHOSEN_BY_FILES = frozenset({"shims", ".volta"})
"""Directories of version managers, where a file of the workspace chooses what runs."""


def _local(call: CallView, policy: Policy) -> bool:
    """Whether the command's first word would start a file of the workspace."""
    subject = call.subject
    if not isinstance(subject, CommandSubject) or subject.program is None:
        return False
    return inside(policy.workspace, subject.program)


def _by_table(call: CallView, mode: Mode, deed: Deed, answer: Answer, why: str) -> Verdict:
    rule = f"{mode} mode: {deed}"
    match answer:
        case Answer.ALLOW:
            return Allow(rule, Layer.MODE)
        case Answer.ASK:
            return Ask(f"{call.tool}: {why}", rule, Layer.MODE)
        case Answer.DENY:
            return Deny(f"{mode} mode does not permit {call.tool}: {why}", rule, Layer.MODE)
