"""From contributed tools to tools that the conductor can call.

The host says what a tool is: its own by the table of built-ins; all others are foreign, whatever
they say of themselves. Every tool is validated and bounded by the same wrappers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from induscode.conductor.ports import BoundTool
from induscode.feature.hosting.draft import DraftTool
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.kernel.tool import AgentTool, ToolKind
from induscode.policy.subject import NoSubject
from induscode.tools.bounded import bounded
from induscode.tools.builtin import BuiltinTool
from induscode.tools.validated import problem_with, validated

__all__ = ["bound_tools"]


def bound_tools(
    registry: FeatureRegistry, ours: Mapping[str, BuiltinTool], environment: Mapping[str, str]
) -> tuple[BoundTool, ...]:
    """All tools of the registry, in its order. `environment` is what commands find."""
    return tuple(
        _bound(feature, tool, _known(feature, tool, ours), environment)
        for feature, tool in registry.tools()
    )


def _known(
    feature: InstalledFeature, tool: DraftTool, ours: Mapping[str, BuiltinTool]
) -> BuiltinTool | None:
    """What the host's table says of it: only of a tool that its own feature contributed."""
    known = ours.get(tool.tool.name)
    return known if known is not None and known.feature == feature.id else None


def _bound(
    feature: InstalledFeature,
    draft: DraftTool,
    known: BuiltinTool | None,
    environment: Mapping[str, str],
) -> BoundTool:
    tool: AgentTool = draft.tool if known else bounded(validated(draft.tool))
    kind = known.kind if known else ToolKind.FOREIGN
    return BoundTool(
        tool=tool,
        kind=kind,
        by=feature.id,
        problem=partial(problem_with, tool),
        subject=known.subject if known else lambda _, __: NoSubject(),
        environment=environment if kind is ToolKind.SHELL else None,
        withdrawn=partial(feature.lacks, draft.needs),
    )
