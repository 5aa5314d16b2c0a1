"""Contributions on their way in: taken as a whole when a feature's installation succeeds.

Whatever a feature registers lands here first. What was not declared, is not what was declared, or
lacks its grant is left out and told in the report; a feature that fails leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import TypeVar

import msgspec
from msgspec import Struct

from induscode.errors import FeatureInstallError, HandleClosed
from induscode.feature.background import BackgroundTaskContribution
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ContributeFragment,
    ContributeHook,
    ContributeTool,
    GrantPort,
    RunBackgroundTask,
)
from induscode.feature.command import CommandContribution, CommandDeclaration
from induscode.feature.descriptor import FeatureDescriptor
from induscode.feature.diagnostic import SkippedContribution
from induscode.feature.fragment import FragmentContribution, FragmentDeclaration
from induscode.feature.hook import HookContribution, HookDeclaration
from induscode.feature.hosting.claims import Claims, Kind
from induscode.feature.hosting.foreign import is_plain, plain, short
from induscode.feature.hosting.snapshot import ToolSnapshot, snapshot, task_snapshot
from induscode.feature.limits import (
    COMMAND_NAME_CHARACTERS,
    FRAGMENT_CHARACTERS,
    SKIPPED_MOST,
)
from induscode.feature.tool import ToolContribution

__all__ = [
    "Draft",
    "DraftCommand",
    "DraftFragment",
    "DraftHook",
    "DraftTask",
    "DraftTool",
]

T = TypeVar("T")
_UNTYPED = (
    f"a command's name has up to {COMMAND_NAME_CHARACTERS} visible characters, and neither white"
    " space nor '/' among them"
)
_QUALIFIER = "__"
_QUALIFIED = f"{_QUALIFIER!r} in a name is for tools of MCP servers, which rules know by it"
_ADDED = frozenset({"user", "project", "plugin"})


class DraftTool(Struct, frozen=True):
    tool: ToolSnapshot
    needs: tuple[AnyCapability, ...]


class DraftHook(Struct, frozen=True):
    declaration: HookDeclaration
    contribution: HookContribution
    needs: tuple[AnyCapability, ...]


class DraftTask(Struct, frozen=True):
    contribution: BackgroundTaskContribution
    needs: tuple[AnyCapability, ...]


class DraftCommand(Struct, frozen=True):
    contribution: CommandContribution
    declaration: CommandDeclaration
    needs: tuple[AnyCapability, ...]


class DraftFragment(Struct, frozen=True):
    contribution: FragmentContribution
    declaration: FragmentDeclaration
    needs: tuple[AnyCapability, ...]


class Draft:
    """What one feature contributes; the port behind all of its registrars."""

    def __init__(self, descriptor: FeatureDescriptor, grants: GrantPort, claims: Claims) -> None:
        self.tools: dict[str, DraftTool] = {}
        self.hooks: dict[str, DraftHook] = {}
        self.tasks: dict[str, DraftTask] = {}
        self.commands: dict[str, DraftCommand] = {}
        self.fragments: dict[str, DraftFragment] = {}
        self.skipped: list[SkippedContribution] = []
        self._descriptor = descriptor
        self._id = str(descriptor.id)
        self._grants = grants
        self._claims = claims
        self._own = Claims({}, {})
        self._lock = Lock()
        self._open = True
        self._names = frozenset(self._declared())
        self._declared_tools = _by_name(descriptor.declared_tools, lambda one: one.name)
        self._declared_hooks = _by_name(descriptor.declared_hooks, lambda one: one.name)
        self._declared_tasks = _by_name(descriptor.declared_background_tasks, lambda one: one.id)
        self._declared_commands = _by_name(descriptor.declared_commands, lambda one: one.name)
        self._declared_fragments = _by_name(descriptor.declared_fragments, lambda one: one.name)
        self._told: set[tuple[Kind, str]] = set()

    # What the registrars call

    def tool(self, contribution: ToolContribution) -> None:
        name = plain(contribution.name)
        declared = self._declared_tools.get(name)
        if declared is None:
            self._skip("tool", name, "it was not declared")
            return
        if _QUALIFIER in name and self._descriptor.id.source in _ADDED:
            self._skip("tool", name, _QUALIFIED)
            return
        needs = (
            ContributeTool(name),
            *declared.required_capabilities,
            *contribution.required_capabilities,
        )
        if not self._admitted("tool", name, needs):
            return
        try:
            made = DraftTool(snapshot(contribution.definition, name), needs)
        except FeatureInstallError as error:
            self._skip("tool", name, error.message)
        else:
            self._put("tool", self.tools, name, made)

    def hook(self, contribution: HookContribution) -> None:
        name = plain(contribution.name)
        declared = self._declared_hooks.get(name)
        if declared is None:
            self._skip("hook", name, "it was not declared")
        elif declared.point is not contribution.point:
            self._skip("hook", name, f"it was declared for {declared.point}")
        else:
            needs = (ContributeHook(declared.point), *declared.required_capabilities)
            if self._admitted("hook", name, needs):
                made = HookContribution(name, declared.point, contribution.hook, self._id)
                self._put("hook", self.hooks, name, DraftHook(declared, made, needs))

    def task(self, contribution: BackgroundTaskContribution) -> None:
        name = plain(contribution.id)
        declared = self._declared_tasks.get(name)
        if declared is None:
            self._skip("task", name, "it was not declared")
            return
        try:
            contribution = task_snapshot(contribution, name, self._id)
        except FeatureInstallError as error:
            self._skip("task", name, error.message)
            return
        needs = (RunBackgroundTask(), *contribution.required_capabilities)
        if self._admitted("task", name, needs):
            self._put("task", self.tasks, name, DraftTask(contribution, needs))

    def command(self, contribution: CommandContribution) -> None:
        name = plain(contribution.name)
        declared = self._declared_commands.get(name)
        if declared is None:
            self._skip("command", name, "it was not declared")
            return
        if not _can_be_typed(name):
            self._skip("command", name, _UNTYPED)
            return
        needs = (ContributeCommand(name), *contribution.required_capabilities)
        if self._admitted("command", name, needs):
            made = CommandContribution(name, contribution.command, needs, self._id)
            self._put("command", self.commands, name, DraftCommand(made, declared, needs))

    def fragment(self, contribution: FragmentContribution) -> None:
        name = plain(contribution.name)
        declared = self._declared_fragments.get(name)
        if declared is None:
            self._skip("fragment", name, "it was not declared")
            return
        text, most = contribution.text, min(declared.characters, FRAGMENT_CHARACTERS)
        if not is_plain(text) or len(text) > most:
            self._skip("fragment", name, f"its text has over {most} characters, or is none")
            return
        needs = (ContributeFragment(declared.slot), *contribution.required_capabilities)
        if self._admitted("fragment", name, needs):
            made = FragmentContribution(name, text, needs, self._id)
            self._put("fragment", self.fragments, name, DraftFragment(made, declared, needs))

    # What the installer does

    def preflight(self) -> None:
        """Note every declared name that an earlier feature has, before anything is installed."""
        for kind, name in self._declared():
            if claim := self._claims.of(kind, name):
                reason = f"{claim.told(name)}, {self._id} comes later"
                self._skip(kind, name, reason, owner=claim.owner)

    def seal(self) -> None:
        """Nothing comes in any more, not even from a thread that was let in before."""
        with self._lock:
            self._open = False

    def discard(self) -> None:
        """Nothing of what was contributed stays, and nothing comes in any more."""
        self.seal()
        for taken in (self.tools, self.hooks, self.tasks, self.commands, self.fragments):
            taken.clear()

    def close(self, reason: str) -> None:
        """Every declared contribution is installed by now, or skipped for a reason."""
        for kind, name in self._declared():
            if name not in self._shelf(kind) and (kind, name) not in self._told:
                self._skip(kind, name, reason)

    def taken(self) -> list[tuple[Kind, str]]:
        return [(kind, name) for kind, name in self._declared() if name in self._shelf(kind)]

    def prompt_characters(self) -> int:
        """What it puts in front of the model in every request."""
        tools = sum(
            len(one.tool.name)
            + len(one.tool.description)
            + len(msgspec.json.encode(one.tool.parameters))
            for one in self.tools.values()
        )
        return tools + sum(len(one.contribution.text) for one in self.fragments.values())

    def _shelf(self, kind: Kind) -> Mapping[str, object]:
        shelves: dict[Kind, Mapping[str, object]] = {
            "tool": self.tools,
            "hook": self.hooks,
            "task": self.tasks,
            "command": self.commands,
            "fragment": self.fragments,
        }
        return shelves[kind]

    def _declared(self) -> list[tuple[Kind, str]]:
        made = self._descriptor
        names: dict[Kind, list[str]] = {
            "tool": [tool.name for tool in made.declared_tools],
            "hook": [hook.name for hook in made.declared_hooks],
            "task": [task.id for task in made.declared_background_tasks],
            "command": [command.name for command in made.declared_commands],
            "fragment": [fragment.name for fragment in made.declared_fragments],
        }
        return [(kind, name) for kind, some in names.items() for name in some]

    def _put(self, kind: Kind, shelf: dict[str, T], name: str, made: T) -> None:
        with self._lock:
            if not self._open:
                raise HandleClosed("this installation is over", hint="register during install")
            shelf[name] = made
            self._own.take(kind, name, self._id)

    def _admitted(self, kind: Kind, name: str, needs: tuple[AnyCapability, ...]) -> bool:
        if name in self._shelf(kind):
            reason = "it was contributed twice; the first one counts"
            self._skip(kind, name, reason, owner=self._id)
            return False
        if own := self._own.of(kind, name):
            reason = f"it has the name {own.name} already, which is taken for the same"
            self._skip(kind, name, reason, owner=self._id)
            return False
        if self._claims.of(kind, name):
            return False  # the preflight has told it
        for need in needs:
            if why := self._grants.denial(need):
                self._skip(kind, name, f"it needs {need.text()}: {why}")
                return False
        return True

    def _skip(self, kind: Kind, name: str, reason: str, *, owner: str = "") -> None:
        """Every declared contribution has room for one reason; what goes beyond is bounded."""
        declared = (kind, name) in self._names
        if len(self.skipped) < SKIPPED_MOST or (declared and (kind, name) not in self._told):
            shown = name if declared else short(name)
            self.skipped.append(SkippedContribution(kind, shown, short(reason), owner))
            self._told.add((kind, name))


def _by_name(declared: Iterable[T], name: Callable[[T], str]) -> dict[str, T]:
    """Of two with one name, the first counts."""
    found: dict[str, T] = {}
    for one in declared:
        found.setdefault(name(one), one)
    return found


def _can_be_typed(name: str) -> bool:
    """Whether `/name` at a prompt can mean this command."""
    if not 0 < len(name) <= COMMAND_NAME_CHARACTERS or "/" in name:
        return False
    return name.isprintable() and not any(letter.isspace() for letter in name)
