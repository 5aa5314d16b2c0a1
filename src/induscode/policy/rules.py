"""Rules as people write them: `tool` or `tool(pattern)`, with an effect and the layer it came from.

A rule on `read` speaks of reading files, one on `write` or `edit` of changing them, one on `bash`
of command lines, whichever tool does it; any other name means that tool alone, and a trailing `*`
every name that begins so. Names are compared without case, `_` or `-`; names that other agents use
mean ours.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from induscode.errors import ConfigError, UsageError, UserError
from induscode.policy.aliases import tool_name
from induscode.policy.verdict import Layer

__all__ = ["Effect", "Rule", "canonical_name", "parse_rule", "problem_of"]


class Effect(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Rule(Struct, frozen=True):
    """`tool` is canonical; `pattern` None means every call of it. `text` is what was written.
    In an `exact` rule, made from an approved call and not by hand, nothing is a wildcard."""

    effect: Effect
    tool: str
    pattern: str | None
    layer: Layer
    text: str
    exact: bool = False


_DEEDS = {"edit": "write"}
"""Rules speak of deeds: one on `edit` is one on writing, whichever tool does it."""


@lru_cache(maxsize=4096)
def canonical_name(name: str) -> str:
    """The form in which the names of rules are compared."""
    plain = tool_name(name)
    return _DEEDS.get(plain, plain)


def parse_rule(text: str, *, effect: Effect, layer: Layer, file: str = "") -> Rule:
    """Read one rule. Raises `UsageError` for one from a flag and `ConfigError` otherwise, naming
    the field, what is wrong with it and how a rule is written."""
    name, bracket, rest = text.strip().partition("(")
    problem = _problem(name, bracket, rest)
    if problem:
        raise _refusal(text, problem, effect, layer, file)
    pattern = rest[:-1].strip() if bracket else None
    return Rule(effect, canonical_name(name.strip()), pattern, layer, text.strip())


def problem_of(text: str) -> str:
    """Why `text` is no rule; empty when it is one."""
    return _problem(*text.strip().partition("("))


_HINT = "write tool or tool(pattern), for example 'bash(git diff *)' or 'write(src/**)'"


def _problem(name: str, bracket: str, rest: str) -> str:
    name = name.strip()
    if not name:
        return "a rule begins with the name of a tool"
    if not all(letter.isalnum() or letter in "_-*:.@/" for letter in name):
        return f"{name!r} is not the name of a tool"
    if "*" in name[:-1]:
        return "in a tool's name '*' may only stand at the end"
    if bracket and not rest.endswith(")"):
        return "the closing ')' is missing"
    if bracket and not rest[:-1].strip():
        return "the pattern is empty"
    if canonical_name(name) in {"read", "write"} and ".." in rest[:-1].split("/"):
        return "a path pattern cannot contain '..'"
    return ""


def _refusal(text: str, problem: str, effect: Effect, layer: Layer, file: str) -> UserError:
    if layer is Layer.FLAG:
        return UsageError(f"--{effect} {text!r}: {problem}", hint=_HINT)
    return ConfigError(
        file or str(layer), field=f"permissions.{effect}", found=f"{text!r}: {problem}", hint=_HINT
    )
