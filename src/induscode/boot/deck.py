"""Which tools a run has: the profile, then the allow-list over it."""

from __future__ import annotations

from collections.abc import Sequence

from induscode.boot.invocation import Invocation
from induscode.conductor.ports import BoundTool
from induscode.errors import UsageError
from induscode.kernel.tool import ToolKind

__all__ = ["select_tools"]

_READ_ONLY = ("authoring", "read-only")


def select_tools(invocation: Invocation, tools: Sequence[BoundTool]) -> tuple[BoundTool, ...]:
    """Raises `UsageError` for a name that no tool has."""
    if invocation.no_tools:
        return ()
    chosen = tuple(tools)
    if invocation.profile in _READ_ONLY:
        chosen = tuple(bound for bound in chosen if bound.kind is ToolKind.READ)
    if invocation.tools is None:
        return chosen
    known = {_plain(bound.tool.name): bound.tool.name for bound in tools}
    wanted = {_plain(name) for name in invocation.tools}
    strangers = [name for name in invocation.tools if _plain(name) not in known]
    if strangers:
        raise UsageError(
            f"there is no tool {strangers[0]!r}", hint=f"known tools: {', '.join(known.values())}"
        )
    return tuple(bound for bound in chosen if _plain(bound.tool.name) in wanted)


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
