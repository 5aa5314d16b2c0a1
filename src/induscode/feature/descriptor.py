"""What a feature says about itself, before anything of it runs: identity, requests, declarations.

A descriptor is data: it survives JSON, can be shown, and locks what may be contributed.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Literal

import msgspec
from msgspec import Struct

from induscode.errors import FeatureInstallError
from induscode.feature.background import BackgroundTaskDeclaration
from induscode.feature.capability import (
    AnyCapability,
    CapabilityRequest,
    ContributeCommand,
    ContributeFragment,
    ContributeHook,
    ContributeTool,
    RunBackgroundTask,
)
from induscode.feature.command import CommandDeclaration
from induscode.feature.fragment import FragmentDeclaration
from induscode.feature.hook import HookDeclaration
from induscode.feature.limits import DESCRIPTOR_BYTES
from induscode.feature.points import HookPoint
from induscode.feature.tool import ToolDeclaration

__all__ = ["DescriptorBuilder", "FeatureDescriptor", "FeatureId", "FeatureRuntimeKind"]

Source = Literal["builtin", "user", "project", "mcp", "plugin"]
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SERVER = re.compile(r"[!-~](?:[ -~]{0,62}[!-~])?")
"""A server is called what its configuration calls it."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SOURCES = ("builtin", "user", "project", "mcp", "plugin")


class FeatureId(Struct, frozen=True, order=True):
    """Who a feature is and where it comes from: `builtin:task`, `plugin:<sha256>:tracker`."""

    source: Source
    name: str
    digest: str = ""

    def __post_init__(self) -> None:
        if not (_SERVER if self.source == "mcp" else _NAME).fullmatch(self.name):
            hint = "use up to 64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
            if self.source == "mcp":
                hint = "use up to 64 visible characters of ASCII"
            raise FeatureInstallError(f"{self.name!r} is no name of a feature", hint=hint)
        if bool(self.digest) != (self.source == "plugin") or (
            self.digest and not _DIGEST.fullmatch(self.digest)
        ):
            raise FeatureInstallError(
                f"{self.source}:{self.name} has no fitting digest",
                hint="plugin:<sha256>:<name>; other sources have none",
            )

    def __str__(self) -> str:
        middle = f"{self.digest}:" if self.digest else ""
        return f"{self.source}:{middle}{self.name}"

    @classmethod
    def builtin(cls, name: str) -> FeatureId:
        return cls("builtin", name)

    @classmethod
    def user(cls, name: str) -> FeatureId:
        return cls("user", name)

    @classmethod
    def project(cls, name: str) -> FeatureId:
        return cls("project", name)

    @classmethod
    def mcp(cls, server: str) -> FeatureId:
        return cls("mcp", server)

    @classmethod
    def plugin(cls, digest: str, name: str) -> FeatureId:
        return cls("plugin", name, digest)

    @classmethod
    def parse(cls, text: str) -> FeatureId:
        """Raises `FeatureInstallError`."""
        source, _, rest = text.partition(":")
        if source not in _SOURCES:
            known = ", ".join(_SOURCES)
            raise FeatureInstallError(f"{text!r} is no id of a feature", hint=f"sources: {known}")
        if source == "mcp":
            return cls(source, rest)
        digest, colon, name = rest.rpartition(":")
        return cls(source, name, digest if colon else "")


class FeatureRuntimeKind(StrEnum):
    """What runs a feature."""

    BUILTIN = "builtin"
    DECLARATIVE = "declarative"
    EXTERNAL_PROCESS = "external-process"
    MCP_BRIDGE = "mcp-bridge"
    WASM = "wasm"


class FeatureDescriptor(Struct, frozen=True):
    id: FeatureId
    display_name: str = ""
    version: str = ""
    runtime: FeatureRuntimeKind = FeatureRuntimeKind.BUILTIN
    requested_capabilities: tuple[CapabilityRequest, ...] = ()
    declared_tools: tuple[ToolDeclaration, ...] = ()
    declared_hooks: tuple[HookDeclaration, ...] = ()
    declared_background_tasks: tuple[BackgroundTaskDeclaration, ...] = ()
    declared_commands: tuple[CommandDeclaration, ...] = ()
    declared_fragments: tuple[FragmentDeclaration, ...] = ()

    @staticmethod
    def builder(feature: FeatureId) -> DescriptorBuilder:
        return DescriptorBuilder(feature)

    def all_requests(self) -> tuple[CapabilityRequest, ...]:
        """What it asks for in words, and what its declarations ask for by themselves: contributing
        needs a grant too. Those are optional: what is denied is left out."""
        implied: dict[AnyCapability, str] = {}
        for tool in self.declared_tools:
            implied[ContributeTool(tool.name)] = f"offer the tool {tool.name}"
        for hook in self.declared_hooks:
            implied[ContributeHook(hook.point)] = f"be heard at {hook.point}"
        if self.declared_background_tasks:
            implied[RunBackgroundTask()] = "run in the background"
        for command in self.declared_commands:
            implied[ContributeCommand(command.name)] = f"offer the command /{command.name}"
        for fragment in self.declared_fragments:
            implied[ContributeFragment(fragment.slot)] = f"add to the prompt: {fragment.slot}"
        stated = {request.capability for request in self.requested_capabilities}
        return self.requested_capabilities + tuple(
            CapabilityRequest.optional(capability, reason)
            for capability, reason in implied.items()
            if capability not in stated
        )

    def frozen_copy(self) -> FeatureDescriptor:
        """The same, sharing nothing. Raises `FeatureInstallError` for what is no descriptor."""
        try:
            encoded = msgspec.json.encode(self)
            if len(encoded) > DESCRIPTOR_BYTES:
                raise FeatureInstallError(f"the descriptor has over {DESCRIPTOR_BYTES} bytes")
            return msgspec.json.decode(encoded, type=FeatureDescriptor)
        except (msgspec.MsgspecError, TypeError, ValueError) as error:
            raise FeatureInstallError(f"the descriptor is not usable: {error}") from None


class DescriptorBuilder:
    """Builds a descriptor step by step; every step returns the builder."""

    def __init__(self, feature: FeatureId) -> None:
        self._made = FeatureDescriptor(feature)

    def _with(self, **fields: object) -> DescriptorBuilder:
        self._made = msgspec.structs.replace(self._made, **fields)
        return self

    def display_name(self, name: str) -> DescriptorBuilder:
        return self._with(display_name=name)

    def version(self, version: str) -> DescriptorBuilder:
        return self._with(version=version)

    def runtime(self, kind: FeatureRuntimeKind) -> DescriptorBuilder:
        return self._with(runtime=kind)

    def request(self, request: CapabilityRequest) -> DescriptorBuilder:
        return self._with(requested_capabilities=(*self._made.requested_capabilities, request))

    def tool(self, name: str, *needs: AnyCapability) -> DescriptorBuilder:
        tools = (*self._made.declared_tools, ToolDeclaration(name, needs))
        return self._with(declared_tools=tools)

    def hook(
        self, name: str | HookDeclaration, point: HookPoint | None = None
    ) -> DescriptorBuilder:
        """By name and point, or as a whole declaration. Raises `FeatureInstallError`."""
        if isinstance(name, str):
            if point is None:
                raise FeatureInstallError(f"the hook {name} names no point")
            name = HookDeclaration(name, point)
        return self._with(declared_hooks=(*self._made.declared_hooks, name))

    def background_task(self, name: str, description: str = "") -> DescriptorBuilder:
        task = BackgroundTaskDeclaration(name, description)
        tasks = (*self._made.declared_background_tasks, task)
        return self._with(declared_background_tasks=tasks)

    def command(self, name: str, description: str = "", exec_: str = "") -> DescriptorBuilder:
        command = CommandDeclaration(name, description, exec_)
        commands = (*self._made.declared_commands, command)
        return self._with(declared_commands=commands)

    def fragment(
        self, name: str, slot: str = "features", characters: int = 1_000
    ) -> DescriptorBuilder:
        fragments = (*self._made.declared_fragments, FragmentDeclaration(name, slot, characters))
        return self._with(declared_fragments=fragments)

    def build(self) -> FeatureDescriptor:
        return self._made
