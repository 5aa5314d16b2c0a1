"""The fold of what addons recorded: streams append, names have one owner."""

from __future__ import annotations

from collections.abc import Collection

from induscode.addons.contract import (
    AddonCommand,
    AddonFault,
    AddonFaultKind,
    AddonId,
    AddonTool,
    EventSubscription,
    RegisteredManifest,
    ToolInterceptor,
)
from induscode.addons.faults import FaultSink
from induscode.addons.manifest import usable_command
from induscode.feature.hosting.foreign import is_plain, plain, said
from induscode.policy.aliases import tool_name

__all__ = ["Fold"]


class Fold:
    """Names are compared as a person would mix them up: commands without case, tools also without
    `_` and `-`. Who comes later with a name loses that contribution and keeps the rest."""

    def __init__(
        self, reserved: Collection[str], builtin_tools: Collection[str], faults: FaultSink
    ) -> None:
        self.subscriptions: list[EventSubscription] = []
        self.interceptors: list[ToolInterceptor] = []
        self.commands: dict[str, AddonCommand] = {}
        self.tools: dict[str, AddonTool] = {}
        self._reserved = {name.casefold() for name in reserved}
        self._builtin_tools = {tool_name(name) for name in builtin_tools}
        self._tool_owners: dict[str, AddonId] = {}
        self._faults = faults

    def command(self, name: str) -> AddonCommand | None:
        return self.commands.get(name.casefold())

    def add(self, addon: AddonId, recorded: RegisteredManifest) -> None:
        self.subscriptions += recorded.subscriptions
        self.interceptors += recorded.interceptors
        for command in recorded.commands:
            self._add_command(addon, command)
        for tool in recorded.tools:
            self._add_tool(addon, tool)

    def _add_command(self, addon: AddonId, command: AddonCommand) -> None:
        name, key = command.name, command.name.casefold()
        owner = self.commands.get(key)
        if not usable_command(name):
            self._tell(AddonFaultKind.REGISTER, addon, f"{name!r} cannot be typed as a command")
        elif key in self._reserved:
            self._tell(AddonFaultKind.CONFLICT, addon, f"/{name} is reserved for the host")
        elif owner is not None:
            message = f"/{name} of {addon} is left out: {owner.addon} offers it already"
            self._tell(AddonFaultKind.CONFLICT, addon, message)
        else:
            self.commands[key] = command

    def _add_tool(self, addon: AddonId, tool: AddonTool) -> None:
        try:
            name = _name_of(tool)
        except TypeError as error:
            self._tell(AddonFaultKind.REGISTER, addon, f"a tool cannot be used: {error}", error)
            return
        key = tool_name(name)
        owner = self._tool_owners.get(key)
        if key in self._builtin_tools:
            message = f"the tool {name} of {addon} is left out: a built-in has that name"
            self._tell(AddonFaultKind.CONFLICT, addon, message)
        elif owner is not None:
            message = f"the tool {name} of {addon} is left out: {owner} offers it already"
            self._tell(AddonFaultKind.CONFLICT, addon, message)
        else:
            self.tools[key] = tool
            self._tool_owners[key] = addon

    def _tell(
        self,
        kind: AddonFaultKind,
        addon: AddonId,
        message: str,
        cause: BaseException | None = None,
    ) -> None:
        self._faults.tell(AddonFault(kind, message, addon=addon, cause=cause))


def _name_of(tool: AddonTool) -> str:
    """Raises TypeError for a tool that does not say a name."""
    try:
        name: object = tool.name
    except Exception as error:
        raise TypeError(f"its name cannot be read: {said(error)}") from error
    if not is_plain(name) or not name:
        raise TypeError("its name is no text")
    return plain(name)
