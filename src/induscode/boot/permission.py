"""The host's permission for one session: the gate, under the rules in force now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from induscode.conductor.ports import BoundTool
from induscode.kernel.person import Choice, PersonAnswer
from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode
from induscode.policy.rules import Effect, Rule
from induscode.policy.shellwords import plain_words
from induscode.policy.subject import CommandSubject, NoSubject, PathSubject
from induscode.policy.verdict import Layer, Verdict
from induscode.tools.builtin import BuiltinTool

__all__ = ["SessionPermission"]


class SessionPermission:
    """Judges the calls of one session. "This session" lives in memory only: a resume asks anew."""

    def __init__(self, policy: Policy, tools: Sequence[BuiltinTool], cwd: Path) -> None:
        self._policy = policy
        self._tools = {builtin.tool.name: builtin for builtin in tools}
        self._cwd = cwd

    @property
    def mode(self) -> Mode:
        return self._policy.mode

    def set_mode(self, mode: Mode) -> None:
        self._policy = msgspec.structs.replace(self._policy, mode=mode)

    def judge(self, tool: BoundTool, arguments: Mapping[str, Any]) -> Verdict:
        return decide(self._tools[tool.tool.name].view(arguments, self._cwd), self._policy)

    def choices(self, tool: BoundTool, arguments: Mapping[str, Any]) -> tuple[Choice, ...]:
        if self._rule(tool, arguments) is None:
            return ("once", "no")
        return ("once", "session", "no")

    def remember(
        self, tool: BoundTool, arguments: Mapping[str, Any], answer: PersonAnswer
    ) -> str | None:
        if answer.choice != "session":
            return None
        rule = self._rule(tool, arguments)
        if rule is None:
            return None
        self._policy = msgspec.structs.replace(
            self._policy, rules=(*self._policy.rules, rule), book=None
        )
        return rule.text

    def _rule(self, tool: BoundTool, arguments: Mapping[str, Any]) -> Rule | None:
        """A rule that allows exactly this call again, where one can be written."""
        view = self._tools[tool.tool.name].view(arguments, self._cwd)
        match view.subject:
            case PathSubject(path=path) if not any(c in str(path) for c in "*?["):
                text = str(path)
            case CommandSubject(command=command) if plain_words(command) is not None:
                text = command
            case NoSubject() | _:
                return None
        return Rule(
            effect=Effect.ALLOW,
            tool=tool.tool.name,
            pattern=text,
            layer=Layer.SESSION,
            text=f"{tool.tool.name}({text})",
        )
