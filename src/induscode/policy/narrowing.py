"""Turns that may do less: what a command or a skill says may be called while it is at work.

A narrowing allows nothing by itself. It denies a call that none of its rules speaks of, as an allow
rule would speak of it; whatever else judges the call judges it all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from induscode.policy.rulebook import RuleBook
from induscode.policy.rules import Effect, parse_rule, problem_of
from induscode.policy.shellwords import plain_words
from induscode.policy.subject import CallView, CommandSubject
from induscode.policy.verdict import Deny, Layer

__all__ = ["RULES_MOST", "RULES_NAMED", "Narrowed"]

RULES_MOST = 500
"""Rules of one narrowing that are read; further ones allow nothing."""

RULES_NAMED = 20
"""Of them a denial names so many."""


class Narrowed:
    """What one command or skill allows. `why` says in words which; `unread` tells, a sentence each,
    which of its rules are none and so allow nothing."""

    def __init__(self, why: str, rules: Sequence[str], workspace: Path) -> None:
        read = [text.strip() for text in rules[:RULES_MOST]]
        troubles = [(text, problem_of(text)) for text in read]
        self.why = why
        self.unread = tuple(
            f"{why}: {text!r} allows nothing: {trouble}" for text, trouble in troubles if trouble
        )
        if len(rules) > RULES_MOST:
            self.unread += (f"{why}: of its {len(rules)} rules the first {RULES_MOST} count",)
        good = [text for text, trouble in troubles if not trouble]
        made = [parse_rule(text, effect=Effect.ALLOW, layer=Layer.TURN) for text in good]
        self._named = _named(good)
        self._book = RuleBook(tuple(made), workspace)

    def denial(self, call: CallView) -> Deny | None:
        """None when one of the rules speaks of the call."""
        words = None
        if isinstance(call.subject, CommandSubject):
            words = plain_words(call.subject.command)
        if self._book.allowing(call, words) is not None:
            return None
        return Deny(
            f"{self.why} allows {self._named} in this turn. This call of {call.tool} is none of"
            " that: go on without it, and say in your answer what else you would need",
            self._named,
            Layer.TURN,
        )


def _named(rules: Sequence[str]) -> str:
    if not rules:
        return "no calls at all"
    more = len(rules) - RULES_NAMED
    return "only " + ", ".join([*rules[:RULES_NAMED], *([f"{more} more"] if more > 0 else [])])
