"""The features that ship: the deck's tools by what they touch, each declaring what it uses."""

from __future__ import annotations

from collections.abc import Sequence

from induscode.capability_deck import groups
from induscode.capability_deck.catalog import find_card
from induscode.capability_deck.contract import Capability
from induscode.feature.capability import (
    AnyCapability,
    CapabilityRequest,
    Delegation,
    MemoryStore,
    Network,
    NetworkPurpose,
    ScopedFs,
)
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.tool import ToolContribution
from induscode.version import VERSION

__all__ = ["builtin_packages"]

_NAMES = {
    groups.FILES: "Reading and changing files",
    groups.SEARCH: "Searching files",
    groups.SHELL: "Running commands",
    groups.WEB: "The web",
    groups.CHECKLIST: "Checklists",
    groups.MEMORY: "Memory",
    groups.PLAN: "Plan mode",
    groups.DELEGATE: "Sub-agents",
    groups.CONNECTORS: "Connectors",
}

_READ = CapabilityRequest.optional(ScopedFs(read=True), "look at files where the gate permits it")
_WRITE = CapabilityRequest.optional(
    ScopedFs(read=True, write=True), "change files where the gate permits it"
)
_RUN = CapabilityRequest.optional(ScopedFs(execute=True), "run commands where the gate permits it")

_USES: dict[str, CapabilityRequest] = {
    "read": _READ,
    "ls": _READ,
    "grep": _READ,
    "find": _READ,
    "write": _WRITE,
    "edit": _WRITE,
    "bash": _RUN,
    "process": _RUN,
    "bg-process": _RUN,
    "webfetch": CapabilityRequest.optional(Network(NetworkPurpose.FETCH), "fetch pages"),
    "websearch": CapabilityRequest.optional(Network(NetworkPurpose.SEARCH), "search the web"),
    "memory": CapabilityRequest.optional(
        MemoryStore(read=True, write=True), "keep notes for later conversations"
    ),
    "task": CapabilityRequest.optional(Delegation(spawn=True), "run sub-agents"),
    "saas-action": CapabilityRequest.optional(
        Network(NetworkPurpose.CONNECTOR), "call services that you configured"
    ),
}
"""What each tool needs of the host; checklists and plans need nothing."""


class ToolsFeature:
    """Tools that need nothing but the context of their call."""

    def __init__(self, feature: str, tools: Sequence[Capability]) -> None:
        self._feature = feature
        self._tools = tools

    def descriptor(self) -> FeatureDescriptor:
        builder = (
            FeatureDescriptor.builder(FeatureId.parse(self._feature))
            .display_name(_NAMES[self._feature])
            .version(VERSION)
        )
        for request in dict.fromkeys(_USES[t.name] for t in self._tools if t.name in _USES):
            builder.request(request)
        for tool in self._tools:
            builder.tool(tool.name, *_needs(tool))
        return builder.build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        for tool in self._tools:
            ctx.tools.register(ToolContribution(tool.name, tool, _needs(tool)))


def _needs(tool: Capability) -> tuple[AnyCapability, ...]:
    uses = _USES.get(tool.name)
    return (uses.capability,) if uses is not None else ()


def builtin_packages(tools: Sequence[Capability]) -> list[Package]:
    """One package per feature, in the order in which their first tools come."""
    grouped: dict[str, list[Capability]] = {}
    for tool in tools:
        card = find_card(tool.name)
        if card is not None:
            grouped.setdefault(card.feature, []).append(tool)
    return [
        Package(
            ToolsFeature(feature, members),
            digest=groups.feature_digest(feature),
            source="builtin",
            label=feature,
            ours=True,
        )
        for feature, members in grouped.items()
    ]
