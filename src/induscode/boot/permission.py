"""The host's permission for one session: the gate, under the rules in force now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from induscode.conductor.ports import BoundTool
from induscode.kernel.person import Choice, PersonAnswer
from induscode.policy.exact import exact_rule
from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode
from induscode.policy.verdict import Allow, Layer, Verdict
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
        """Offers "session" only where a rule can say exactly this call, and allows it."""
        if self._widened(tool, arguments) is None:
            return ("once", "no")
        return ("once", "session", "no")

    def remember(
        self, tool: BoundTool, arguments: Mapping[str, Any], answer: PersonAnswer
    ) -> str | None:
        if answer.choice != "session":
            return None
        widened = self._widened(tool, arguments)
        if widened is None:
            return None
        self._policy = widened
        return widened.rules[-1].text

    def _widened(self, tool: BoundTool, arguments: Mapping[str, Any]) -> Policy | None:
        """The policy with one more rule that allows this very call, if there can be one."""
        view = self._tools[tool.tool.name].view(arguments, self._cwd)
        rule = exact_rule(view, layer=Layer.SESSION)
        if rule is None:
            return None
        policy = msgspec.structs.replace(self._policy, rules=(*self._policy.rules, rule), book=None)
        return policy if isinstance(decide(view, policy), Allow) else None
