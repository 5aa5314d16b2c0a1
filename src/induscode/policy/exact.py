"""A rule that allows one call again, and nothing else: what an approval can be remembered as."""

from __future__ import annotations

from induscode.policy.rules import Effect, Rule, canonical_name
from induscode.policy.shellwords import plain_words
from induscode.policy.subject import CallView, CommandSubject, PathSubject, UrlSubject
from induscode.policy.verdict import Layer

__all__ = ["exact_rule"]


def exact_rule(call: CallView, *, layer: Layer) -> Rule | None:
    """The rule, or None when no rule can say this call: a command that is more than plain words, a
    tool whose calls have no subject. The mode may still ask about what no rule lifts, such as a
    protected name: offer the rule only if `decide` with it allows the call."""
    match call.subject:
        case PathSubject(path=path):
            pattern = str(path)
        case CommandSubject(command=command) if plain_words(command) is not None:
            pattern = command
        case UrlSubject(host=host):
            pattern = host
        case _:
            return None
    text = f"{call.tool}({pattern})"
    return Rule(Effect.ALLOW, canonical_name(call.tool), pattern, layer, text, exact=True)
