"""Which rules are in force and where each was written; what the gate says about a call, and why."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from induscode.boot.config import Config
from induscode.boot.invocation import Invocation
from induscode.boot.places import Places
from induscode.capability_deck.catalog import capability_index
from induscode.capability_deck.contract import DeckContext, capability_id
from induscode.errors import UsageError
from induscode.policy.approvals import ApprovalStore
from induscode.policy.gate import Policy, decide
from induscode.policy.rules import Effect, Rule, parse_rule
from induscode.policy.subject import CallView
from induscode.policy.verdict import Allow, Ask, Deny, Layer, Verdict

__all__ = ["Explained", "WrittenRule", "explain", "is_call", "rules_of"]

_CALL = r"\s*(?P<tool>read|ls|grep|find|write|edit|bash|webfetch)\((?P<argument>.+)\)\s*"
_ARGUMENTS = {"bash": "command", "webfetch": "url"}
"""The argument that is meant; for the others it is `path`."""


class WrittenRule(Struct, frozen=True):
    """A rule and the file, or flag, where it was written. `ignored`: it would widen, and stands in
    a file of the workspace."""

    rule: Rule
    source: str

    @property
    def ignored(self) -> bool:
        return self.rule.layer is Layer.WORKSPACE and self.rule.effect is Effect.ALLOW


def rules_of(
    config: Config, places: Places, workspace: Path, invocation: Invocation | None = None
) -> tuple[WrittenRule, ...]:
    """Every rule of every layer, ignored ones included. Raises `ConfigError` for a rule that the
    user wrote and nobody can read, `UsageError` for such a flag."""
    file = str(places.config_file)
    found = [
        WrittenRule(parse_rule(text, effect=effect, layer=Layer.USER, file=file), file)
        for effect in Effect
        for text in config.strings(f"permissions.{effect}")
    ]
    if config.workspace is not None:
        layer = config.workspace
        found.extend(WrittenRule(rule, layer.file) for rule in layer.rules)
    if invocation is not None:
        for effect, texts in ((Effect.ALLOW, invocation.allow), (Effect.DENY, invocation.deny)):
            rules = [parse_rule(text, effect=effect, layer=Layer.FLAG) for text in texts]
            found.extend(WrittenRule(rule, f"--{effect}") for rule in rules)
    approvals = ApprovalStore(places.config)
    kept = approvals.rules(workspace)
    found.extend(WrittenRule(each.rule(), str(approvals.file)) for each in kept)
    return tuple(found)


class Explained(Struct, frozen=True):
    """A verdict in words: what happens, why, and which rule of which layer, written where."""

    answer: str
    why: str
    rule: str
    layer: Layer
    source: str


def is_call(text: str) -> bool:
    """Whether this has the shape of a call: `bash(git push)`, `write(src/a.py)`."""
    return re.fullmatch(_CALL, text, re.DOTALL) is not None


def explain(text: str, policy: Policy, cwd: Path, written: tuple[WrittenRule, ...]) -> Explained:
    """What the gate would answer to this call, made by the model here and now. Raises `UsageError`
    for text that is no call."""
    found = re.fullmatch(_CALL, text, re.DOTALL)
    if found is None:
        raise UsageError(f"{text!r} is not a call", hint="write it as 'bash(git push)'")
    card = capability_index()[capability_id(found["tool"])]
    arguments = {_ARGUMENTS.get(card.id, "path"): found["argument"]}
    subject = card.subject(arguments, DeckContext(cwd))
    verdict = decide(CallView(card.id, card.kind, arguments, subject), policy)
    answer, why = _answer(verdict)
    source = next(
        (
            each.source
            for each in written
            if each.rule.text == verdict.rule and each.rule.layer is verdict.layer
        ),
        "",
    )
    return Explained(answer, why, verdict.rule, verdict.layer, source)


def _answer(verdict: Verdict) -> tuple[str, str]:
    match verdict:
        case Allow():
            return "allow", ""
        case Ask(question):
            return "ask", question
        case Deny(reason):
            return "deny", reason
