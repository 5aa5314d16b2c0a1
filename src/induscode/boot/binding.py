"""From contributed tools to tools that the conductor can call.

The host says what a tool is: its own by the catalog, or here; all others are foreign, whatever they
say of themselves. Every tool is validated and bounded by the same wrappers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from induscode.boot.mcp.names import MCP, MCP_PROMPT, MCP_READ, MCP_RESOURCES, MCP_SEARCH
from induscode.boot.skill_feature import SKILL_SEARCH, SKILLS
from induscode.capability_deck.catalog import capability_ids, find_card
from induscode.capability_deck.contract import CapabilityCard, DeckContext
from induscode.conductor.ports import BoundTool
from induscode.feature.hosting.draft import DraftTool
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.kernel.tool import AgentTool, ToolKind
from induscode.policy.subject import NoSubject, ServerSubject, SessionSubject, Subject
from induscode.tools.bounded import bounded
from induscode.tools.validated import problem_with, validated

__all__ = ["bound_tools"]

Judged = Callable[[Mapping[str, Any]], Subject]


def _session(arguments: Mapping[str, Any]) -> Subject:
    del arguments
    return SessionSubject()


def _server(arguments: Mapping[str, Any]) -> Subject:
    match arguments.get("server"):
        case str(server) if server:
            from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name

            return ServerSubject(server, qualify_bridge_name(server, ""))
        case _:
            return NoSubject()


def _unknown(arguments: Mapping[str, Any]) -> Subject:
    del arguments
    return NoSubject()


_FOREIGN = (ToolKind.FOREIGN, _unknown)
_BESIDE: Mapping[tuple[str, str], tuple[ToolKind, Judged]] = {
    (SKILLS, SKILL_SEARCH): (ToolKind.READ, _session),
    (MCP, MCP_SEARCH): (ToolKind.READ, _session),
    (MCP, MCP_RESOURCES): (ToolKind.FOREIGN, _server),
    (MCP, MCP_READ): (ToolKind.FOREIGN, _server),
    (MCP, MCP_PROMPT): (ToolKind.FOREIGN, _server),
}
"""Tools of ours beside the catalog, by the feature that has them. A feature that does not ship
cannot have such an id."""


def bound_tools(
    registry: FeatureRegistry, ctx: DeckContext, environment: Mapping[str, str]
) -> tuple[BoundTool, ...]:
    """All tools of the registry: those of the catalog in its order, then others of ours, then those
    of everybody else by feature and name, servers last. So the same tools make the same prefix of a
    prompt, in whatever order they came. `environment` is what commands find."""
    order = {str(name): place for place, name in enumerate(capability_ids())}
    bound = [
        _bound(feature, tool, _card(feature, tool), ctx, environment)
        for feature, tool in sorted(registry.tools(), key=_rank)
    ]
    return tuple(sorted(bound, key=lambda tool: order.get(_name(tool), len(order))))


def _rank(contributed: tuple[InstalledFeature, DraftTool]) -> tuple[int, str, str]:
    """Which of ours there are is written in code, and so is their order."""
    feature, draft = contributed
    match feature.descriptor.id.source:
        case "builtin":
            return 0, "", ""
        case "mcp":
            return 2, feature.id, draft.tool.name
        case _:
            return 1, feature.id, draft.tool.name


def _name(bound: BoundTool) -> str:
    """What the catalog may know it by; a foreign tool of that name is not meant."""
    return bound.tool.name if bound.kind is not ToolKind.FOREIGN else ""


def _card(feature: InstalledFeature, tool: DraftTool) -> CapabilityCard | None:
    """What the catalog says of it: only of a tool that its own feature contributed."""
    card = find_card(tool.tool.name)
    return card if card is not None and card.feature == feature.id else None


def _subject(card: CapabilityCard, ctx: DeckContext) -> Judged:
    return lambda arguments: card.subject(arguments, ctx)


def _bound(
    feature: InstalledFeature,
    draft: DraftTool,
    card: CapabilityCard | None,
    ctx: DeckContext,
    environment: Mapping[str, str],
) -> BoundTool:
    tool: AgentTool = draft.tool if card else bounded(validated(draft.tool))
    kind, judged = _BESIDE.get((feature.id, tool.name), _FOREIGN)
    kind = card.kind if card else kind
    return BoundTool(
        tool=tool,
        kind=kind,
        by=feature.id,
        problem=partial(problem_with, tool),
        subject=_subject(card, ctx) if card else judged,
        environment=environment if kind is ToolKind.SHELL else None,
        withdrawn=partial(feature.lacks, draft.needs),
    )
