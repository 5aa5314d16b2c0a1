"""The host's permission for one session: the gate, under the rules in force now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from induscode.conductor.ports import BoundTool, Offer
from induscode.kernel.person import PersonAnswer
from induscode.kernel.tool import ToolKind
from induscode.policy.exact import always_rule, exact_rule
from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode, narrower
from induscode.policy.narrowing import Narrowed
from induscode.policy.paths import inside
from induscode.policy.rules import Rule
from induscode.policy.subject import Access, CallView, CommandSubject, PathSubject
from induscode.policy.verdict import Allow, Ask, Deny, Layer, Verdict
from induscode.session.entries import Narrowing

__all__ = ["KeepAlways", "SessionPermission"]

KeepAlways = Callable[[Rule], None]
"""Stores a rule for later sessions. Raises `UserError`."""


class SessionPermission:
    """Judges the calls of one session. "This session" lives in memory only: a resume asks anew.
    Without `keep_always` that answer is not offered. `ceiling` is the mode of whoever sent a
    delegate: whatever the delegate's own mode is, that one is never exceeded; `around` is what
    narrows the sender's turn, and so its delegates."""

    def __init__(
        self,
        policy: Policy,
        keep_always: KeepAlways | None = None,
        *,
        ceiling: Callable[[], Mode] = lambda: Mode.FULL,
        around: Callable[[], tuple[Narrowed, ...]] = tuple,
    ) -> None:
        self._policy = policy
        self._keep_always = keep_always
        self._ceiling = ceiling
        self._around = around
        self._narrowed: tuple[Narrowed, ...] = ()

    @property
    def mode(self) -> Mode:
        return narrower(self._policy.mode, self._ceiling())

    def under(self, mode: Mode, keep_always: KeepAlways | None) -> SessionPermission:
        """For a delegate: the rules in force here and now, what was allowed for this session
        included, and a mode that stays within ours. What a delegate is allowed is not ours."""
        policy = msgspec.structs.replace(self._policy, mode=narrower(mode, self.mode))
        return SessionPermission(
            policy, keep_always, ceiling=lambda: self.mode, around=self._narrowing
        )

    def set_mode(self, mode: Mode) -> None:
        self._policy = msgspec.structs.replace(self._policy, mode=mode)

    def narrow(self, narrowings: Sequence[Narrowing]) -> Sequence[str]:
        self._narrowed = tuple(
            Narrowed(each.why, each.rules, self._policy.workspace) for each in narrowings
        )
        return [sentence for each in self._narrowed for sentence in each.unread]

    def view(self, tool: BoundTool, arguments: Mapping[str, Any]) -> CallView:
        return CallView(tool.tool.name, tool.kind, arguments, tool.subject(arguments))

    def judge(self, call: CallView) -> Verdict:
        verdict = decide(call, self._in_force())
        return verdict if isinstance(verdict, Deny) else self._outside(call) or verdict

    def offer(self, call: CallView) -> Offer:
        """More than "once" only where a rule can say exactly this call, and allows it."""
        rule = exact_rule(call, layer=Layer.SESSION)
        if rule is None or self._with(rule, call) is None:
            return Offer(("once", "no"))
        if self._keep_always is None or always_rule(call) is None:
            return Offer(("once", "session", "no"), rule.text)
        return Offer(("once", "session", "always", "no"), rule.text)

    def remember(self, call: CallView, answer: PersonAnswer) -> str | None:
        always = answer.choice == "always"
        if not always and answer.choice != "session":
            return None
        rule = always_rule(call) if always else exact_rule(call, layer=Layer.SESSION)
        widened = self._with(rule, call) if rule is not None else None
        if rule is None or widened is None:
            return None
        if always and self._keep_always is not None:
            self._keep_always(rule)
        self._policy = msgspec.structs.replace(self._policy, rules=widened.rules, book=widened.book)
        return rule.text

    def reaches(self, call: CallView, path: Path, access: Access) -> bool:
        """Whether a granted call may touch a place, every link followed: what was granted, and
        what the gate would allow anyway. A rule that asks about one place is not answered by what
        was granted for the directory around it."""
        kind = ToolKind.WRITE if access is Access.WRITE else ToolKind.READ
        place = CallView(call.tool, kind, {}, PathSubject(path, path, access))
        if self._outside(place) and not _named(call, path, access):
            return False
        match decide(place, self._in_force()):
            case Allow():
                return True
            case Ask(layer=Layer.MODE):
                return _named(call, path, access)
            case Ask():
                return _is_its_subject(call, path) and _named(call, path, access)
            case Deny():
                return False

    def _with(self, rule: Rule, call: CallView) -> Policy | None:
        """The policy with one more rule, if that allows this very call."""
        rules = (*self._policy.rules, rule)
        policy = msgspec.structs.replace(self._in_force(), rules=rules, book=None)
        return policy if isinstance(decide(call, policy), Allow) else None

    def _narrowing(self) -> tuple[Narrowed, ...]:
        return (*self._around(), *self._narrowed)

    def _outside(self, call: CallView) -> Deny | None:
        """What narrows the turn so far that this call may not happen in it."""
        denials = (each.denial(call) for each in self._narrowing())
        return next((denial for denial in denials if denial is not None), None)

    def _in_force(self) -> Policy:
        mode = self.mode
        if mode is self._policy.mode:
            return self._policy
        return msgspec.structs.replace(self._policy, mode=mode)


def _is_its_subject(call: CallView, path: Path) -> bool:
    return isinstance(call.subject, PathSubject) and path in {call.subject.path, call.subject.named}


def _named(call: CallView, path: Path, access: Access) -> bool:
    match call.subject:
        case PathSubject(path=granted, access=granted_access):
            wanted = access is Access.READ or granted_access is Access.WRITE
            return wanted and inside(granted, path)
        case CommandSubject(cwd=cwd):
            return access is Access.READ and path == cwd
        case _:
            return False
