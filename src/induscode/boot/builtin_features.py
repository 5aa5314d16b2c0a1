"""The features that ship: tools grouped by what they touch, each declaring what it uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from induscode.feature.capability import CapabilityRequest, ScopedFs
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.tool import ToolContribution
from induscode.tools.builtin import FILES, SHELL, BuiltinTool, feature_digest
from induscode.version import VERSION

__all__ = ["builtin_packages"]

_NAMES = {FILES: "Reading and changing files", SHELL: "Running commands"}
_REQUESTS = {
    FILES: CapabilityRequest.required(
        ScopedFs(read=True, write=True), "read and change files where the gate permits it"
    ),
    SHELL: CapabilityRequest.required(
        ScopedFs(execute=True), "run commands where the gate permits it"
    ),
}


class ToolsFeature:
    """Tools that need nothing but the context of their call."""

    def __init__(self, feature: str, tools: Sequence[BuiltinTool]) -> None:
        self._feature = feature
        self._tools = tools

    def descriptor(self) -> FeatureDescriptor:
        builder = (
            FeatureDescriptor.builder(FeatureId.parse(self._feature))
            .display_name(_NAMES[self._feature])
            .version(VERSION)
            .request(_REQUESTS[self._feature])
        )
        for tool in self._tools:
            builder.tool(tool.tool.name)
        return builder.build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        for tool in self._tools:
            ctx.tools.register(ToolContribution(tool.tool.name, tool.tool))


def builtin_packages(tools: Iterable[BuiltinTool]) -> list[Package]:
    """One package per group, in the order in which their first tools come."""
    groups: dict[str, list[BuiltinTool]] = {}
    for tool in tools:
        groups.setdefault(tool.feature, []).append(tool)
    return [
        Package(
            ToolsFeature(feature, grouped),
            digest=feature_digest(feature),
            source="builtin",
            label=feature,
            ours=True,
        )
        for feature, grouped in groups.items()
    ]
